//! Accesses that begin together.
//!
//! Two calls with the same arrays in another order would wait for each other if each took its arrays one by one. So a call says
//! what it wants and begins all accesses at once, in the order of the addresses of the locks, which all threads share. Nothing
//! else is waited for in between.

use super::coherence::Access;
use super::lock::{AccessLock, Refusal};
use crate::error::{Error, Place, Result};

/// An access that is to begin.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    lock: &'a AccessLock,
    access: Access,
}

impl<'a> Wanted<'a> {
    #[inline]
    pub(super) fn new(lock: &'a AccessLock, access: Access) -> Wanted<'a> {
        Wanted { lock, access }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self.lock).addr()
    }
}

/// An access to the elements of an array, for as long as it lives. The thread that began it ends it.
#[derive(Debug)]
pub struct Hold<'a> {
    lock: &'a AccessLock,
    exclusive: bool,
    not_send: std::marker::PhantomData<std::sync::MutexGuard<'static, ()>>,
}

impl<'a> Hold<'a> {
    #[inline]
    pub(super) fn new(lock: &'a AccessLock, access: Access) -> Result<Hold<'a>> {
        let exclusive = access != Access::Read;
        match if exclusive { lock.exclude() } else { lock.share() } {
            Ok(()) => Ok(Hold::begun(lock, exclusive)),
            Err(refusal) => Err(refused(refusal)),
        }
    }

    /// An exclusive access if nobody uses the elements.
    pub(super) fn try_exclusive(lock: &'a AccessLock) -> Option<Hold<'a>> {
        lock.try_exclude().then(|| Hold::begun(lock, true))
    }

    fn begun(lock: &'a AccessLock, exclusive: bool) -> Hold<'a> {
        Hold { lock, exclusive, not_send: std::marker::PhantomData }
    }

    /// Refuses to use an access for another array, or for more than was asked for.
    #[inline]
    pub(super) fn check(&self, lock: &AccessLock, access: Access) -> Result<()> {
        if std::ptr::eq(self.lock, lock) && (self.exclusive || access == Access::Read) {
            return Ok(());
        }
        Err(Error::system("an access that was begun for another array or another use"))
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        if self.exclusive {
            self.lock.end_exclude();
        } else {
            self.lock.end_share();
        }
    }
}

/// Begins all accesses, in the order that all threads keep; waits until they are possible.
///
/// ```
/// use quasar_runtime::Array;
/// use quasar_runtime::array::{coherence::Access, hold};
///
/// let (a, b) = (Array::from_vec(&[2], vec![1, 2])?, Array::from_vec(&[2], vec![10, 20])?);
/// let [of_a, of_b] = hold([a.wanted(Access::Read), b.wanted(Access::Write)])?;
/// b.write_held(of_b)?.copy_from_slice(&a.read_held(of_a)?);
/// assert_eq!(b.to_vec(), [1, 2]);
/// # Ok::<(), quasar_runtime::Error>(())
/// ```
#[inline]
pub fn hold<const N: usize>(wanted: [Wanted<'_>; N]) -> Result<[Hold<'_>; N]> {
    let mut held = [const { None }; N];
    begin(&wanted, &mut held)?;
    let mut held = held.into_iter().flatten();
    let all = std::array::from_fn(|_| held.next());
    if all.iter().any(Option::is_none) {
        return Err(Error::system("an access did not begin"));
    }
    #[allow(clippy::unwrap_used, reason = "each is there")]
    Ok(all.map(Option::unwrap))
}

/// As [`hold`], for any number.
pub(crate) fn hold_list<'a>(wanted: &[Wanted<'a>]) -> Result<Vec<Hold<'a>>> {
    let mut held: Vec<Option<Hold<'a>>> = wanted.iter().map(|_| None).collect();
    begin(wanted, &mut held)?;
    Ok(held.into_iter().flatten().collect())
}

/// Begins the accesses from the lowest address of a lock to the highest.
fn begin<'a>(wanted: &[Wanted<'a>], held: &mut [Option<Hold<'a>>]) -> Result<()> {
    // Calls have few arrays: what comes next is looked for.
    let mut done: Option<(usize, usize)> = None;
    for _ in wanted {
        let rest = wanted.iter().enumerate().map(|(k, wanted)| (wanted.address(), k));
        let Some(next) = rest.filter(|place| done.is_none_or(|done| *place > done)).min() else { break };
        done = Some(next);
        if let (Some(wanted), Some(place)) = (wanted.get(next.1), held.get_mut(next.1)) {
            *place = Some(Hold::new(wanted.lock, wanted.access)?);
        }
    }
    Ok(())
}

/// Why an access was refused.
pub(super) const BORROWED: &str = "this thread already uses the array in a way that excludes the access: \
     drop the guard returned by `read` or `write` first";

const CIRCLE: &str = "this thread and others would wait for each other for ever: each keeps a guard of an array that the next one \
     needs; drop guards before calls with other arrays, or take them in one order in all threads";

const FORKED: &str = "another thread used the array when this process was forked, and that thread is not here: fork when no \
     call is under way, or copy the array in the process that forks";

#[cold]
fn refused(refusal: Refusal) -> Error {
    let message = match refusal {
        Refusal::Own => BORROWED,
        Refusal::Circle => CIRCLE,
        Refusal::Forked => FORKED,
    };
    Error::Argument { place: Place::UNKNOWN, message: message.into() }
}
