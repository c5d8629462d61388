//! What libraries for C are made with: arguments that other code lends for the time of a call, results that it takes over, errors as
//! numbers with a message. No panic leaves a call.
//!
//! `quasar build` prints a call of [`library!`] and one of [`function!`] for each function; the C side of the structures here stands
//! in the header that it writes.

use crate::array::{HandedOver, MAX_DIMS};
use crate::error::{Error, Result};
use crate::{Array, context};
use quasar_devicelib::element::{Element, ElementType};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// An array as C has it.
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor<T> {
    data: *mut T,
    rank: usize,
    extents: [usize; MAX_DIMS],
    read_only: i32,
    owner: *mut c_void,
}

impl<T> Default for Descriptor<T> {
    fn default() -> Self {
        let null = std::ptr::null_mut();
        Descriptor { data: null, rank: 0, extents: [0; MAX_DIMS], read_only: 0, owner: std::ptr::null_mut() }
    }
}

/// A string that C takes over: UTF-8, with a zero behind it.
#[repr(C)]
#[derive(Debug)]
pub struct OwnedText {
    data: *const c_char,
    length: usize,
    owner: *mut c_void,
}

impl Default for OwnedText {
    fn default() -> Self {
        OwnedText { data: std::ptr::null(), length: 0, owner: std::ptr::null_mut() }
    }
}

/// What a call returns; the header has the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// The results are there.
    Done = 0,
    /// The program failed.
    Failed = 1,
    /// A pointer or a size that cannot be.
    WrongArgument = 2,
    /// There is not enough memory.
    OutOfMemory = 3,
    /// A defect of the library.
    Defect = 4,
}

/// Why a call has no results.
#[derive(Debug)]
pub struct Failure {
    status: Status,
    text: String,
}

impl Failure {
    fn argument(name: &str, text: impl std::fmt::Display) -> Failure {
        Failure { status: Status::WrongArgument, text: format!("argument '{name}': {text}") }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::OutOfMemory { .. } | Error::OutOfDeviceMemory { .. } => Status::OutOfMemory,
            _ => Status::Failed,
        };
        Failure { status, text: error.to_string() }
    }
}

thread_local! {
    /// What the last call on this thread said.
    static MESSAGE: RefCell<CString> = RefCell::default();
}

fn say(text: &str) {
    let text = CString::new(text.replace('\0', "\u{2400}")).unwrap_or_default();
    // A thread that ends has no message.
    let _ = MESSAGE.try_with(|message| message.replace(text));
}

/// The message of the last call on this thread; empty if it had results. It stays until the next call.
pub fn message() -> *const c_char {
    MESSAGE.try_with(|message| message.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Does what an exported function does, and keeps errors and panics back.
pub fn call(work: impl FnOnce(&mut Loans) -> Result<(), Failure>) -> i32 {
    let work = || work(&mut Loans::default());
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let said = payload.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Err(Failure { status: Status::Defect, text: format!("the library stopped: {said}") })
    });
    let (status, text) = match &result {
        Ok(()) => (Status::Done, ""),
        Err(failure) => (failure.status, &failure.text[..]),
    };
    say(text);
    status as i32
}

/// A setting of the run-time system.
///
/// # Safety
/// As [`text`], for both.
pub unsafe fn set(name: *const c_char, value: *const c_char) -> i32 {
    call(|_| {
        // SAFETY: as the caller promises.
        let (name, value) = unsafe { (text("name", name)?, text("value", value)?) };
        Ok(context::set(&name, &value)?)
    })
}

// ------------------------------------------------------------------------------------------------- functions

/// What a function takes: how C passes it, and how it reaches the program.
pub trait Argument {
    /// As C passes it.
    type C;
    /// What is kept during the call.
    type Held;
    /// As the program takes it.
    type Rust<'a>;

    /// Takes what C passes.
    ///
    /// # Safety
    /// As [`Loans::array`] and [`text`].
    unsafe fn take(loans: &mut Loans, name: &'static str, of: Self::C) -> Result<Self::Held, Failure>;

    /// Passes it on.
    fn pass(held: &Self::Held) -> Self::Rust<'_>;
}

/// What a function gives.
pub trait Outcome {
    /// As C gets it.
    type C: Default;
    /// As the program gives it.
    type Rust;
    /// What can be given without failing.
    type Given: Into<Self::C>;

