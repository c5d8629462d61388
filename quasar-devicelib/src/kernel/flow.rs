//! Small helpers of generated kernel code: loop ranges, the interior columns of a row, checked conversions, and
//! operations on small arrays.

use super::fault::{Fault, FaultKind, Site};
use super::mode::Mode;
use crate::element::{Element, Scalar};
use crate::isa::Isa;
use crate::ops::{ConvertError, ConvertTo, Float, Number};
use crate::small;
use crate::value::sequence;

/// The columns whose accesses at offsets `low..=high` stay inside every extent.
#[inline(always)]
pub fn inside(reaches: &[(i32, i32, i32)]) -> (i32, i32) {
    let (mut first, mut end) = (0_i64, i64::from(i32::MAX));
    for &(extent, low, high) in reaches {
        first = first.max(-i64::from(low));
        end = end.min(i64::from(extent) - i64::from(high));
    }
    (first.min(i64::from(i32::MAX)) as i32, end.max(0) as i32)
}

/// The inclusive range `from..to`, also if `to` is the largest `int`.
#[inline(always)]
pub fn upto(from: i32, to: i32) -> impl Iterator<Item = i32> {
    (i64::from(from)..i64::from(to) + 1).map(|k| k as i32)
}

/// The inclusive range `from..step..to` of `int`; empty for a step of zero.
#[inline(always)]
pub fn steps(from: i32, step: i32, to: i32) -> impl Iterator<Item = i32> {
    let distance = i64::from(to) - i64::from(from);
    let count = if step == 0 || (distance != 0 && (distance < 0) != (step < 0)) {
        0
    } else {
        distance / i64::from(step) + 1
    };
    (0..count).map(move |k| (i64::from(from) + k * i64::from(step)) as i32)
}

/// The inclusive range `from..step..to` of other integers; empty for a step of zero.
pub fn wide_steps(from: i64, step: i64, to: i64) -> impl Iterator<Item = i64> {
    let count = sequence::count_integers(from, step, to).unwrap_or(0);
    (0..count).map(move |k| from.wrapping_add((k as i64).wrapping_mul(step)))
}

/// The inclusive range `from..step..to` of floats, as [`sequence::sequence`] computes it; empty for a step of zero.
pub fn float_steps<T: Number>(from: T, step: T, to: T) -> impl Iterator<Item = T> {
    let real = |x: T| x.to_scalar().as_f64();
    let count = sequence::count_floats(real(from), real(step), real(to)).unwrap_or(0);
    (0..count).map(move |k| {
        let k = T::from_scalar(Scalar::from_i64(k as i64, T::TYPE)).unwrap_or_default();
        from.add(k.multiply(step))
    })
}

/// Converts; a value out of range is a fault.
#[inline(always)]
pub fn narrow<T: ConvertTo<U>, U: Element>(value: T, fault: &Fault, site: Site) -> U {
    try_narrow(value, fault, site).unwrap_or_else(|| value.wrapping())
}

/// As [`narrow`]; `None` out of range.
#[inline(always)]
pub fn try_narrow<T: ConvertTo<U>, U: Element>(value: T, fault: &Fault, site: Site) -> Option<U> {
    let converted = value.checked();
    if converted.is_none() {
        overflow(fault, site, value.to_scalar(), U::TYPE);
    }
    converted
}

/// As [`try_narrow`]; the quick form notes a value out of range in `odd` instead of raising a fault.
#[inline(always)]
pub fn narrow_or<const QUICK: bool, T: ConvertTo<U>, U: Element>(
    value: T,
    odd: &mut u32,
    fault: &Fault,
    site: Site,
) -> Option<U> {
    if !QUICK {
        return try_narrow(value, fault, site);
    }
    Some(narrow_quick(value, odd))
}

/// The quick form of [`narrow_or`].
#[inline(always)]
pub fn narrow_quick<T: ConvertTo<U>, U: Element>(value: T, odd: &mut u32) -> U {
    *odd = (*odd).max(value.odd());
    // The same where it is in range, and no branch.
    value.saturating()
}

#[cold]
#[inline(never)]
fn overflow(fault: &Fault, site: Site, value: crate::element::Scalar, to: crate::element::ElementType) {
    fault.raise(site, FaultKind::Overflow(ConvertError { value, target: to }.to_string()));
}

/// Loads a component of a small array; zero if the mode maps the index to no element.
#[inline(always)]
pub fn pick<M: Mode, T: Element, const N: usize, const R: usize>(
    array: &[T; N],
    dims: [i32; R],
    index: [i32; R],
) -> T {
    place::<M, R>(dims, index).and_then(|k| array.get(k)).copied().unwrap_or_default()
}

/// Stores a component of a small array; a no-op if the mode maps the index to no element.
#[inline(always)]
pub fn set<M: Mode, T: Element, const N: usize, const R: usize>(
    array: &mut [T; N],
    dims: [i32; R],
    index: [i32; R],
    value: T,
) {
    if let Some(element) = place::<M, R>(dims, index).and_then(|k| array.get_mut(k)) {
        *element = value;
    }
}

