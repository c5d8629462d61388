//! Which copies of a buffer are valid, and what an access does to them: a pure decision.

use std::fmt;

/// Where a copy of a buffer can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Host memory.
    Host,
    /// The linear memory of a device.
    Linear(u8),
    /// A texture of a device.
    Texture(u8),
    /// Outside of memory: the folder or the file of a stored array.
    Store,
}

/// How many devices a [`CopySet`] can tell apart.
pub const MAX_DEVICES: u8 = 16;

impl Place {
    const fn bit(self) -> u64 {
        match self {
            Place::Host => 1,
            Place::Linear(device) => 2 << (2 * (device % MAX_DEVICES)),
            Place::Texture(device) => 4 << (2 * (device % MAX_DEVICES)),
            Place::Store => 1 << 40,
        }
    }

    /// The device; none for the host and the store.
    pub const fn device(self) -> Option<u8> {
        match self {
            Place::Host | Place::Store => None,
            Place::Linear(device) | Place::Texture(device) => Some(device),
        }
    }
}

/// A set of places.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CopySet(u64);

impl CopySet {
    /// No place.
    pub const EMPTY: CopySet = CopySet(0);

    /// One place.
    pub const fn only(place: Place) -> CopySet {
        CopySet(place.bit())
    }

    /// The set and one more place.
    #[must_use]
    pub const fn with(self, place: Place) -> CopySet {
        CopySet(self.0 | place.bit())
    }

    /// The set without a place.
    #[must_use]
    pub const fn without(self, place: Place) -> CopySet {
        CopySet(self.0 & !place.bit())
    }

    /// Whether a place is in the set.
    pub const fn contains(self, place: Place) -> bool {
        self.0 & place.bit() != 0
    }

    /// Whether no place is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The places: the host first, then by device, linear memory before textures; the store last.
    pub fn iter(self) -> impl Iterator<Item = Place> {
        let devices = (0..MAX_DEVICES).flat_map(|d| [Place::Linear(d), Place::Texture(d)]);
        let ends = (std::iter::once(Place::Host), std::iter::once(Place::Store));
        ends.0.chain(devices).chain(ends.1).filter(move |&place| self.contains(place))
    }

    /// The set as a number, for an atomic variable.
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// The inverse of [`CopySet::bits`].
    pub(crate) const fn from_bits(bits: u64) -> CopySet {
        CopySet(bits)
    }
}

impl fmt::Debug for CopySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What is done with a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Elements are read.
    Read,
    /// Some elements are written, others keep their values.
    Write,
    /// Every element is written before it is read (`'nocopy`).
    Overwrite,
}

/// A copy of all bytes from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// The source, a valid copy.
    pub from: Place,
    /// Whether the bytes pass the host, where a copy is made on the way.
    pub through_host: bool,
    /// The target, which becomes valid.
    pub to: Place,
}

/// What must be copied before an access at `place`, and which copies are valid after it.
///
/// A read adds a valid copy, a write leaves only its own, an overwrite needs no transfer. Without any valid copy (a
/// fresh buffer) there is nothing to transfer: the contents at `place` become the contents. `near` are places on other
/// devices from which copies come without passing the host, earlier than from the host.
pub fn plan_access(
    valid: CopySet,
    place: Place,
    access: Access,
    near: CopySet,
) -> (Option<Transfer>, CopySet) {
    let transfer = match access {
        Access::Overwrite => None,
        Access::Read | Access::Write if valid.contains(place) => None,
        Access::Read | Access::Write => source(valid, place, near),
    };
    let passes_host = transfer.is_some_and(|transfer| transfer.through_host);
    let after = match access {
        Access::Read if passes_host => valid.with(place).with(Place::Host),
        Access::Read => valid.with(place),
        Access::Write | Access::Overwrite => CopySet::only(place),
    };
    (transfer, after)
}