    /// Prepares it, behind the end of all loans.
    fn given(result: Self::Rust) -> Result<Self::Given, Failure>;
}

/// A number.
#[derive(Debug)]
pub struct Number<T>(T);

/// An array.
#[derive(Debug)]
pub struct Elements<T>(T);

/// A string.
#[derive(Debug)]
pub struct Letters;

impl<T: Element> Argument for Number<T> {
    type C = T;
    type Held = T;
    type Rust<'a> = T;

    unsafe fn take(_: &mut Loans, _: &'static str, of: T) -> Result<T, Failure> {
        Ok(of)
    }

    fn pass(held: &T) -> T {
        *held
    }
}

impl<T: Element> Outcome for Number<T> {
    type C = T;
    type Rust = T;
    type Given = T;

    fn given(result: T) -> Result<T, Failure> {
        Ok(result)
    }
}

impl<T: Element> Argument for Elements<T> {
    type C = *const Descriptor<T>;
    type Held = Array<T>;
    type Rust<'a> = &'a Array<T>;

    unsafe fn take(loans: &mut Loans, name: &'static str, of: Self::C) -> Result<Array<T>, Failure> {
        // SAFETY: as the caller promises.
        unsafe { loans.array(name, of) }
    }

    fn pass(held: &Array<T>) -> &Array<T> {
        held
    }
}

impl<T: Element> Outcome for Elements<T> {
    type C = Descriptor<T>;
    type Rust = Array<T>;
    type Given = HandedOver<T>;

    fn given(result: Array<T>) -> Result<HandedOver<T>, Failure> {
        Ok(result.hand_over()?)
    }
}

impl Argument for Letters {
    type C = *const c_char;
    type Held = String;
    type Rust<'a> = &'a str;

    unsafe fn take(_: &mut Loans, name: &'static str, of: Self::C) -> Result<String, Failure> {
        // SAFETY: as the caller promises.
        unsafe { text(name, of) }
    }

    fn pass(held: &String) -> &str {
        held
    }
}

impl Outcome for Letters {
    type C = OwnedText;
    type Rust = String;
    type Given = String;

    fn given(result: String) -> Result<String, Failure> {
        Ok(result)
    }
}

/// A function for C around one of the program: `symbol = path; name: Argument, ..; output result: Outcome, ..`. What is said of
/// arguments and results calls them by the texts in front of them.
#[doc(hidden)]
#[macro_export]
macro_rules! foreign_function {
    ($symbol:ident = $function:path;
     $($said:literal $name:ident: $argument:ty),*;
     $($told:literal $output:ident $result:ident: $outcome:ty),*) => {
        #[allow(clippy::missing_safety_doc, clippy::too_many_arguments, missing_docs)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol(
            $($name: <$argument as $crate::abi::foreign::Argument>::C,)*
            $($output: *mut <$outcome as $crate::abi::foreign::Outcome>::C),*
        ) -> i32 {
            #[allow(unused_imports)]
            use $crate::abi::foreign::{Argument, Outcome, Output};
            $crate::abi::foreign::call(|loans| {
                // SAFETY: the header says what callers have to keep to.
                $(let $output = unsafe { Output::new($told, $output) }?;)*
                // SAFETY: as above.
                $(let $name = unsafe { <$argument as Argument>::take(loans, $said, $name) }?;)*
                let results = $function($(<$argument as Argument>::pass(&$name)),*);
                $(drop($name);)*
                loans.end()?;
                let ($($result),*) = results?;
                // What can fail comes first, so that a call that fails gives nothing.
                $(let $result = <$outcome as Outcome>::given($result)?;)*
                $($output.set($result);)*
                Ok(())
            })
        }
    };
}

/// The functions that every library has.
#[doc(hidden)]
#[macro_export]
macro_rules! foreign_library {
    ($error:ident $free:ident $set:ident) => {
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $error() -> *const ::std::ffi::c_char {
            $crate::abi::foreign::message()
        }

        #[allow(clippy::missing_safety_doc, missing_docs)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $free(owner: *mut ::std::ffi::c_void) {
            // SAFETY: the header says what callers have to keep to.
            unsafe { $crate::abi::foreign::free(owner) }
        }

        #[allow(clippy::missing_safety_doc, missing_docs)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(
            name: *const ::std::ffi::c_char,
            value: *const ::std::ffi::c_char,
        ) -> i32 {
            // SAFETY: as above.
            unsafe { $crate::abi::foreign::set(name, value) }
        }
    };
}

pub use {foreign_function as function, foreign_library as library};

// ------------------------------------------------------------------------------------------------- arguments