/// Raises a fault if an index is outside a small array; returns whether it is inside.
#[inline(always)]
pub fn guard<const R: usize>(dims: [i32; R], index: [i32; R], fault: &Fault, site: Site) -> bool {
    let inside = (0..R).all(|k| index[k] >= 0 && index[k] < dims[k]);
    if !inside {
        fault.out_of_bounds(site, &index, &dims);
    }
    inside
}

#[inline(always)]
fn place<M: Mode, const R: usize>(dims: [i32; R], index: [i32; R]) -> Option<usize> {
    let mut offset = 0_usize;
    for k in 0..R {
        let i = M::map(index[k], dims[k]);
        if i < 0 {
            return None;
        }
        offset = offset * dims[k] as usize + i as usize;
    }
    Some(offset)
}

/// Elementwise function.
#[inline(always)]
pub fn map1<A: Copy, B, const N: usize>(a: [A; N], f: impl Fn(A) -> B) -> [B; N] {
    a.map(f)
}

/// Elementwise function of two arrays.
#[inline(always)]
pub fn map2<A: Copy, B: Copy, C, const N: usize>(a: [A; N], b: [B; N], f: impl Fn(A, B) -> C) -> [C; N] {
    std::array::from_fn(|k| f(a[k], b[k]))
}

/// Elementwise function of three arrays.
#[inline(always)]
pub fn map3<A: Copy, B: Copy, C: Copy, D, const N: usize>(
    a: [A; N],
    b: [B; N],
    c: [C; N],
    f: impl Fn(A, B, C) -> D,
) -> [D; N] {
    std::array::from_fn(|k| f(a[k], b[k], c[k]))
}

/// Left fold over all components.
#[inline(always)]
pub fn reduce<T: Copy, const N: usize>(array: [T; N], start: T, combine: impl Fn(T, T) -> T) -> T {
    array.into_iter().fold(start, combine)
}

/// What the lanes of a loop found, combined in halves. A call, which finds them in memory: inlined, the optimiser would sort the lanes
/// of the loop before into the pairs of the last halves.
#[inline(never)]
pub fn reduce_lanes<T: Copy, const N: usize>(
    lanes: &[T; N],
    start: T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    let (mut lanes, mut half) = (*lanes, N / 2);
    while half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(a, b)| *a = combine(*a, *b));
        half /= 2;
    }
    lanes.first().map_or(start, |all| combine(start, *all))
}

/// Splits row-major elements into the rows of a matrix.
#[inline(always)]
pub fn rows<T: Element, const R: usize, const C: usize, const COUNT: usize>(flat: [T; COUNT]) -> [[T; C]; R] {
    std::array::from_fn(|r| std::array::from_fn(|c| flat.get(r * C + c).copied().unwrap_or_default()))
}

/// Flattens the rows of a matrix into row-major elements.
#[inline(always)]
pub fn flat<T: Element, const R: usize, const C: usize, const COUNT: usize>(rows: [[T; C]; R]) -> [T; COUNT] {
    std::array::from_fn(|k| {
        rows.get(k / C.max(1)).and_then(|row| row.get(k % C.max(1))).copied().unwrap_or_default()
    })
}

/// The Euclidean norm.
#[inline(always)]
pub fn norm<I: Isa, T: Float, const N: usize>(x: [T; N]) -> T {
    crate::ops::sqrt::<I, T>(small::dot(x, x))
}

#[cfg(test)]
mod tests {
    use super::super::{Mirror, Safe};
    use super::*;

