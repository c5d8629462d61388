//! Elements that lanes gather along one dimension of an array: those of neighbouring lanes mostly lie close together, as where an
//! image is resized. A few registers then hold all of them, and one permutation of these replaces a load for each lane.

use super::access::Access;
use super::mode::Mode;
use super::vector::MAX_LANES;
use super::view::View;
use crate::element::Element;
use crate::isa::{Isa, Lanes};

/// The places of lanes along a dimension, with what is known of the lanes that are permuted at a time.
#[derive(Clone, Copy, Debug)]
pub struct Places<const L: usize> {
    lanes: [i32; L],
    /// The least place of each register of lanes.
    low: [i32; MAX_LANES / 8],
    /// The least and the greatest place, and the greatest of `low`.
    least: i32,
    most: i32,
    latest: i32,
    /// How far the lanes of a register are apart, at most.
    span: u32,
    /// The lanes of a register, if all of each lie between its first and its last one; otherwise zero.
    together: usize,
}

impl<const L: usize> Places<L> {
    /// Looks at the places of lanes.
    #[inline(always)]
    pub fn new<I: Isa>(lanes: [i32; L]) -> Places<L> {
        let count = width::<I>();
        let low = [0; MAX_LANES / 8];
        let (least, most, latest) = (i32::MAX, i32::MIN, i32::MIN);
        let mut places = Places { lanes, low, least, most, latest, span: 0, together: 0 };
        if registers::<I>() == 0 || !L.is_multiple_of(count) {
            return places;
        }
        let mut ordered = true;
        for k in 0..L / count {
            let register = &lanes[k * count..][..count];
            let (low, high) = (register[0].min(register[count - 1]), register[0].max(register[count - 1]));
            let span = high.wrapping_sub(low) as u32;
            places.low[k] = low;
            places.least = places.least.min(low);
            places.most = places.most.max(high);
            places.latest = places.latest.max(low);
            places.span = places.span.max(span);
            let mut apart = 0_u32;
            for &place in register {
                apart = apart.max(place.wrapping_sub(low) as u32);
            }
            ordered &= apart <= span;
        }
        places.together = if ordered { count } else { 0 };
        places
    }
}

impl<T: Element, const N: usize, const PART: bool> View<'_, T, N, PART> {
    /// For each of `K` shifts and `L` lanes the element whose index along the dimension `AXIS` is the sum of the shift, of the index
    /// in `at` and of the place of the lane. The other indices are the same for all lanes. Elements out of range are what the mode
    /// says (zero where it says nothing).
    #[inline(always)]
    pub fn gather<I: Isa, M: Mode, const AXIS: usize, const L: usize, const K: usize>(
        &self,
        at: [i32; N],
        shifts: [i32; K],
        places: &Places<L>,
    ) -> [[T; L]; K] {
        let mut found = [[T::default(); L]; K];
        if size_of::<T>() == 4
            && let Some(row) = self.line_of::<M, AXIS>(at)
            && let Some(near) = Near::of::<I, L, K>(places, (at[AXIS], shifts), row, self.elements().len())
        {
            for k in 0..K {
                let shift = i64::from(at[AXIS]) + i64::from(shifts[k]);
                choose::<I, T, L>(self.elements(), (row, shift), near, places, &mut found[k]);
            }
            return found;
        }
        for (found, shift) in found.iter_mut().zip(shifts) {
            for (element, place) in found.iter_mut().zip(places.lanes) {
                let mut at = at;
                at[AXIS] = at[AXIS].wrapping_add(shift).wrapping_add(place);
                *element = self.get::<M>(at);
            }
        }
        found
    }
}

/// The elements along one dimension: the offset of the first, their number, and how far they are apart.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub(super) offset: usize,
    pub(super) count: i32,
    pub(super) stride: usize,
}

/// So many registers, each of which begins at the least place of its lanes, lie inside of the array and hold the elements of all lanes.
#[derive(Clone, Copy)]
struct Near {
    registers: usize,
}

impl Near {
    /// `None` if an index is out of range, or if the elements are too far apart. `shift` is added to all `shifts`.
    #[inline(always)]
    fn of<I: Isa, const L: usize, const K: usize>(
        places: &Places<L>,
        (shift, shifts): (i32, [i32; K]),
        row: Along,
        elements: usize,
    ) -> Option<Near> {
        let (mut low, mut high) = (i32::MAX, i32::MIN);
        for shift in shifts {
            (low, high) = (low.min(shift), high.max(shift));
        }
        let (low, high) = (i64::from(shift) + i64::from(low), i64::from(shift) + i64::from(high));
        let inside =
            i64::from(places.least) + low >= 0 && i64::from(places.most) + high < i64::from(row.count);
        let (lanes, most) = (width::<I>(), registers::<I>());
        let registers = (places.span as usize).saturating_mul(row.stride) / lanes + 1;
        if places.together != lanes || !inside || registers > most {
            return None;
        }
        let end = row.offset + (i64::from(places.latest) + high) as usize * row.stride + registers * lanes;
        if end <= elements { Some(Near { registers }) } else { None }
    }
}