/// A string that other code lends.
///
/// # Safety
/// At `start` there is a string that ends with a zero, or it is null.
pub unsafe fn text(name: &str, start: *const c_char) -> Result<String, Failure> {
    if start.is_null() {
        return Err(Failure::argument(name, "the pointer is null"));
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(start) }.to_str();
    text.map(str::to_owned).map_err(|_| Failure::argument(name, "a string is UTF-8"))
}

/// An array that is lent, whatever its elements are.
trait Lent {
    fn end(&self) -> Result<()>;
    fn freeze(&self, refusal: String) -> Result<()>;
    fn as_any(&self) -> &dyn Any;
}

impl<T: Element> Lent for Array<T> {
    fn end(&self) -> Result<()> {
        self.end_lent()
    }

    fn freeze(&self, refusal: String) -> Result<()> {
        Array::freeze(self, refusal)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The memory of an argument.
struct Loan {
    name: &'static str,
    addresses: Range<usize>,
    element: ElementType,
    /// The array, unless it is that of an argument before.
    array: Option<Box<dyn Lent>>,
}

/// The memory that a call was lent, which goes back at its end.
#[derive(Default)]
pub struct Loans(Vec<Loan>);

impl std::fmt::Debug for Loans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|loan| loan.name)).finish()
    }
}

impl Loans {
    /// An argument, without a copy. Two that lie at one place are one array; of others that overlap none can be changed.
    ///
    /// # Safety
    /// At `descriptor` there is a structure or it is null, and at its address are as many elements as its extents say, until the
    /// call is over. Nothing changes them meanwhile, and nothing but the arguments of the call reads them unless it is `read_only`.
    pub unsafe fn array<T: Element>(
        &mut self,
        name: &'static str,
        descriptor: *const Descriptor<T>,
    ) -> Result<Array<T>, Failure> {
        let wrong = |text: &dyn std::fmt::Display| Failure::argument(name, text);
        if descriptor.is_null() || !descriptor.is_aligned() {
            return Err(wrong(&"the pointer to the array is null or not aligned"));
        }
        // SAFETY: as the caller promises.
        let descriptor = unsafe { &*descriptor };
        let Some(dims) = descriptor.extents.get(..descriptor.rank).filter(|dims| !dims.is_empty()) else {
            return Err(wrong(&format_args!("it has 1 to {MAX_DIMS} dimensions, not {}", descriptor.rank)));
        };
        let start = match NonNull::new(descriptor.data) {
            Some(start) => start,
            None if dims.contains(&0) => NonNull::dangling(),
            None => return Err(wrong(&"it has elements, but its address is null")),
        };
        let count = dims.iter().try_fold(size_of::<T>(), |bytes, extent| bytes.checked_mul(*extent));
        let end = count.and_then(|bytes| start.addr().get().checked_add(bytes));
        let Some(end) = end else { return Err(wrong(&"it is larger than the memory")) };
        let addresses = start.addr().get()..end;
        let is_same =
            |loan: &&Loan| loan.addresses == addresses && loan.element == T::TYPE && loan.array.is_some();
        let same = self.0.iter().find(is_same);
        let shared = same.and_then(|loan| loan.array.as_ref()?.as_any().downcast_ref::<Array<T>>());
        let shared = shared.filter(|_| !addresses.is_empty());
        let array = match shared {
            Some(array) => array.reshape(dims)?,
            // SAFETY: as the caller promises; `end` is called when the loans are over, and what overlaps is frozen here.
            None => unsafe { Array::lent(dims, start) }.map_err(|error| wrong(&error))?,
        };
        let is_new = shared.is_none();
        let lent = is_new.then(|| Box::new(array.clone()) as Box<dyn Lent>);
        let loan = Loan { name, addresses, element: T::TYPE, array: lent };
        if descriptor.read_only != 0 {
            Array::freeze(
                &array,
                format!("the argument '{name}' is read-only, and the function changes it"),
            )?;
        }
        self.freeze_overlapping(&loan)?;
        self.0.push(loan);
        Ok(array)
    }

    /// Makes arrays read-only that have a part of their memory in common.
    fn freeze_overlapping(&self, new: &Loan) -> Result<()> {
        let overlaps = |old: &&Loan| {
            let (a, b) = (&old.addresses, &new.addresses);
            a.start.max(b.start) < a.end.min(b.end) && (a != b || old.element != new.element)
        };
        for old in self.0.iter().filter(overlaps) {
            for (one, other) in [(old, new), (new, old)] {
                let (name, other) = (one.name, other.name);
                let refusal =
                    format!("the argument '{name}' overlaps '{other}', and the function changes it");
                one.array.as_ref().map_or(Ok(()), |array| array.freeze(refusal))?;
            }
        }
        Ok(())
    }