/// The cheapest valid copy to read from: on the same device, near it, on the host, then any other.
fn source(valid: CopySet, place: Place, near: CopySet) -> Option<Transfer> {
    let own = |from: &Place| place.device().is_some() && from.device() == place.device();
    let direct = valid.iter().find(own).or_else(|| valid.iter().find(|&from| near.contains(from)));
    let from = direct.or_else(|| valid.iter().next())?;
    let through_host = direct.is_none() && from != Place::Host && place != Place::Host;
    Some(Transfer { from, through_host, to: place })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [Place; 6] =
        [Place::Host, Place::Linear(0), Place::Texture(0), Place::Linear(1), Place::Texture(1), Place::Store];

    fn all_states() -> impl Iterator<Item = CopySet> {
        (0u32..1 << PLACES.len()).map(|bits| {
            PLACES
                .iter()
                .enumerate()
                .filter(|(k, _)| bits >> k & 1 == 1)
                .fold(CopySet::EMPTY, |set, (_, &place)| set.with(place))
        })
    }

    #[test]
    fn every_state_follows_the_rules() {
        let mut cases = 0;
        let all = CopySet::only(Place::Linear(0)).with(Place::Linear(1));
        for valid in all_states() {
            for (place, near) in PLACES.into_iter().flat_map(|place| [(place, CopySet::EMPTY), (place, all)])
            {
                for access in [Access::Read, Access::Write, Access::Overwrite] {
                    let (transfer, after) = plan_access(valid, place, access, near);
                    cases += 1;
                    assert!(after.contains(place), "the accessed copy is valid afterwards");
                    let passed = transfer.filter(|transfer| transfer.through_host).map(|_| Place::Host);
                    match access {
                        Access::Read => {
                            assert_eq!(
                                after,
                                passed.iter().fold(valid.with(place), |set, &host| set.with(host))
                            );
                        }
                        Access::Write | Access::Overwrite => assert_eq!(after, CopySet::only(place)),
                    }
                    let needed = access != Access::Overwrite && !valid.contains(place) && !valid.is_empty();
                    assert_eq!(transfer.is_some(), needed, "{valid:?} {place:?} {access:?}");
                    if let Some(Transfer { from, through_host, to }) = transfer {
                        assert!(valid.contains(from));
                        assert_eq!(to, place);
                        let outside = |place: Place| place != Place::Host;
                        let two_devices = outside(from) && outside(to) && from.device() != to.device();
                        assert_eq!(through_host, two_devices && !near.contains(from));
                        assert!(
                            !through_host || !valid.contains(Place::Host),
                            "the host's copy is used where there is one"
                        );
                    }
                }
            }
        }
        assert_eq!(cases, 64 * 6 * 2 * 3);
    }

    #[test]
    fn the_nearest_copy_is_the_source() {
        let from = |valid: CopySet, place, near| {
            let (transfer, _) = plan_access(valid, place, Access::Read, near);
            transfer.map(|transfer| (transfer.from, transfer.through_host))
        };
        let (none, second) = (CopySet::EMPTY, CopySet::only(Place::Linear(1)));
        let valid = CopySet::only(Place::Host).with(Place::Texture(1));
        assert_eq!(from(valid, Place::Linear(1), none), Some((Place::Texture(1), false)));
        assert_eq!(from(valid, Place::Linear(0), none), Some((Place::Host, false)));
        assert_eq!(
            from(valid, Place::Linear(0), second),
            Some((Place::Host, false)),
            "no such copy is valid"
        );
        assert_eq!(from(second, Place::Linear(0), second), Some((Place::Linear(1), false)));
        assert_eq!(from(second.with(Place::Host), Place::Linear(0), second), Some((Place::Linear(1), false)));
        assert_eq!(from(second.with(Place::Host), Place::Linear(0), none), Some((Place::Host, false)));
        assert_eq!(from(second, Place::Linear(0), none), Some((Place::Linear(1), true)));
        assert_eq!(from(second, Place::Host, none), Some((Place::Linear(1), false)));
    }

    #[test]
    fn sets_list_their_places() {
        let set = CopySet::only(Place::Linear(15)).with(Place::Host);
        assert_eq!(format!("{set:?}"), "{Host, Linear(15)}");
        assert!(set.without(Place::Host).without(Place::Linear(15)).is_empty());
        assert_eq!(CopySet::from_bits(set.bits()), set);
    }
}
