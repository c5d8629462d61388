//! Image filters for Rust programs, written in Quasar.
//!
//! Users of this crate need not know Quasar: they call Rust functions.
//!
//! ```
//! use quasar::Array;
//! use quasar_example_filters::{contrast, edges};
//!
//! # fn main() -> quasar::Result<()> {
//! let image = Array::from([[0.0f32, 0.0, 9.0], [0.0, 0.0, 9.0], [0.0, 0.0, 9.0]]);
//! let (marks, count) = edges::edges(&image, 10.0)?;
//! assert_eq!(count, 6);
//! assert_eq!(marks.get(&[0, 0])?, 0.0);
//!
//! let image = contrast(&image, 0.0, 1.0)?;
//! assert_eq!(image.get(&[0, 2])?, 1.0);
//! # Ok(())
//! # }
//! ```

/// Edges of gray images, from the file `edges.q`.
pub mod edges {
    quasar::quasar_file!("src/edges.q");
}

quasar::quasar! {
    // Stretches the values of an image to the range from `low` to `high`.
    function result : mat = contrast(image : mat, low : scalar, high : scalar)
        least = min(image)
        most = max(image)
        if most > least
            result = low + (image - least) * ((high - low) / (most - least))
        else
            result = low + 0 * image
        endif
    endfunction
}

#[cfg(test)]
mod tests {
    use super::*;
    use quasar::Array;

    // Code that only the tests need may be Quasar as well.
    quasar::quasar! {
        function image : mat = ramp(height : int, width : int)
            image = zeros(height, width)
            for y = 0..height - 1
                for x = 0..width - 1
                    image[y, x] = x
                endfor
            endfor
        endfunction

        function [] = check_range(image : mat, low : scalar, high : scalar)
            assert(min(image) >= low, "too dark")
            assert(max(image) <= high, "too bright")
        endfunction
    }

    #[test]
    fn contrast_uses_the_whole_range() -> quasar::Result<()> {
        let image = contrast(&ramp(3, 5)?, -1.0, 1.0)?;
        assert_eq!(image.read()[..5], [-1.0, -0.5, 0.0, 0.5, 1.0]);
        check_range(&image, -1.0, 1.0)?;
        let error = check_range(&image, 0.0, 1.0).unwrap_err();
        assert!(error.to_string().contains("too dark"), "{error}");
        Ok(())
    }

    #[test]
    fn contrast_of_a_plain_image_is_its_least() -> quasar::Result<()> {
        let image = contrast(&Array::filled(&[2, 2], 7.0)?, 3.0, 4.0)?;
        assert_eq!(image.to_vec(), [3.0; 4]);
        Ok(())
    }
}
