//! What can go wrong at run time, and how it is said.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use quasar_devicelib::value::object::{dereference, field_of_objects};
use quasar_devicelib::value::{Detail, ErrorKind, Exception, ValueError};

/// The result of everything in the run-time system that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Where in a Quasar program something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The function or kernel, as messages show it: `blur`, `(parallel_do) blur_kernel`. Empty if unknown.
    pub function: &'static str,
    /// The source file. Empty if unknown.
    pub file: &'static str,
    /// The line, counted from 1. 0 if unknown.
    pub line: u32,
}

impl Place {
    /// A place in a source file.
    pub const fn new(function: &'static str, file: &'static str, line: u32) -> Place {
        Place { function, file, line }
    }

    /// No known place.
    pub const UNKNOWN: Place = Place::new("", "", 0);

    /// Whether nothing is known.
    pub const fn is_unknown(&self) -> bool {
        self.function.is_empty() && self.file.is_empty() && self.line == 0
    }
}

/// A run-time error. Its text names the function, the array, the index and the line as far as they are known. So does its debug text,
/// since that is what `fn main() -> quasar::Result<()>` prints.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A position outside an array, where the program asked for checks.
    #[error("{}index out of bounds: {}[{}], size {}{}", before(.place), name(.array), list(.index, ","), list(.dims, "x"), after(.place))]
    OutOfBounds {
        /// Where.
        place: Place,
        /// The name of the array in the program; empty if unknown.
        array: Cow<'static, str>,
        /// The position.
        index: Vec<i64>,
        /// The size of the array.
        dims: Vec<usize>,
    },
    /// Two sizes that do not fit together.
    #[error("{}{message}{}", before(.place), after(.place))]
    SizeMismatch {
        /// Where.
        place: Place,
        /// Which sizes of what.
        message: Cow<'static, str>,
    },
    /// An argument or a result has another size than its declaration says.
    #[error("{}size constraint violated: expected {expected}, got {}{}{}", before(.place), list(.found, "x"), of(.array), after(.place))]
    SizeConstraint {
        /// Where.
        place: Place,
        /// The name of the array in the program.
        array: Cow<'static, str>,
        /// The declared size, such as `3x3` or `:x:x3`.
        expected: Cow<'static, str>,
        /// The size of the value.
        found: Vec<usize>,
    },
    /// A number that does not fit an integer type with checks.
    #[error("{}integer overflow: {message}{}", before(.place), after(.place))]
    IntegerOverflow {
        /// Where.
        place: Place,
        /// Which number did not fit what.
        message: Cow<'static, str>,
    },
    /// More than 16 dimensions.
    #[error("{}an array has at most 16 dimensions, found {count}{}", before(.place), after(.place))]
    TooManyDimensions {
        /// Where.
        place: Place,
        /// The requested number of dimensions.
        count: usize,
    },
    /// An allocation failed, or an array is larger than the address space.
    #[error("{}out of memory: {} for {}{}", before(.place), bytes_text(*.bytes), wanted(.dims), after(.place))]
    OutOfMemory {
        /// Where.
        place: Place,
        /// How many bytes were asked for; none when the number does not fit an integer.
        bytes: Option<usize>,
        /// The size of the array; none for a text.
        dims: Vec<usize>,
    },
    /// An image file that cannot be read or written.
    #[error("{}{function}: cannot {} image '{}': {message}{}", before(.place), if *.function == "imwrite" { "write" } else { "read" }, .path.display(), after(.place))]
    ImageFile {
        /// Where.
        place: Place,
        /// `imread` or `imwrite`.
        function: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        message: String,
    },
    /// Another file that cannot be read or written.
    #[error("{}{function}: '{}': {message}{}", before(.place), .path.display(), after(.place))]
    File {
        /// Where.
        place: Place,
        /// The library function.
        function: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        message: String,
    },
    /// A failed `assert`.
    #[error("{}assertion failed: {}", before(.place), assertion(.message, .place))]
    AssertionFailed {
        /// Where.
        place: Place,
        /// The message of the program; empty if there is none.
        message: Cow<'static, str>,
    },
    /// Raised by `error(..)` in the program.
    #[error("{}{message}{}", before(.place), after(.place))]
    User {
        /// Where.
        place: Place,
        /// The message of the program.
        message: Cow<'static, str>,
    },
    /// A value of another type was expected.
    #[error("{}{message}{}", before(.place), after(.place))]
    Type {
        /// Where.
        place: Place,
        /// What was expected and what was found.
        message: Cow<'static, str>,
    },
    /// An argument has an impossible value.
    #[error("{}{message}{}", before(.place), after(.place))]
    Argument {
        /// Where.
        place: Place,
        /// Which argument of what, and what it may be.
        message: Cow<'static, str>,
    },
    /// A position that an array cannot have, where it is more than a list of numbers.
    #[error("{}{message}{}", before(.place), after(.place))]
    Index {
        /// Where.
        place: Place,
        /// Which position of what.
        message: Cow<'static, str>,
    },
    /// A variable is read where no path has set it.
    #[error("{}{message}{}", before(.place), after(.place))]
    Unset {
        /// Where.
        place: Place,
        /// Which variable.
        message: Cow<'static, str>,
    },
    /// A setting has an unknown name or value.
    #[error("setting {name}: {message}")]
    Setting {
        /// The name of the setting.
        name: String,
        /// What was found and what is allowed.
        message: String,
    },
    /// NaN or infinity, where the settings ask for checks.
    #[error("{}{} in {}[{}], size {}{}", before(.place), if *.nan { "NaN" } else { "infinity" }, name(.array), list(.index, ","), list(.dims, "x"), after(.place))]
    NotFinite {
        /// Where: the kernel, and the line of its first statement that writes the array.
        place: Place,
        /// The name of the array in the program; empty if it has none.
        array: Cow<'static, str>,
        /// Whether it is NaN.
        nan: bool,
        /// The first position of such an element.
        index: Vec<usize>,
        /// The size of the array.
        dims: Vec<usize>,
    },
    /// A device failed.
    #[error("{}device {device}: {message}{}", before(.place), after(.place))]
    Device {
        /// Where.
        place: Place,
        /// The name of the device.
        device: String,
        /// What it reported.
        message: String,
    },
    /// A device has no memory left, even after other arrays moved to the host.
    #[error("{}out of GPU memory: {} on {device}{}", before(.place), bytes_text(Some(*.bytes)), after(.place))]
    OutOfDeviceMemory {
        /// Where.
        place: Place,
        /// The name of the device.
        device: String,
        /// How many bytes were asked for.
        bytes: usize,
    },
    /// The only valid copy of an array was on a device that failed.
    #[error("{}the contents of an array of size {} are lost: the device that held them failed{}", before(.place), list(.dims, "x"), after(.place))]
    Lost {
        /// Where.
        place: Place,
        /// The size of the array.
        dims: Vec<usize>,
    },
    /// The call was cancelled.
    #[error("{}the call was cancelled{}", before(.place), after(.place))]
    Cancelled {
        /// Where.
        place: Place,
    },
    /// Anything else that the host environment reports.
    #[error("{}{message}{}", before(.place), after(.place))]
    System {
        /// Where.
        place: Place,
        /// What happened.
        message: Cow<'static, str>,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        match self.place().file {
            "" => Ok(()),
            file => write!(f, " ({file})"),
        }
    }
}