    /// Gives all memory back. The handles that the call has are dropped before.
    pub fn end(&mut self) -> Result<(), Failure> {
        let ended: Vec<Result<()>> = self.0.drain(..).filter_map(|loan| Some(loan.array?.end())).collect();
        Ok(ended.into_iter().collect::<Result<()>>()?)
    }
}

impl Drop for Loans {
    fn drop(&mut self) {
        // A call that failed has a message already.
        let _ = self.end();
    }
}

// --------------------------------------------------------------------------------------------------- results

/// A place for a result, which holds a default until the call is done.
#[derive(Debug)]
pub struct Output<T>(NonNull<T>);

impl<T: Default> Output<T> {
    /// The place that other code has for it.
    ///
    /// # Safety
    /// At `place` there is memory for a `T` until the call is over, which nothing else uses meanwhile; or it is null.
    pub unsafe fn new(name: &str, place: *mut T) -> Result<Output<T>, Failure> {
        let Some(output) = NonNull::new(place).filter(|place| place.is_aligned()) else {
            return Err(Failure::argument(name, "the pointer for the result is null or not aligned"));
        };
        // SAFETY: as the caller promises.
        unsafe { output.write(T::default()) };
        Ok(Output(output))
    }

    /// Gives the result.
    pub fn set(self, value: impl Into<T>) {
        // SAFETY: as `new` was promised.
        unsafe { self.0.write(value.into()) };
    }
}

/// What C gives back to [`free`].
fn owner(of: Box<dyn Any + Send>) -> *mut c_void {
    Box::into_raw(Box::new(of)).cast()
}

/// Frees a result; nothing where it is null.
///
/// # Safety
/// It is the owner of a result of this library that was not freed.
pub unsafe fn free(owner: *mut c_void) {
    let owner: *mut Box<dyn Any + Send> = owner.cast();
    if !owner.is_null() {
        // SAFETY: `owner` made it, and it is freed once.
        drop(catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(owner) }))));
    }
}

impl<T> From<HandedOver<T>> for Descriptor<T> {
    fn from(given: HandedOver<T>) -> Descriptor<T> {
        let dims = given.shape.dims();
        let mut extents = [0; MAX_DIMS];
        extents.iter_mut().zip(dims).for_each(|(to, from)| *to = *from);
        Descriptor { data: given.start, rank: dims.len(), extents, read_only: 0, owner: owner(given.owner) }
    }
}

