//! The memory of arrays that a thread allocates: freed memory is kept for the next position, which needs as much as a rule.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Memory for elements of any type.
pub(super) type Words = [Cell<u64>];

/// The most bytes of an array whose memory is kept, and of all that a thread keeps.
const KEPT_EACH: usize = 1 << 20;
const KEPT: usize = 4 << 20;

thread_local! {
    static FREE: RefCell<Free> = const { RefCell::new(Free { blocks: Vec::new(), words: 0 }) };
}

/// What a thread keeps.
struct Free {
    blocks: Vec<Rc<Box<Words>>>,
    /// Their words.
    words: usize,
}

/// Memory for so many bytes, with anything in it; nothing where there is no room.
pub(super) fn take(bytes: usize) -> Option<Rc<Box<Words>>> {
    let count = bytes.div_ceil(size_of::<u64>());
    let kept = FREE.try_with(|free| {
        let mut free = free.try_borrow_mut().ok()?;
        let fits = free.blocks.iter().rposition(|block| block.len() >= count)?;
        let block = free.blocks.swap_remove(fits);
        free.words -= block.len();
        Some(block)
    });
    kept.ok().flatten().or_else(|| {
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        words.resize(count, Cell::new(0));
        Some(Rc::new(words.into_boxed_slice()))
    })
}

/// Keeps memory that nobody uses any more, unless there is enough.
pub(super) fn give_back(block: Rc<Box<Words>>) {
    let words = block.len();
    if Rc::strong_count(&block) > 1 || words * size_of::<u64>() > KEPT_EACH {
        return;
    }
    // The thread may be about to end.
    _ = FREE.try_with(|free| {
        if let Ok(mut free) = free.try_borrow_mut()
            && (free.words + words) * size_of::<u64>() <= KEPT
        {
            free.words += words;
            free.blocks.push(block);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let block = take(800).unwrap();
        let place = block.as_ptr();
        give_back(block.clone());
        assert_ne!(take(800).unwrap().as_ptr(), place, "somebody has it");
        give_back(block);
        assert_eq!(take(792).unwrap().as_ptr(), place);
    }

    #[test]
    fn large_blocks_are_freed() {
        give_back(take(2 * KEPT_EACH).unwrap());
        FREE.with_borrow(|free| assert!(free.words * size_of::<u64>() <= KEPT));
        for k in 0..100 {
            give_back(Rc::new(vec![Cell::new(k); KEPT_EACH / 16].into_boxed_slice()));
        }
        FREE.with_borrow(|free| assert!(free.words * size_of::<u64>() <= KEPT));
    }

    #[test]
    fn there_may_be_no_room() {
        assert!(take(usize::MAX / 2).is_none());
    }
}