impl Error {
    /// A position outside an array.
    pub fn out_of_bounds(array: impl Into<Cow<'static, str>>, index: &[i64], dims: &[usize]) -> Error {
        let array = array.into();
        if let Some(field) = field_of_objects(&array).filter(|_| index.first().is_some_and(|at| *at < 0)) {
            return Error::from(dereference(field));
        }
        Error::OutOfBounds { place: Place::UNKNOWN, array, index: index.to_vec(), dims: dims.to_vec() }
    }

    /// Two sizes that do not fit together.
    pub fn size_mismatch(message: impl Into<Cow<'static, str>>) -> Error {
        Error::SizeMismatch { place: Place::UNKNOWN, message: message.into() }
    }

    /// An elementwise operation on arrays of two sizes.
    pub fn dimensions(a: &[usize], b: &[usize]) -> Error {
        Error::size_mismatch(format!("Dimensions do not match: {} and {}", list(a, "x"), list(b, "x")))
    }

    /// A value whose size is not the declared one.
    pub fn size_constraint(
        array: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        found: &[usize],
    ) -> Error {
        Error::SizeConstraint {
            place: Place::UNKNOWN,
            array: array.into(),
            expected: expected.into(),
            found: found.to_vec(),
        }
    }

    /// A number that does not fit an integer type.
    pub fn integer_overflow(message: impl Into<Cow<'static, str>>) -> Error {
        Error::IntegerOverflow { place: Place::UNKNOWN, message: message.into() }
    }

