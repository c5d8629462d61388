//! Addresses for all elements of an array, of which only those that are used take memory.

use crate::error::Result;
use quasar_devicelib::element::Element;
use std::marker::PhantomData;
use std::ops::Range;

/// As many elements as an array has. They are zeros until they are written, and again when they were released.
pub(crate) struct Region<T> {
    #[cfg(feature = "zarr")]
    map: Option<memmap2::MmapMut>,
    count: usize,
    element: PhantomData<T>,
}

#[cfg(feature = "zarr")]
impl<T: Element> Region<T> {
    /// Addresses for `count` elements.
    pub(crate) fn new(count: usize) -> Result<Region<T>> {
        let bytes =
            count.checked_mul(size_of::<T>()).ok_or_else(|| crate::Error::out_of_memory(None, &[count]))?;
        // Systems give no addresses without bytes.
        let map = match bytes {
            0 => None,
            bytes => {
                let map = memmap2::MmapOptions::new().len(bytes).no_reserve_swap().map_anon();
                Some(map.map_err(|_| crate::Error::out_of_memory(Some(bytes), &[count]))?)
            }
        };
        Ok(Region { map, count, element: PhantomData })
    }

    /// All elements.
    pub(crate) fn as_slice(&self) -> &[T] {
        let Some(map) = &self.map else { return &[] };
        // SAFETY: the map has bytes for `count` elements, at the begin of a page; any bytes are elements (`Element`).
        unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), self.count) }
    }

    /// All elements, to be changed.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        let Some(map) = &mut self.map else { return &mut [] };
        // SAFETY: as in `as_slice`; the region is exclusively borrowed.
        unsafe { std::slice::from_raw_parts_mut(map.as_mut_ptr().cast(), self.count) }
    }

    /// Gives the memory of some bytes back, as far as it is whole pages. They are zeros then, or what they were.
    pub(crate) fn release(&mut self, bytes: Range<usize>) {
        const PAGE: usize = 1 << 16;
        let pages = bytes.start.next_multiple_of(PAGE)..bytes.end / PAGE * PAGE;
        #[cfg(unix)]
        if let Some(map) = self.map.as_ref().filter(|map| pages.start < pages.end && pages.end <= map.len()) {
            // SAFETY: the region is exclusively borrowed, so nobody has references to elements; zeros are elements. Where the system
            // refuses, the pages stay as they are.
            let _ = unsafe {
                map.unchecked_advise_range(
                    memmap2::UncheckedAdvice::DontNeed,
                    pages.start,
                    pages.end - pages.start,
                )
            };
        }
    }
}

#[cfg(not(feature = "zarr"))]
impl<T: Element> Region<T> {
    pub(crate) fn new(count: usize) -> Result<Region<T>> {
        let _ = Region { count, element: PhantomData::<T> };
        Err(crate::Error::system("stored arrays need the feature `zarr`"))
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &[]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut []
    }

    pub(crate) fn release(&mut self, bytes: Range<usize>) {
        let _ = (bytes, self.count, self.element);
    }
}

#[cfg(all(test, feature = "zarr"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_released_is_zero_and_the_rest_stays() {
        // More than any machine has.
        let mut region = Region::<f32>::new(1 << 40).unwrap();
        let far = 1 << 39;
        region.as_mut_slice()[far..far + (1 << 20)].fill(1.0);
        region.release((far + 1000) * 4..(far + (1 << 20)) * 4);
        let elements = &region.as_slice()[far..far + (1 << 20)];
        assert!(elements[..1000].iter().all(|x| *x == 1.0));
        assert!(!cfg!(unix) || elements[1 << 17..1 << 19].iter().all(|x| *x == 0.0));
        assert!(Region::<f32>::new(0).unwrap().as_slice().is_empty());
        assert!(Region::<f64>::new(usize::MAX / 4).is_err());
    }
}
