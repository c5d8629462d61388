//! Conversion of numbers and of array elements between number types.

#[cfg(feature = "library")]
mod arrays;

#[cfg(feature = "library")]
pub(super) use arrays::truths;
#[cfg(feature = "library")]
pub use arrays::{convert, convert_data, convert_items, elements_as, numbers};

use super::error::{ErrorKind, ValueError};
use crate::element::{ElementType, Overflow, Scalar};
use crate::ops::ConvertError;

/// One number in another type.
pub fn convert_scalar(x: Scalar, to: ElementType, overflow: Overflow) -> Result<Scalar, ValueError> {
    if x.element_type() == to {
        return Ok(x);
    }
    if x.element_type().is_complex() && !to.is_complex() {
        let text = format!("a complex number does not fit {}; write real(x) for its real part", to.name());
        return Err(ValueError::new(ErrorKind::Type, text));
    }
    x.convert(to, overflow).map_err(does_not_fit)
}

fn does_not_fit(error: ConvertError) -> ValueError {
    ValueError::new(ErrorKind::Overflow, format!("integer overflow: {error}"))
}