    /// A failed `assert`.
    pub fn assertion(message: impl Into<Cow<'static, str>>) -> Error {
        Error::AssertionFailed { place: Place::UNKNOWN, message: message.into() }
    }

    /// An error raised by the program.
    pub fn user(message: impl Into<Cow<'static, str>>) -> Error {
        Error::User { place: Place::UNKNOWN, message: message.into() }
    }

    /// A variable without a value.
    pub fn unset(message: impl Into<Cow<'static, str>>) -> Error {
        Error::Unset { place: Place::UNKNOWN, message: message.into() }
    }

    /// A value of the wrong type.
    pub fn wrong_type(message: impl Into<Cow<'static, str>>) -> Error {
        Error::Type { place: Place::UNKNOWN, message: message.into() }
    }

    /// An argument with an impossible value.
    pub fn argument(message: impl Into<Cow<'static, str>>) -> Error {
        Error::Argument { place: Place::UNKNOWN, message: message.into() }
    }

    /// A failed allocation.
    pub fn out_of_memory(bytes: Option<usize>, dims: &[usize]) -> Error {
        Error::OutOfMemory { place: Place::UNKNOWN, bytes, dims: dims.to_vec() }
    }

    /// The end of a call that was cancelled.
    pub fn cancelled() -> Error {
        Error::Cancelled { place: Place::UNKNOWN }
    }

    /// Something that the host environment reports.
    pub fn system(message: impl Into<Cow<'static, str>>) -> Error {
        Error::System { place: Place::UNKNOWN, message: message.into() }
    }

    /// The same error at a place, if its place is not known yet.
    #[must_use]
    pub fn at(mut self, new: Place) -> Error {
        if let Some(place) = self.place_mut()
            && place.is_unknown()
        {
            *place = new;
        }
        self
    }

    /// What a program that catches the error reads as its message: the words of `error(..)` alone, and for other errors
    /// the text without the name of the host function.
    pub fn message(&self) -> String {
        if let Error::User { message, place, .. } = self {
            let in_launch = place.function.starts_with('(');
            return if in_launch { format!("{} - {message}", place.function) } else { message.to_string() };
        }
        let mut shown = self.clone();
        if let Some(place) = shown.place_mut()
            && !place.function.starts_with('(')
        {
            place.function = "";
        }
        shown.to_string()
    }

    /// The exception that a program catches it as; none if it is no particular one.
    pub fn exception(&self) -> Option<Exception> {
        Some(match self {
            Error::OutOfBounds { .. } | Error::Index { .. } => Exception::Index,
            Error::SizeMismatch { .. } | Error::SizeConstraint { .. } | Error::TooManyDimensions { .. } => {
                Exception::Size
            }
            Error::IntegerOverflow { .. } => Exception::Overflow,
            Error::OutOfMemory { .. } | Error::OutOfDeviceMemory { .. } => Exception::Memory,
            Error::AssertionFailed { .. } => Exception::Assertion,
            Error::User { .. } => Exception::User,
            Error::Type { .. } => Exception::Type,
            Error::Argument { .. } | Error::Setting { .. } => Exception::Argument,
            Error::ImageFile { .. }
            | Error::File { .. }
            | Error::Device { .. }
            | Error::Lost { .. }
            | Error::System { .. } => Exception::System,
            Error::NotFinite { .. } | Error::Unset { .. } | Error::Cancelled { .. } => return None,
        })
    }

