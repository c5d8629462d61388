//! Memory of vectors that are gone, which a thread keeps for the next ones: the system takes longer to give some than it takes to
//! fill them.

use std::any::Any;
use std::cell::RefCell;

/// Vectors whose memory a thread keeps, and the most bytes of each.
const SPARES: usize = 16;
const SPARE_BYTES: usize = 2 << 20;

thread_local! {
    static SPARE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// A vector of any length with any elements.
pub(crate) fn take<T: 'static>() -> Vec<T> {
    let found = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        let place = spare.iter().position(|each| each.is::<Vec<T>>())?;
        spare.swap_remove(place).downcast::<Vec<T>>().ok()
    });
    found.ok().flatten().map(|data| *data).unwrap_or_default()
}

/// Keeps the memory of a vector, unless it is large or there is enough.
pub(crate) fn keep<T: 'static>(data: Vec<T>) {
    if data.capacity() * size_of::<T>() > SPARE_BYTES {
        return;
    }
    // A thread that ends keeps nothing.
    let _ = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() < SPARES {
            spare.push(Box::new(data));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_again_by_vectors_of_its_type() {
        let data = vec![1u32; 1000];
        let place = data.as_ptr();
        keep(data);
        assert!(take::<u64>().is_empty());
        let again = take::<u32>();
        assert_eq!(again.as_ptr(), place);
        assert!(take::<u32>().is_empty());
        keep(vec![0u8; SPARE_BYTES + 1]);
        assert!(take::<u8>().is_empty());
    }
}
