//! Sorting and the middle of the ascending order, by unsigned integers that are ordered as the elements are: by digits where
//! there are many.
//!
//! Sorted elements ascend, -0 stands before 0, and NaN behind everything.

use super::array;
use super::array::ArrayElement;
use super::error::ValueError;
use super::mapped::mapped;
use super::workers::{Caller, Workers, each, share};
use crate::ops::Real;
use half::f16;
use std::ops::Range;
use std::sync::Mutex;

/// Fewer elements are sorted by comparing them.
const FEW: usize = 512;
/// Fewer elements are sorted by one thread, and this many are worth a part of their own.
const GRAIN: usize = 1 << 16;

/// An unsigned integer that is sorted digit by digit.
pub trait Word: Copy + Ord + Default + Send + Sync {
    /// The digit of 8 bits that begins at a bit.
    fn digit(self, bit: u32) -> usize;
}

macro_rules! words {
    ($($word:ty),*) => {
        $(impl Word for $word {
            fn digit(self, bit: u32) -> usize {
                (self >> bit) as usize & 255
            }
        })*
    };
}
words!(u8, u16, u32, u64, u128);

/// Real numbers as integers in their order.
pub trait Ordered: ArrayElement + Real {
    /// The integers.
    type Key: Word;
    /// The bits of a key.
    const BITS: u32;
    /// The place in the order; all NaN are different ones behind everything else.
    fn key(self) -> Self::Key;
    /// The number with a key.
    fn of_key(key: Self::Key) -> Self;
    /// A key that is the same for all NaN, in front of the place of an element.
    fn ranked(self, place: usize) -> u128;
}

macro_rules! integers {
    ($($ty:ty, $key:ty;)*) => {
        $(impl Ordered for $ty {
            type Key = $key;
            const BITS: u32 = <$key>::BITS;
            fn key(self) -> $key {
                self.abs_diff(<$ty>::MIN)
            }
            fn of_key(key: $key) -> $ty {
                <$ty>::MIN.wrapping_add(key as $ty)
            }
            fn ranked(self, place: usize) -> u128 {
                u128::from(self.key()) << 64 | place as u128
            }
        })*
    };
}
integers!(i8, u8; i16, u16; i32, u32; i64, u64; u8, u8; u16, u16; u32, u32; u64, u64;);

macro_rules! floats {
    ($($ty:ty, $key:ty, $infinity:expr;)*) => {
        $(impl Ordered for $ty {
            type Key = $key;
            const BITS: u32 = <$key>::BITS;
            fn key(self) -> $key {
                // With their signs reversed, negative numbers descend; negative NaN would come first, and are moved.
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                let bits = self.to_bits();
                let ascending = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                ascending.wrapping_sub(SIGN - 1 - $infinity)
            }
            fn of_key(key: $key) -> $ty {
                const SIGN: $key = 1 << (<$key>::BITS - 1);
                let ascending = key.wrapping_add(SIGN - 1 - $infinity);
                <$ty>::from_bits(if ascending & SIGN == 0 { !ascending } else { ascending ^ SIGN })
            }
            fn ranked(self, place: usize) -> u128 {
                let key = if self.is_nan() { <$key>::MAX } else { self.key() };
                u128::from(key) << 64 | place as u128
            }
        })*
    };
}
floats!(f16, u16, 0x7C00; f32, u32, 0x7F80_0000; f64, u64, 0x7FF0_0000_0000_0000;);

/// Sorts elements in place.
pub(super) fn sort<T: Ordered>(workers: &dyn Workers, x: &mut [T]) -> Result<(), ValueError> {
    let mut keys = mapped(x, |x| x.key())?;
    sort_words(workers, &mut keys, 0..T::BITS)?;
    let keys = &keys[..x.len()];
    for i in 0..x.len() {
        x[i] = T::of_key(keys[i]);
    }
    Ok(())
}

