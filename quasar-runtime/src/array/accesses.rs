//! Accesses that begin together.
//!
//! Two calls with the same arrays in another order would wait for each other if each took its arrays one by one and waited in
//! between. So a call says what it wants and gets all accesses at once.
//!
//! Where one array is written and also read by another name, the read is of a copy, which is made when the accesses have begun and
//! before anything is written: so no other thread changes the array in between.

use super::coherence::Access;
use super::lock::{self, AccessLock, Refusal, Request};
use crate::error::{Error, Place, Result};
use std::any::Any;
use std::sync::Arc;

/// The elements of an array, whatever their type.
pub(super) trait Stored: Any + Send + Sync {
    /// Who may use them.
    fn lock(&self) -> &AccessLock;
    /// A copy of them where they are, for a thread that has an access to them.
    fn duplicate(&self) -> Result<Arc<dyn Stored>>;
}

/// An access that is to begin.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    of: &'a dyn Stored,
    access: Access,
}

impl<'a> Wanted<'a> {
    #[inline]
    pub(super) fn new(of: &'a dyn Stored, access: Access) -> Wanted<'a> {
        Wanted { of, access }
    }

    fn is_exclusive(&self) -> bool {
        self.access != Access::Read
    }

    fn request(&self) -> Request<'a> {
        Request { lock: self.of.lock(), exclusive: self.is_exclusive() }
    }
}

impl std::fmt::Debug for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.access.fmt(f)
    }
}

/// An access to the elements of an array, for as long as it lives. The thread that began it ends it.
pub struct Hold<'a> {
    lock: &'a AccessLock,
    exclusive: bool,
    /// Whether other accesses of the thread to the same elements may have begun with it.
    aliased: bool,
    /// What is read instead of the array: this access is to the copy.
    copy: Option<Arc<dyn Stored>>,
    not_send: std::marker::PhantomData<std::sync::MutexGuard<'static, ()>>,
}