impl From<String> for OwnedText {
    fn from(text: String) -> OwnedText {
        let length = text.len();
        let mut bytes = text.into_bytes();
        bytes.push(0);
        let bytes = bytes.into_boxed_slice();
        OwnedText { data: bytes.as_ptr().cast(), length, owner: owner(Box::new(bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described<T>(elements: &mut [T], dims: &[usize], read_only: bool) -> Descriptor<T> {
        let mut extents = [0; MAX_DIMS];
        extents[..dims.len()].copy_from_slice(dims);
        let data = elements.as_mut_ptr();
        Descriptor { data, rank: dims.len(), extents, read_only: read_only.into(), ..Descriptor::default() }
    }

    fn said() -> String {
        // SAFETY: it stays until the next call.
        unsafe { CStr::from_ptr(message()) }.to_str().unwrap().to_owned()
    }

    /// Calls a function of two arrays.
    fn two<T: Element>(
        (x, y): (&Descriptor<T>, &Descriptor<T>),
        work: impl FnOnce(Array<T>, Array<T>) -> Result<()>,
    ) -> (i32, String) {
        let status = call(|lent| {
            // SAFETY: the tests use their elements behind the call.
            let (x, y) = unsafe { (lent.array("x", x)?, lent.array("y", y)?) };
            let result = work(x, y);
            lent.end()?;
            Ok(result?)
        });
        (status, said())
    }

    #[test]
    fn results_are_handed_over_and_freed() {
        let mut elements = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let x = described(&mut elements, &[2, 3], false);
        let (mut y, mut s) = (Descriptor::<f32>::default(), OwnedText::default());
        let status = call(|lent| {
            // SAFETY: as above.
            let (to, told) = unsafe { (Output::new("y", &raw mut y)?, Output::new("s", &raw mut s)?) };
            // SAFETY: as above.
            let x = unsafe { lent.array("x", &raw const x) }?;
            let result = x.copy();
            drop(x);
            lent.end()?;
            to.set(Elements::<f32>::given(result?)?);
            told.set("é\0".to_owned());
            Ok(())
        });
        assert_eq!((status, said().as_str()), (0, ""));
        assert_eq!((y.rank, &y.extents[..3]), (2, &[2, 3, 0][..]));
        // SAFETY: they are there until they are freed.
        unsafe {
            assert_eq!(*y.data.add(5), 6.0);
            assert_eq!(CStr::from_ptr(s.data).to_str(), Ok("é"));
            assert_eq!((s.length, *s.data.add(3)), (3, 0));
            free(y.owner);
            free(s.owner);
            free(std::ptr::null_mut());
        }
    }

    #[test]
    fn arguments_at_one_place_are_one_array() {
        let mut elements = [1i32, 2, 3, 4];
        let (x, y) = (described(&mut elements, &[4], false), described(&mut elements, &[2, 2], false));
        let (status, _) = two((&x, &y), |x, y| {
            x.set(&[3], 9)?;
            assert_eq!((y.dims(), y.get(&[1, 1])?), (&[2, 2][..], 9));
            Ok(())
        });
        assert_eq!((status, elements), (0, [1, 2, 3, 9]));
    }

    #[test]
    fn arguments_that_overlap_can_be_read() {
        let mut elements = [1i32, 2, 3, 4];
        let (x, y) = (described(&mut elements[..3], &[3], false), described(&mut elements[1..], &[3], false));
        let read = two((&x, &y), |x, y| {
            assert_eq!((x.to_vec(), y.to_vec()), (vec![1, 2, 3], vec![2, 3, 4]));
            Ok(())
        });
        assert_eq!(read, (0, String::new()));
        let by_value = |x: &Array<i32>| {
            let access = crate::abi::Access { name: "x", ..crate::abi::Access::default() };
            crate::abi::store(&x.to_value(), &[crate::abi::Index::All], &crate::abi::value(&9), access)
        };
        for changed in [
            two((&x, &y), |x, _| x.set(&[0], 9)),
            two((&y, &x), |_, y| y.set(&[0], 9)),
            two((&x, &y), |x, _| by_value(&x)),
        ] {
            assert_eq!(changed.0, Status::Failed as i32);
            assert!(changed.1.contains("' overlaps '"), "{}", changed.1);
        }
        assert_eq!(elements, [1, 2, 3, 4]);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let mut elements = [1i32, 2, 3, 4];
        let good = described(&mut elements, &[4], false);
        let mut none = described(&mut elements, &[], false);
        let refused = |wrong: &Descriptor<i32>| two((&good, wrong), |_, _| Ok(()));
        let wrong = Status::WrongArgument as i32;
        assert_eq!(refused(&none), (wrong, "argument 'y': it has 1 to 16 dimensions, not 0".to_owned()));
        none.rank = 17;
        assert_eq!(refused(&none).0, wrong);
        (none.rank, none.extents[0], none.data) = (1, 3, std::ptr::null_mut());
        assert_eq!(refused(&none).1, "argument 'y': it has elements, but its address is null");
        none.extents[0] = 0;
        assert_eq!(refused(&none).0, 0);
        (none.extents[0], none.data) = (usize::MAX / 2, good.data);
        assert_eq!(refused(&none).1, "argument 'y': it is larger than the memory");
        // SAFETY: null is allowed.
        let null = || call(|lent| unsafe { lent.array::<i32>("x", std::ptr::null()) }.map(drop));
        assert_eq!((null(), said().contains("is null")), (wrong, true));
        // SAFETY: null is allowed.
        assert_eq!(call(|_| unsafe { Output::<i32>::new("y", std::ptr::null_mut()) }.map(drop)), wrong);
    }

    #[test]
    fn read_only_arguments_cannot_be_changed_and_panics_stay_inside() {
        let mut elements = [1i32, 2];
        let mut other = [1i32, 2];
        let (x, y) = (described(&mut elements, &[2], true), described(&mut other, &[2], false));
        let (status, text) = two((&x, &y), |x, y| {
            y.set(&[0], x.get(&[1])?)?;
            x.set(&[0], 9)
        });
        assert_eq!((status, other), (1, [2, 2]));
        assert_eq!(text, "the argument 'x' is read-only, and the function changes it");
        let stopped = call(|_| panic!("at once"));
        assert_eq!((stopped, said().as_str()), (4, "the library stopped: at once"));
    }
}