    #[test]
    fn the_quick_form_of_a_conversion_notes_what_does_not_fit() {
        use crate::ops::{ConvertTo, ODD};
        let fault = Fault::new();
        fn agrees<T: ConvertTo<i32>>(value: T, fault: &Fault) -> bool {
            let mut odd = 0;
            let quick: Option<i32> = narrow_or::<true, T, i32>(value, &mut odd, fault, ("", 1));
            // What is odd is computed again.
            odd >= ODD || value.checked() == quick
        }
        let limit = 2_147_483_648.0_f64;
        let near = [
            0.0,
            -0.5,
            1.5,
            limit - 1.0,
            limit - 0.5,
            limit,
            limit + 1.0,
            1e10,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for x in near.into_iter().flat_map(|x| [x, -x]) {
            assert!(
                agrees(x, &fault) && agrees(x as f32, &fault) && agrees(half::f16::from_f64(x), &fault),
                "{x}"
            );
        }
        for x in [0_i64, -1, i64::from(i32::MAX), i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1, i64::MIN]
        {
            assert!(agrees(x, &fault), "{x}");
        }
        let mut odd = 0;
        let ordinary =
            [3.7_f32, -2e9, 2e9, 0.0].map(|x| narrow_or::<true, _, i32>(x, &mut odd, &fault, ("", 1)));
        assert!(ordinary == [3, -2_000_000_000, 2_000_000_000, 0].map(Some) && odd < ODD);
        assert!(!fault.is_set(), "the quick form raises nothing");
        narrow_or::<false, _, i32>(3e9_f32, &mut odd, &fault, ("", 1));
        assert!(fault.is_set());
    }

    #[test]
    fn the_quick_form_of_a_load_notes_what_is_outside() {
        use super::super::View;
        use crate::ops::ODD;
        let (data, fault) = ([1, 2, 3, 4, 5, 6], Fault::new());
        let view = View::<i32, 2>::new(&data, &[2, 3]);
        let odd = |view: &View<'_, i32, 2>, at| {
            let mut odd = 0;
            let found = view.checked_or::<true>(view.elements(), at, &mut odd, &fault, ("x", 1));
            found.filter(|_| odd < ODD)
        };
        assert_eq!([[0, 0], [0, 2], [1, 1]].map(|at| odd(&view, at)), [Some(1), Some(3), Some(5)]);
        for at in [[-1, 0], [0, -1], [2, 0], [0, 3], [i32::MIN, 0], [0, i32::MAX], [i32::MAX, i32::MIN]] {
            assert_eq!(odd(&view, at), None);
        }
        assert_eq!(odd(&View::new(&[], &[0, 3]), [0, 0]), None);
        assert!(!fault.is_set());
        view.checked_or::<false>(view.elements(), [0, 3], &mut 0, &fault, ("x", 1));
        assert!(fault.is_set());
    }

    #[test]
    fn elements_as_an_argument_are_the_same() {
        use super::super::{Access, Circular, Clamped, Mirror, Mode, Safe, Unchecked, View};
        fn agree<M: Mode>(view: &View<'_, i32, 2>, at: [i32; 2]) {
            assert_eq!(view.get_in::<M>(view.elements(), at), view.get::<M>(at), "{at:?}");
        }
        let data = [1, 2, 3, 4, 5, 6];
        for view in [View::<i32, 2>::new(&data, &[2, 3]), View::new(&[], &[0, 3])] {
            for at in (-4..7).flat_map(|m| (-4..7).map(move |n| [m, n])) {
                agree::<Clamped>(&view, at);
                agree::<Mirror>(&view, at);
                agree::<Circular>(&view, at);
                agree::<Safe>(&view, at);
            }
        }
        agree::<Unchecked>(&View::new(&data, &[2, 3]), [1, 2]);
    }

    #[test]
    fn ranges_include_both_ends() {
        assert_eq!(upto(2, 4).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(upto(2, 1).count(), 0);
        assert_eq!(steps(5, -2, 0).collect::<Vec<_>>(), [5, 3, 1]);
        assert_eq!(steps(0, 3, 7).collect::<Vec<_>>(), [0, 3, 6]);
        assert_eq!(steps(0, -1, 7).count(), 0);
        assert_eq!(steps(4, -1, 4).count(), 1);
        assert_eq!(float_steps(0.0, 0.1, 1.0).count(), 11);
        assert_eq!(float_steps(0.0_f32, 0.1, 1.0).nth(3), Some(3.0 * 0.1_f32));
    }

    #[test]
    fn ranges_may_end_at_the_limits_of_their_type() {
        let (least, most) = (i32::MIN, i32::MAX);
        assert_eq!(upto(most - 1, most).collect::<Vec<_>>(), [most - 1, most]);
        assert_eq!(upto(least, least + 1).collect::<Vec<_>>(), [least, least + 1]);
        assert_eq!(upto(most, least).count(), 0);
        assert_eq!(steps(most - 3, 2, most).collect::<Vec<_>>(), [most - 3, most - 1]);
        assert_eq!(steps(least + 1, -1, least).collect::<Vec<_>>(), [least + 1, least]);
        assert_eq!(steps(-2_000_000_000, 2_000_000_000, 2_000_000_000).count(), 3);
        assert_eq!(wide_steps(i64::MAX - 1, 1, i64::MAX).collect::<Vec<_>>(), [i64::MAX - 1, i64::MAX]);
        assert_eq!(wide_steps(3, -2, -1).collect::<Vec<_>>(), [3, 1, -1]);
        assert_eq!(wide_steps(3, 0, 5).count(), 0);
    }

    #[test]
    fn borders_are_where_some_access_leaves() {
        assert_eq!(inside(&[(10, -1, 2), (9, 0, 0)]), (1, 8));
        assert_eq!(inside(&[]).0, 0);
    }

    #[test]
    fn small_arrays_follow_the_mode() {
        let a = [1, 2, 3, 4, 5, 6];
        assert_eq!(pick::<Safe, _, 6, 2>(&a, [2, 3], [1, 2]), 6);
        assert_eq!(pick::<Safe, _, 6, 2>(&a, [2, 3], [2, 0]), 0);
        assert_eq!(pick::<Mirror, _, 6, 2>(&a, [2, 3], [2, -1]), 4);
    }
}