/// The places of the elements in their ascending order; equal ones, such as all NaN, keep theirs.
pub(super) fn places<T: Ordered>(workers: &dyn Workers, x: &[T], to: &mut [i32]) -> Result<(), ValueError> {
    if T::BITS <= 32 && u32::try_from(x.len()).is_ok() {
        // The place in the lower half of a shorter word.
        let short = |word: u128| (word >> 32) as u64 & !0xFFFF_FFFF | word as u64 & 0xFFFF_FFFF;
        let mut words = mapped(x, |x| short(x.ranked(0)))?;
        (0..x.len()).for_each(|i| words[i] |= i as u64);
        sort_words(workers, &mut words, 32..32 + T::BITS)?;
        to.iter_mut().zip(words).for_each(|(place, word)| *place = word as u32 as i32);
    } else {
        let mut words = mapped(x, |x| x.ranked(0))?;
        (0..x.len()).for_each(|i| words[i] |= i as u128);
        sort_words(workers, &mut words, 64..64 + T::BITS)?;
        to.iter_mut().zip(words).for_each(|(place, word)| *place = word as i32);
    }
    Ok(())
}

/// Gives the keys of elements in ascending order to a function; nothing where there is no memory for them.
pub(crate) fn with_sorted_keys<T: Ordered, R>(
    x: impl ExactSizeIterator<Item = T>,
    then: impl FnOnce(&[T::Key]) -> R,
) -> Option<R> {
    with_keys(x, |keys| {
        if keys.len() < FEW || sort_words(&Caller, keys, 0..T::BITS).is_err() {
            keys.sort_unstable();
        }
        then(keys)
    })
}

/// The middle of the ascending order of elements, or the mean of the two there: NaN of none. Nothing where there is no memory.
pub(crate) fn median<T: Ordered>(x: impl ExactSizeIterator<Item = T>) -> Option<f64> {
    let Some(last) = x.len().checked_sub(1) else { return Some(f64::NAN) };
    let ranks = [last / 2, x.len() / 2];
    let (a, b) = with_keys(x, |keys| selected::<T>(keys, ranks))?;
    Some(between(a.to_scalar().as_f64(), b.to_scalar().as_f64()))
}

/// The number in the middle of two.
pub(super) fn between(a: f64, b: f64) -> f64 {
    if a == b { a } else { a / 2.0 + b / 2.0 }
}

/// Gives the keys of elements to a function; few of them need no allocation.
fn with_keys<T: Ordered, R>(
    x: impl ExactSizeIterator<Item = T>,
    then: impl FnOnce(&mut [T::Key]) -> R,
) -> Option<R> {
    let mut few = [T::Key::default(); 64];
    if x.len() <= few.len() {
        let keys = &mut few[..x.len()];
        keys.iter_mut().zip(x).for_each(|(key, x)| *key = x.key());
        return Some(then(keys));
    }
    let mut keys = array::reserve(x.len()).ok()?;
    keys.extend(x.map(T::key));
    Some(then(&mut keys))
}

/// Sorts words whose lower bits ascend already: by the digits in `bits`.
fn sort_words<W: Word>(workers: &dyn Workers, x: &mut [W], bits: Range<u32>) -> Result<(), ValueError> {
    if x.len() < FEW {
        x.sort_unstable();
        return Ok(());
    }
    let mut other = array::filled(W::default(), x.len())?;
    if workers.count() < 2 || x.len() < 2 * GRAIN {
        sort_digits(x, &mut other, bits);
        return Ok(());
    }
    let mut run = x.len().div_ceil(workers.count()).max(GRAIN);
    let parts = array::collect(x.len().div_ceil(run), x.chunks_mut(run).zip(other.chunks_mut(run)))?;
    each(workers, parts, &|(x, other)| sort_digits(x, other, bits.clone()));
    let mut in_place = true;
    while run < x.len() {
        let (from, to) = if in_place { (&*x, &mut other[..]) } else { (&other[..], &mut *x) };
        merge_runs(workers, from, to, run)?;
        in_place = !in_place;
        run *= 2;
    }
    if !in_place {
        x.copy_from_slice(&other);
    }
    Ok(())
}