    /// Where it happened; [`Place::UNKNOWN`] if nobody said.
    pub fn place(&self) -> Place {
        self.clone().place_mut().copied().unwrap_or_default()
    }

    fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Error::OutOfBounds { place, .. }
            | Error::SizeMismatch { place, .. }
            | Error::SizeConstraint { place, .. }
            | Error::IntegerOverflow { place, .. }
            | Error::TooManyDimensions { place, .. }
            | Error::OutOfMemory { place, .. }
            | Error::ImageFile { place, .. }
            | Error::File { place, .. }
            | Error::AssertionFailed { place, .. }
            | Error::User { place, .. }
            | Error::Type { place, .. }
            | Error::Argument { place, .. }
            | Error::Index { place, .. }
            | Error::NotFinite { place, .. }
            | Error::Unset { place, .. }
            | Error::Device { place, .. }
            | Error::OutOfDeviceMemory { place, .. }
            | Error::Lost { place, .. }
            | Error::Cancelled { place }
            | Error::System { place, .. } => Some(place),
            Error::Setting { .. } => None,
        }
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Error {
        let mut place = Place::UNKNOWN;
        let message = Cow::Owned(error.text);
        match error.detail.map(|detail| *detail) {
            Some(Detail::Position { array, index, dims }) => {
                return Error::OutOfBounds { place, array: array.into(), index, dims };
            }
            Some(Detail::Memory { bytes, dims }) => return Error::OutOfMemory { place, bytes, dims },
            Some(Detail::Dimensions(count)) => return Error::TooManyDimensions { place, count },
            Some(Detail::Line(line)) => place.line = line,
            None => {}
        }
        match error.kind {
            ErrorKind::Type | ErrorKind::Unknown => Error::Type { place, message },
            ErrorKind::Shape => Error::SizeMismatch { place, message },
            ErrorKind::Argument => Error::Argument { place, message },
            ErrorKind::Index => Error::Index { place, message },
            ErrorKind::Overflow => match message.strip_prefix("integer overflow: ") {
                Some(rest) => Error::IntegerOverflow { place, message: rest.to_string().into() },
                None => Error::IntegerOverflow { place, message },
            },
            ErrorKind::User => Error::User { place, message },
            ErrorKind::Memory | ErrorKind::System => Error::System { place, message },
        }
    }
}

impl From<Error> for ValueError {
    fn from(error: Error) -> ValueError {
        let kind = match &error {
            Error::OutOfBounds { .. } | Error::Index { .. } => ErrorKind::Index,
            Error::SizeMismatch { .. } | Error::SizeConstraint { .. } | Error::TooManyDimensions { .. } => {
                ErrorKind::Shape
            }
            Error::IntegerOverflow { .. } => ErrorKind::Overflow,
            Error::OutOfMemory { .. } | Error::OutOfDeviceMemory { .. } => ErrorKind::Memory,
            Error::AssertionFailed { .. } | Error::User { .. } | Error::Unset { .. } => ErrorKind::User,
            Error::Type { .. } => ErrorKind::Type,
            Error::Argument { .. } | Error::Setting { .. } => ErrorKind::Argument,
            Error::ImageFile { .. } | Error::File { .. } | Error::NotFinite { .. } => ErrorKind::System,
            Error::Device { .. } | Error::Lost { .. } | Error::Cancelled { .. } | Error::System { .. } => {
                ErrorKind::System
            }
        };
        let value = ValueError::new(kind, error.to_string());
        // What the error is about makes the same error of it again.
        match error {
            Error::OutOfBounds { array, index, dims, .. } => {
                value.about(Detail::Position { array: array.into_owned(), index, dims })
            }
            Error::OutOfMemory { bytes, dims, .. } => value.about(Detail::Memory { bytes, dims }),
            Error::TooManyDimensions { count, .. } => value.about(Detail::Dimensions(count)),
            _ => value,
        }
    }
}

