//! Boxes of elements, copied between row-major arrays.

/// A row-major array and the place in it where a box begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner<'a> {
    pub(crate) dims: &'a [u64],
    pub(crate) at: &'a [u64],
}

impl Corner<'_> {
    /// The number of the element at some distance from the corner.
    fn element(&self, distance: &[u64]) -> usize {
        let places = self.dims.iter().zip(self.at).zip(distance);
        places.fold(0, |sum, ((&dim, &at), &more)| sum * dim as usize + (at + more) as usize)
    }
}

/// Copies a box of elements of `size` bytes each; boxes lie inside of both arrays. False where they do not.
pub(crate) fn copy(
    extent: &[u64],
    size: usize,
    (source, from): (&[u8], Corner<'_>),
    (target, to): (&mut [u8], Corner<'_>),
) -> bool {
    let Some((&row, outer)) = extent.split_last() else { return false };
    if extent.contains(&0) {
        return true;
    }
    let bytes = row as usize * size;
    let mut distance = vec![0; extent.len()];
    loop {
        let (first, second) = (from.element(&distance) * size, to.element(&distance) * size);
        let (Some(read), Some(written)) =
            (source.get(first..first + bytes), target.get_mut(second..second + bytes))
        else {
            return false;
        };
        written.copy_from_slice(read);
        if !advance(&mut distance, outer) {
            return true;
        }
    }
}

/// The next place within an extent, the last dimension first; false behind the last one.
pub(crate) fn advance(place: &mut [u64], extent: &[u64]) -> bool {
    for (at, &end) in place.iter_mut().zip(extent).rev() {
        *at += 1;
        if *at < end {
            return true;
        }
        *at = 0;
    }
    false
}