/// Sorts by one digit after the other, beginning with the lowest one. `other` is as long as `x`.
fn sort_digits<W: Word>(x: &mut [W], other: &mut [W], bits: Range<u32>) {
    let mut in_place = true;
    for bit in bits.step_by(8) {
        let (from, to) = if in_place { (&*x, &mut *other) } else { (&*other, &mut *x) };
        let mut counts = [0usize; 256];
        from.iter().for_each(|word| counts[word.digit(bit)] += 1);
        if counts.contains(&from.len()) {
            continue;
        }
        let mut next = 0;
        for count in &mut counts {
            next += std::mem::replace(count, next);
        }
        for &word in from {
            let place = &mut counts[word.digit(bit)];
            to[*place] = word;
            *place += 1;
        }
        in_place = !in_place;
    }
    if !in_place {
        x.copy_from_slice(other);
    }
}

/// Merges each two neighbouring sorted runs of `x`.
fn merge_runs<W: Word>(workers: &dyn Workers, x: &[W], to: &mut [W], run: usize) -> Result<(), ValueError> {
    let size = share(workers, to.len(), GRAIN);
    let mut parts = array::reserve(to.len().div_ceil(2 * run) + to.len().div_ceil(size) + 1)?;
    for (pair, to) in x.chunks(2 * run).zip(to.chunks_mut(2 * run)) {
        let (a, b) = pair.split_at(run.min(pair.len()));
        for (k, to) in to.chunks_mut(size).enumerate() {
            let (first, last) = (k * size, k * size + to.len());
            let (i, j) = (taken(a, b, first), taken(a, b, last));
            parts.push((&a[i..j], &b[first - i..last - j], to));
        }
    }
    each(workers, parts, &|(a, b, to)| merge(a, b, to));
    Ok(())
}

