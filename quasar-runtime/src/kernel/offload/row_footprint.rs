//! Which rows of an array a part of a launch reads, from what the compiler knows of the kernel's indices.

use super::no_fault_conditions::Sum;
use super::{Arg, DeviceArray};
use quasar_devicelib::value::index::Boundary;
use std::ops::Range;

/// Rows that a row of positions reads.
#[derive(Clone, Copy, Debug)]
pub struct RowRange {
    /// The first row.
    pub low: Sum,
    /// The last row.
    pub high: Sum,
    /// What rows outside the array mean; without it nothing is read, but both ends must be numbers that `int` holds, so that
    /// indices do not wrap around.
    pub boundary: Option<Boundary>,
}

/// The bytes of an array that the positions of some rows read; `None` if these may be all.
pub(crate) fn bytes_read(
    ranges: Option<&[RowRange]>,
    array: &dyn DeviceArray,
    size: &[i32],
    args: &[Arg<'_>],
    positions: &Range<i32>,
) -> Option<Vec<Range<usize>>> {
    let count = *array.dims().first()?;
    let row = array.dims().iter().skip(1).fold(array.element_type().size(), |n, &d| n * d);
    let mut found = Vec::new();
    for range in ranges? {
        let [low, high] = ends(range, size, args, positions)?;
        if let Some(boundary) = range.boundary {
            found.extend(rows(low, high, count as i64, boundary)?);
        }
    }
    let bytes = |rows: Range<i64>| rows.start as usize * row..rows.end as usize * row;
    Some(found.into_iter().filter(|rows| !rows.is_empty()).map(bytes).collect())
}

/// The first and the last row over some rows of positions, if these are numbers that do not wrap around.
fn ends(range: &RowRange, size: &[i32], args: &[Arg<'_>], positions: &Range<i32>) -> Option<[i64; 2]> {
    // Affine forms have their extremes at the first and the last row.
    let at = |sum: &Sum, row: i32| sum.value_at(size, args, Some(row));
    let last = positions.end.checked_sub(1)?;
    let low = at(&range.low, positions.start)?.min(at(&range.low, last)?);
    let high = at(&range.high, positions.start)?.max(at(&range.high, last)?);
    let is_int = |n: i64| i32::try_from(n).is_ok();
    (is_int(low) && is_int(high)).then_some([low, high])
}

/// The rows of an array of `count` rows that the indices from `low` to `high` mean; `None` if these may be all.
fn rows(low: i64, high: i64, count: i64, boundary: Boundary) -> Option<Vec<Range<i64>>> {
    if low > high || count == 0 {
        return Some(Vec::new());
    }
    let one = |rows: Range<i64>| Some(std::iter::once(rows).collect());
    let inside = |low: i64, high: i64| low.max(0)..(high + 1).min(count).max(low.max(0));
    match boundary {
        // Indices outside read nothing; where they are errors, nothing that is computed counts.
        Boundary::Checked | Boundary::Safe | Boundary::Unchecked => one(inside(low, high)),
        Boundary::Clamped => {
            let nearest = |k: i64| k.clamp(0, count - 1);
            one(nearest(low)..nearest(high) + 1)
        }
        Boundary::Circular if high - low + 1 >= count => None,
        Boundary::Circular => {
            let (low, high) = (low.rem_euclid(count), high.rem_euclid(count));
            if low <= high { one(low..high + 1) } else { Some(vec![0..high + 1, low..count]) }
        }
        Boundary::Mirror if low < -count || high >= 2 * count => None,
        Boundary::Mirror => {
            // Row -1 is row 0, row `count` is the last one.
            let before = inside(-1 - high, -1 - low);
            let behind = inside(2 * count - 1 - high, 2 * count - 1 - low);
            Some(vec![inside(low, high), before, behind])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The row that an index means, by the definitions of the modes.
    fn meant(k: i64, count: i64, boundary: Boundary) -> Option<i64> {
        match boundary {
            Boundary::Checked | Boundary::Safe | Boundary::Unchecked => (0..count).contains(&k).then_some(k),
            Boundary::Clamped => Some(k.max(0).min(count - 1)),
            Boundary::Circular => Some((0..count).find(|row| (k - row) % count == 0).expect("a row")),
            Boundary::Mirror => {
                let mut k = k;
                while !(0..count).contains(&k) {
                    k = if k < 0 { -1 - k } else { 2 * count - 1 - k };
                }
                Some(k)
            }
        }
    }

    #[test]
    fn they_are_the_rows_that_are_read() {
        let modes = [
            Boundary::Checked,
            Boundary::Safe,
            Boundary::Circular,
            Boundary::Mirror,
            Boundary::Clamped,
            Boundary::Unchecked,
        ];
        let (mut all, mut exact) = (0, 0);
        for boundary in modes {
            for count in 1..7 {
                for low in -15..20 {
                    for high in low - 1..low + 9 {
                        let mut wanted: Vec<i64> =
                            (low..=high).filter_map(|k| meant(k, count, boundary)).collect();
                        wanted.sort_unstable();
                        wanted.dedup();
                        let Some(found) = rows(low, high, count, boundary) else {
                            all += 1;
                            continue;
                        };
                        let mut found: Vec<i64> = found.into_iter().flatten().collect();
                        found.sort_unstable();
                        found.dedup();
                        assert_eq!(found, wanted, "{low}..={high} of {count}, {boundary:?}");
                        exact += 1;
                    }
                }
            }
        }
        assert!(all > 100 && exact > 5000, "{all} {exact}");
    }
}