/// Writes the elements of four bytes at the places of the lanes, which are so far from the first of a row.
#[inline(always)]
fn choose<I: Isa, T: Element, const L: usize>(
    all: &[T],
    (row, shift): (Along, i64),
    near: Near,
    places: &Places<L>,
    out: &mut [T; L],
) {
    let (all, out) = (numbers(all), numbers_mut(out));
    let lanes = width::<I>();
    for k in 0..L / lanes {
        let offset = row.offset + (i64::from(places.low[k]) + shift) as usize * row.stride;
        let from = &all[offset..][..near.registers * lanes];
        let (own, out) = (&places.lanes[k * lanes..][..lanes], &mut out[k * lanes..][..lanes]);
        I::Single::choose(from, own, (places.low[k], row.stride as i32), out);
    }
}

/// The lanes of a register.
#[inline(always)]
fn width<I: Isa>() -> usize {
    <I::Single as Lanes<f32>>::COUNT
}

/// Registers of elements from which lanes choose at most.
#[inline(always)]
fn registers<I: Isa>() -> usize {
    <I::Single as Lanes<f32>>::CHOICE
}

/// Elements of four bytes as numbers, which are only copied.
#[inline(always)]
fn numbers<T: Element>(all: &[T]) -> &[f32] {
    assert!(size_of::<T>() == size_of::<f32>() && align_of::<T>() >= align_of::<f32>());
    // SAFETY: elements are bytes without padding, of which every pattern is a number.
    unsafe { std::slice::from_raw_parts(all.as_ptr().cast(), all.len()) }
}

/// As [`numbers`].
#[inline(always)]
fn numbers_mut<T: Element>(all: &mut [T]) -> &mut [f32] {
    assert!(size_of::<T>() == size_of::<f32>() && align_of::<T>() >= align_of::<f32>());
    // SAFETY: as for `numbers`; every pattern is an element, too.
    unsafe { std::slice::from_raw_parts_mut(all.as_mut_ptr().cast(), all.len()) }
}

#[cfg(test)]
mod tests {
    use super::super::{Circular, Clamped, Mirror, Safe};
    use super::*;
    use crate::isa::{Baseline, Body, Level, dispatch, limit};

    const SHIFTS: [i32; 3] = [2, -1, 0];

    struct Gathering<'a, const AXIS: usize, M> {
        view: View<'a, f32, 3>,
        at: [i32; 3],
        places: &'a [i32; 32],
        mode: std::marker::PhantomData<M>,
    }

    impl<const AXIS: usize, M: Mode> Body for Gathering<'_, AXIS, M> {
        type Output = [[f32; 32]; 3];

        #[inline(always)]
        fn run<I: Isa>(self) -> [[f32; 32]; 3] {
            self.view.gather::<I, M, AXIS, 32, 3>(self.at, SHIFTS, &Places::new::<I>(*self.places))
        }
    }

    fn compare<const AXIS: usize, M: Mode>(view: View<'_, f32, 3>, at: [i32; 3], places: &[i32; 32]) {
        let one = |shift: i32, place: i32| {
            let mut at = at;
            at[AXIS] = at[AXIS].wrapping_add(place).wrapping_add(shift);
            view.get::<M>(at)
        };
        let expected = SHIFTS.map(|shift| places.map(|place| one(shift, place)));
        let baseline = Places::new::<Baseline>(*places);
        assert_eq!(view.gather::<Baseline, M, AXIS, 32, 3>(at, SHIFTS, &baseline), expected);
        for level in [Level::Avx2, Level::Avx512] {
            limit(level);
            let mode = std::marker::PhantomData::<M>;
            let found = dispatch(Gathering::<AXIS, M> { view, at, places, mode });
            assert_eq!(found, expected, "{level:?} {at:?} {places:?}");
        }
    }

    #[test]
    fn gathered_elements_are_those_of_single_loads() {
        let data: Vec<f32> = (0..5 * 300 * 3).map(|k| k as f32).collect();
        let rows = View::<f32, 3>::new(&data, &[5, 3, 300]);
        let pixels = View::<f32, 3>::new(&data, &[5, 300, 3]);
        for step in [-7.3, -1.0, -0.4, 0.0, 0.3, 1.0, 1.4, 2.73, 4.1, 6.0, 11.0, 1e6] {
            for start in [-5.0, 0.0, 3.0, 120.0, 240.0, 290.0, 2e9] {
                let mut places = std::array::from_fn(|k| (start + step * k as f64) as i32);
                for shift in [-1, 0, 2] {
                    for row in [-1, 0, 2, 4, 5] {
                        compare::<2, Clamped>(rows, [row, 1, shift], &places);
                        compare::<2, Mirror>(rows, [row, 2, shift], &places);
                        compare::<2, Safe>(rows, [row, 0, shift], &places);
                        compare::<2, Circular>(rows, [row, 3, shift], &places);
                        compare::<1, Clamped>(pixels, [row, shift, 2], &places);
                        compare::<1, Safe>(pixels, [row, shift, 1], &places);
                    }
                }
                // One lane is elsewhere.
                places[13] = 77;
                places[20] = i32::MIN;
                compare::<2, Clamped>(rows, [4, 2, 1], &places);
            }
        }
        compare::<2, Clamped>(View::new(&[], &[0, 3, 300]), [0, 0, 0], &[0; 32]);
        compare::<2, Clamped>(View::new(&[], &[5, 3, 0]), [0, 0, 0], &[0; 32]);
    }
}