/// How many of the first `count` merged words are from `a`, whose words come first among equal ones.
fn taken<W: Word>(a: &[W], b: &[W], count: usize) -> usize {
    let (mut low, mut high) = (count.saturating_sub(b.len()), count.min(a.len()));
    while low < high {
        let middle = low + (high - low) / 2;
        if a[middle] <= b[count - middle - 1] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn merge<W: Word>(a: &[W], b: &[W], to: &mut [W]) {
    let (mut i, mut j) = (0, 0);
    for to in to {
        let first = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => x <= y,
            (x, _) => x.is_some(),
        };
        *to = if first { a[i] } else { b[j] };
        i += usize::from(first);
        j += usize::from(!first);
    }
}

/// The element or the pair of elements in the middle of the ascending order; none of an empty slice.
pub(super) fn middle<T: Ordered>(workers: &dyn Workers, x: &[T]) -> Result<Option<(T, T)>, ValueError> {
    let Some(last) = x.len().checked_sub(1) else { return Ok(None) };
    let ranks = [last / 2, x.len() / 2];
    if x.len() < GRAIN {
        let mut keys = mapped(x, |x| x.key())?;
        return Ok(Some(selected::<T>(&mut keys, ranks)));
    }
    // The elements with the leading digits of the two, which are few.
    let top = T::BITS.saturating_sub(8);
    let counts = digit_counts(workers, x, |x| x.key().digit(top))?;
    let [(first, before), (second, _)] = ranks.map(|rank| containing(&counts, rank));
    if first != second {
        let mut keys = mapped(x, |x| x.key())?;
        return Ok(Some(selected::<T>(&mut keys, ranks)));
    }
    let mut keys = array::reserve(counts[first])?;
    for x in x {
        let key = x.key();
        if key.digit(top) == first {
            keys.push(key);
        }
    }
    let (mut keys, ranks) = narrowed(workers, keys, ranks.map(|rank| rank - before), top)?;
    Ok(Some(selected::<T>(&mut keys, ranks)))
}

/// The keys with the same digits as those of two ranks, as long as there are many and the two agree, and the ranks among them.
/// All keys agree in the digits from a bit on.
fn narrowed<K: Word>(
    workers: &dyn Workers,
    mut keys: Vec<K>,
    mut ranks: [usize; 2],
    mut bit: u32,
) -> Result<(Vec<K>, [usize; 2]), ValueError> {
    while bit > 0 && keys.len() >= GRAIN {
        bit -= 8;
        let counts = digit_counts(workers, &keys, |key| key.digit(bit))?;
        let [(first, before), (second, _)] = ranks.map(|rank| containing(&counts, rank));
        if first != second {
            break;
        }
        keys.retain(|key| key.digit(bit) == first);
        ranks = ranks.map(|rank| rank - before);
    }
    Ok((keys, ranks))
}

/// The elements with two ranks, the second of which is that of the first or the next one.
fn selected<T: Ordered>(keys: &mut [T::Key], [lower, upper]: [usize; 2]) -> (T, T) {
    let (first, second) = keys_of(keys, [lower, upper]);
    (T::of_key(first), T::of_key(second))
}

fn keys_of<K: Word>(keys: &mut [K], [lower, upper]: [usize; 2]) -> (K, K) {
    let (below, &mut second, _) = keys.select_nth_unstable(upper);
    let first = if lower == upper { second } else { below.iter().copied().max().unwrap_or(second) };
    (first, second)
}

/// How many elements have each digit.
fn digit_counts<T: Copy + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    digit: impl Fn(T) -> usize + Sync,
) -> Result<[usize; 256], ValueError> {
    let total = Mutex::new([0usize; 256]);
    let size = share(workers, x.len(), GRAIN);
    let parts = array::collect(x.len().div_ceil(size), x.chunks(size))?;
    each(workers, parts, &|x| {
        // Neighbours have the same digit often: their counts would wait for each other.
        let mut counts = [[0u32; 256]; 4];
        for part in x.chunks(u32::MAX as usize) {
            for i in 0..part.len() {
                counts[i % 4][digit(part[i])] += 1;
            }
            let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            for counts in &mut counts {
                total.iter_mut().zip(counts).for_each(|(sum, n)| *sum += std::mem::take(n) as usize);
            }
        }
    });
    Ok(total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// The digit of the element with a rank, and how many elements have lower ones.
fn containing(counts: &[usize; 256], rank: usize) -> (usize, usize) {
    let mut before = 0;
    for (digit, &count) in counts.iter().enumerate() {
        if rank < before + count {
            return (digit, before);
        }
        before += count;
    }
    (255, before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::reduce::ascending;
    use crate::value::workers::tests::Disorder;
    use std::cmp::Ordering;

    /// The order of sorted elements by its definition.
    fn defined<T: Ordered>(a: &T, b: &T) -> Ordering {
        let negative = |x: &T| x.to_scalar().as_f64().is_sign_negative();
        ascending(a, b).then_with(|| if a.is_nan() { Ordering::Equal } else { negative(b).cmp(&negative(a)) })
    }

    /// The bits of numbers, one NaN for all.
    fn bits<T: Ordered>(x: &[T]) -> Vec<String> {
        x.iter().map(|x| if x.is_nan() { "NaN".into() } else { format!("{:?}", x.to_scalar()) }).collect()
    }

    fn compare<T: Ordered>(x: &[T]) {
        let mut places_by_definition: Vec<usize> = (0..x.len()).collect();
        places_by_definition.sort_by(|&a, &b| defined(&x[a], &x[b]));
        let expected: Vec<T> = places_by_definition.iter().map(|&p| x[p]).collect();
        for threads in [1, 2, 5] {
            let workers = Disorder(threads);
            let mut sorted = x.to_vec();
            sort(&workers, &mut sorted).unwrap();
            assert_eq!(bits(&sorted), bits(&expected), "{} of {} by {threads}", x.len(), T::TYPE.name());
            let mut found = vec![0; x.len()];
            places(&workers, x, &mut found).unwrap();
            assert!(found.iter().map(|&p| p as usize).eq(places_by_definition.iter().copied()));
            let middles = middle(&workers, x).unwrap().map(|(a, b)| bits(&[a, b]));
            let expected =
                (!x.is_empty()).then(|| bits(&[expected[(x.len() - 1) / 2], expected[x.len() / 2]]));
            assert_eq!(middles, expected, "{} of {} by {threads}", x.len(), T::TYPE.name());
        }
    }

    fn many(n: usize) -> impl Iterator<Item = u64> {
        (0..n as u64).map(|i| i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23))
    }

    #[test]
    fn all_types_and_sizes_are_sorted_by_the_definition() {
        for n in [0, 1, 2, 3, 100, FEW - 1, FEW, FEW + 1, 5000] {
            compare::<u8>(&many(n).map(|x| x as u8).collect::<Vec<_>>());
            compare::<i8>(&many(n).map(|x| x as i8).collect::<Vec<_>>());
            compare::<u16>(&many(n).map(|x| x as u16).collect::<Vec<_>>());
            compare::<i16>(&many(n).map(|x| x as i16).collect::<Vec<_>>());
            compare::<u32>(&many(n).map(|x| x as u32).collect::<Vec<_>>());
            compare::<i32>(&many(n).map(|x| x as i32 % 100).collect::<Vec<_>>());
            compare::<u64>(&many(n).collect::<Vec<_>>());
            compare::<i64>(&many(n).map(|x| x as i64).collect::<Vec<_>>());
            compare::<f16>(&many(n).map(|x| f16::from_bits(x as u16)).collect::<Vec<_>>());
            compare::<f32>(&many(n).map(|x| f32::from_bits(x as u32)).collect::<Vec<_>>());
            compare::<f64>(&many(n).map(f64::from_bits).collect::<Vec<_>>());
        }
    }

    #[test]
    fn many_elements_are_sorted_by_the_definition() {
        compare::<u8>(&many(3 * GRAIN).map(|x| x as u8).collect::<Vec<_>>());
        compare::<f32>(&many(5 * GRAIN + 7).map(|x| (x >> 40) as f32 / 16.0).collect::<Vec<_>>());
        compare::<f64>(&many(2 * GRAIN + 1).map(|x| x as f64).collect::<Vec<_>>());
        compare::<i32>(&vec![-3; 2 * GRAIN + 1]);
        let halves: Vec<i32> =
            (0..4 * GRAIN as i32).map(|i| if i < 2 * GRAIN as i32 { 5 } else { 1 << 30 }).collect();
        compare::<i32>(&halves);
    }

    #[test]
    fn signs_of_zeros_infinities_and_nan() {
        let nan = f32::NAN;
        compare(&[
            3.0,
            nan,
            -0.0,
            0.0,
            -nan,
            f32::INFINITY,
            -0.0,
            f32::NEG_INFINITY,
            f32::MIN_POSITIVE,
            -1e-45,
        ]);
        compare(&[nan, -nan, nan]);
        compare(&[0.0f64, -0.0]);
        assert_eq!(middle(&Caller, &[5.0, 1.0, 3.0, 2.0]).unwrap(), Some((2.0, 3.0)));
        assert_eq!(middle::<i32>(&Caller, &[]).unwrap(), None);
        for x in [0x7FC0_0001u32, 0xFFC0_0001, 0x7F80_0001, 0x8000_0000, 1] {
            assert_eq!(f32::of_key(f32::from_bits(x).key()).to_bits(), x);
        }
    }
}