/// What there is no memory for.
fn wanted(dims: &[usize]) -> String {
    if dims.is_empty() { "a text".into() } else { format!("an array of size {}", list(dims, "x")) }
}

/// `function - `, if the function is known.
fn before(place: &Place) -> String {
    if place.function.is_empty() { String::new() } else { format!("{} - ", place.function) }
}

/// `, line 7`, if the line is known.
fn after(place: &Place) -> String {
    if place.line == 0 { String::new() } else { format!(", line {}", place.line) }
}

fn assertion(message: &str, place: &Place) -> String {
    match (message.is_empty(), place.line) {
        (true, 0) => "the condition is false".into(),
        (true, line) => format!("line {line}"),
        (false, _) => format!("{message}{}", after(place)),
    }
}

fn of(array: &str) -> String {
    if array.is_empty() { String::new() } else { format!(" for {array}") }
}

fn name(array: &str) -> &str {
    if array.is_empty() { "array" } else { array }
}

fn list<T: fmt::Display>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}

fn bytes_text(bytes: Option<usize>) -> String {
    match bytes {
        None => "more bytes than the address space has".into(),
        Some(n) if n >= 1 << 20 => format!("{} MiB ({n} bytes)", n >> 20),
        Some(n) => format!("{n} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_values_are_the_same_errors_again() {
        for error in [
            Error::out_of_memory(Some(1 << 50), &[1 << 20, 1 << 30]),
            Error::out_of_memory(None, &[]),
            Error::out_of_bounds("A", &[5, 0], &[4, 4]),
            Error::TooManyDimensions { place: Place::UNKNOWN, count: 40 },
        ] {
            let again = Error::from(ValueError::from(error.clone()));
            assert_eq!(again.to_string(), error.to_string());
            assert_eq!(again.exception(), error.exception());
        }
    }

    #[test]
    fn texts_follow_the_language_reference() {
        let kernel = |line| Place::new("(parallel_do) kernel", "x.q", line);
        assert_eq!(
            Error::assertion("").at(kernel(12)).to_string(),
            "(parallel_do) kernel - assertion failed: line 12"
        );
        assert_eq!(
            Error::out_of_bounds("A", &[5, 0], &[4, 4]).at(kernel(7)).to_string(),
            "(parallel_do) kernel - index out of bounds: A[5,0], size 4x4, line 7"
        );
        assert_eq!(
            Error::out_of_bounds("", &[-1], &[4]).to_string(),
            "index out of bounds: array[-1], size 4"
        );
        assert_eq!(
            Error::size_constraint("K", "3x3", &[2, 3]).at(Place::new("blur", "", 3)).to_string(),
            "blur - size constraint violated: expected 3x3, got 2x3 for K, line 3"
        );
        assert_eq!(
            Error::out_of_memory(Some(3 << 30), &[3, 1 << 30]).to_string(),
            "out of memory: 3072 MiB (3221225472 bytes) for an array of size 3x1073741824"
        );
    }

    #[test]
    fn the_first_place_wins() {
        let error = Error::user("no").at(Place::new("inner", "", 1)).at(Place::new("outer", "", 2));
        assert_eq!(error.place().function, "inner");
        assert_eq!(error.to_string(), "inner - no, line 1");
    }

    #[test]
    fn errors_pass_through_library_functions() {
        let error: Error = ValueError::wrong_type("x", "int", "mat").into();
        assert_eq!(error.to_string(), "x: expected int, found mat");
        assert!(matches!(error, Error::Type { .. }));
        assert_eq!(ValueError::from(Error::user("stop")).kind, ErrorKind::User);
    }

    #[test]
    fn errors_stay_small() {
        assert!(size_of::<Error>() <= 128, "{}", size_of::<Error>());
    }
}
