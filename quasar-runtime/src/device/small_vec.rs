//! A small vector with inline storage, which spares launches an allocation for their argument lists.

/// A list that stores up to `N` items inline.
#[derive(Debug)]
pub(crate) struct SmallVec<T, const N: usize> {
    inline: [T; N],
    count: usize,
    /// All items, once there are more than `N`.
    spilled: Vec<T>,
}

impl<T: Copy, const N: usize> SmallVec<T, N> {
    /// An empty list. `item` only initialises the inline storage.
    pub(crate) fn new(item: T) -> SmallVec<T, N> {
        SmallVec { inline: [item; N], count: 0, spilled: Vec::new() }
    }

    pub(crate) fn push(&mut self, item: T) {
        match self.inline.get_mut(self.count) {
            Some(place) => *place = item,
            None => {
                if self.spilled.is_empty() {
                    self.spilled.extend_from_slice(&self.inline);
                }
                self.spilled.push(item);
            }
        }
        self.count += 1;
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        self.inline.get(..self.count).unwrap_or(&self.spilled)
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut T {
        if self.count <= N { self.inline.as_mut_ptr() } else { self.spilled.as_mut_ptr() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_in_order_when_they_become_many() {
        let mut few = SmallVec::<u32, 3>::new(9);
        for n in 0..7 {
            let expected: Vec<u32> = (0..n).collect();
            assert_eq!(few.as_slice(), expected);
            few.push(n);
        }
    }
}