impl<'a> Hold<'a> {
    #[inline]
    pub(super) fn new(lock: &'a AccessLock, access: Access) -> Result<Hold<'a>> {
        let exclusive = access != Access::Read;
        lock::begin(&[Request { lock, exclusive }]).map_err(refused)?;
        Ok(Hold::begun(lock, exclusive, false))
    }

    /// An exclusive access if nobody uses the elements.
    pub(super) fn try_exclusive(lock: &'a AccessLock) -> Option<Hold<'a>> {
        lock.try_exclude().then(|| Hold::begun(lock, true, false))
    }

    fn begun(lock: &'a AccessLock, exclusive: bool, aliased: bool) -> Hold<'a> {
        Hold { lock, exclusive, aliased, copy: None, not_send: std::marker::PhantomData }
    }

    /// A shared access to a copy of an array, which stands for the array.
    fn of_copy(lock: &'a AccessLock, copy: Arc<dyn Stored>) -> Result<Hold<'a>> {
        lock::begin(&[Request { lock: copy.lock(), exclusive: false }]).map_err(refused)?;
        let not_send = std::marker::PhantomData;
        Ok(Hold { lock, exclusive: false, aliased: false, copy: Some(copy), not_send })
    }

    /// The same shared access once more.
    pub(crate) fn again(&self) -> Result<Hold<'a>> {
        match &self.copy {
            Some(copy) => Hold::of_copy(self.lock, Arc::clone(copy)),
            None if self.exclusive => Err(Error::system("an exclusive access cannot begin twice")),
            None => {
                self.lock.enter_again(false);
                Ok(Hold::begun(self.lock, false, false))
            }
        }
    }

    /// What is read instead of the array, if that is a copy.
    #[inline]
    pub(super) fn copy<S: Stored>(&self) -> Option<&S> {
        let copy: &dyn Any = &**self.copy.as_ref()?;
        copy.downcast_ref()
    }

    /// As [`Hold::copy`], with the ownership of it.
    pub(super) fn owned_copy<S: Stored>(&self) -> Option<Arc<S>> {
        let copy: Arc<dyn Any + Send + Sync> = self.copy.clone()?;
        copy.downcast().ok()
    }

    /// Refuses to use an access for another array, or for more than was asked for.
    #[inline]
    pub(super) fn check(&self, lock: &AccessLock, access: Access) -> Result<()> {
        if std::ptr::eq(self.lock, lock) && (self.exclusive || access == Access::Read) && !self.aliased {
            return Ok(());
        }
        Err(Error::system("an access that was begun for another array or another use"))
    }

    /// As [`Hold::check`], for elements that the thread may reach by several names. Says whether they may be changed.
    pub(super) fn check_aliased(&self, lock: &AccessLock) -> Result<bool> {
        if std::ptr::eq(self.lock, lock) && self.aliased {
            return Ok(self.exclusive);
        }
        Err(Error::system("an access that was begun for another array or another use"))
    }
}

impl std::fmt::Debug for Hold<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (exclusive, copied) = (self.exclusive, self.copy.is_some());
        f.debug_struct("Hold").field("exclusive", &exclusive).field("copied", &copied).finish()
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        match &self.copy {
            Some(copy) => copy.lock().end_share(),
            None if self.exclusive => self.lock.end_exclude(),
            None => self.lock.end_share(),
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
    hold_as(wanted, false)
}

/// As [`hold`], where the arrays may share elements: [`Array::cells_held`](super::Array::cells_held) reaches them.
pub fn hold_aliased<const N: usize>(wanted: [Wanted<'_>; N]) -> Result<[Hold<'_>; N]> {
    hold_as(wanted, true)
}

#[inline]
fn hold_as<const N: usize>(wanted: [Wanted<'_>; N], aliased: bool) -> Result<[Hold<'_>; N]> {
    let mut held = [const { None }; N];
    begin(&wanted, &mut wanted.map(|wanted| wanted.request()), &mut held, aliased)?;
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
    let mut requests: Vec<Request<'a>> = wanted.iter().map(Wanted::request).collect();
    let mut held: Vec<Option<Hold<'a>>> = wanted.iter().map(|_| None).collect();
    begin(wanted, &mut requests, &mut held, false)?;
    Ok(held.into_iter().flatten().collect())
}

/// Begins all accesses. `requests` are those of `wanted`.
fn begin<'a>(
    wanted: &[Wanted<'a>],
    requests: &mut [Request<'a>],
    held: &mut [Option<Hold<'a>>],
    aliased: bool,
) -> Result<()> {
    requests.sort_unstable_by_key(Request::address);
    let count = merge(requests);
    let requests = requests.get(..count).unwrap_or_default();
    lock::begin(requests).map_err(refused)?;
    // From here on what has begun is ended by its hold.
    let alone = count == wanted.len();
    for (place, wanted) in held.iter_mut().zip(wanted).filter(|_| alone) {
        *place = Some(Hold::begun(wanted.of.lock(), wanted.is_exclusive(), aliased));
    }
    if alone { Ok(()) } else { begin_shared_out(wanted, requests, held, aliased) }
}

/// As [`begin`], where locks that have begun are of several accesses: one of them is that of the lock, others come besides.
#[cold]
fn begin_shared_out<'a>(
    wanted: &[Wanted<'a>],
    requests: &[Request<'a>],
    held: &mut [Option<Hold<'a>>],
    aliased: bool,
) -> Result<()> {
    for request in requests {
        let is_it = |wanted: &Wanted<'a>| {
            std::ptr::eq(wanted.of.lock(), request.lock) && wanted.is_exclusive() == request.exclusive
        };
        if let Some(place) = wanted.iter().position(is_it).and_then(|k| held.get_mut(k)) {
            *place = Some(Hold::begun(request.lock, request.exclusive, aliased));
        }
    }
    for (k, wanted) in wanted.iter().enumerate() {
        if held.get(k).is_some_and(Option::is_some) {
            continue;
        }
        let lock = wanted.of.lock();
        let first = held.iter().flatten().find(|hold| std::ptr::eq(hold.lock, lock) && hold.copy.is_none());
        let hold = match first {
            Some(first) if aliased => {
                lock.enter_again(first.exclusive);
                Hold::begun(lock, first.exclusive, aliased)
            }
            Some(first) if !first.exclusive => first.again()?,
            Some(_) if !wanted.is_exclusive() => Hold::of_copy(lock, wanted.of.duplicate()?)?,
            _ => return Err(Error::argument(TWICE)),
        };
        if let Some(place) = held.get_mut(k) {
            *place = Some(hold);
        }
    }
    Ok(())
}

/// Puts one request in the place of all that are for one lock. They stand beside each other; says how many are left.
fn merge(requests: &mut [Request<'_>]) -> usize {
    let mut count = 0_usize;
    for k in 0..requests.len() {
        let Some(&request) = requests.get(k) else { break };
        match count.checked_sub(1).and_then(|last| requests.get_mut(last)) {
            Some(last) if std::ptr::eq(last.lock, request.lock) => last.exclusive |= request.exclusive,
            _ => {
                if let Some(place) = requests.get_mut(count) {
                    *place = request;
                }
                count += 1;
            }
        }
    }
    count
}

/// Why several accesses were refused.
const TWICE: &str =
    "one array for two parameters that the kernel writes, which takes them for different arrays";

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
