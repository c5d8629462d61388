//! Vectors of what a function makes of each element. The loop counts: iterators that are collected are a dozen functions for each
//! function and type of elements, and there are hundreds of these.

#![allow(unsafe_code, reason = "elements are written where nothing was")]

use super::array;
use super::error::ValueError;

/// What `f` makes of each element, or an error where there is no memory.
pub(super) fn mapped<T: Copy, U: Copy>(x: &[T], f: impl Fn(T) -> U) -> Result<Vec<U>, ValueError> {
    let mut y = array::reserve(x.len())?;
    let room = &mut y.spare_capacity_mut()[..x.len()];
    for i in 0..x.len() {
        room[i].write(f(x[i]));
    }
    // SAFETY: there is room for so many elements, and the loop wrote all of them; they have no drop code that a panic of `f` would miss.
    unsafe { y.set_len(x.len()) };
    Ok(y)
}

/// What `f` makes of the elements of two slices, of which the shorter one counts, behind what is there already. There must be room.
#[cfg(feature = "library")]
pub(super) fn extend_zipped<T: Copy, U: Copy>(y: &mut Vec<U>, a: &[T], b: &[T], f: &impl Fn(T, T) -> U) {
    let count = a.len().min(b.len());
    let (a, b) = (&a[..count], &b[..count]);
    let room = &mut y.spare_capacity_mut()[..count];
    for i in 0..count {
        room[i].write(f(a[i], b[i]));
    }
    // SAFETY: there was room for so many elements, and the loop wrote all of them.
    unsafe { y.set_len(y.len() + count) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_elements_are_made_once() {
        for n in [0, 1, 17, 1000] {
            let x: Vec<i32> = (0..n).collect();
            let mut y = mapped(&x, |x| f64::from(x) / 2.0).unwrap();
            assert!(y.iter().copied().eq((0..n).map(|x| f64::from(x) / 2.0)));
            y.reserve(x.len());
            extend_zipped(&mut y, &x, &x[..x.len().min(3)], &|a, b| f64::from(a + b));
            assert!(y[x.len()..].iter().copied().eq((0..n.min(3)).map(|x| f64::from(2 * x))));
        }
    }
}
