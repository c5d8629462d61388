//! How many rows of positions a strip has: as many as the memory allows, so that chunks are written as a whole.

use std::ops::Range;

/// Chooses the positions of the next strip, from `rows.start` on: as many as `bytes` says fit the `budget`. Where the rows that they
/// write end in a chunk of `unit` rows, fewer, if that ends at its border. None where one row of positions does not fit.
pub(crate) fn next_strip(
    rows: Range<i32>,
    budget: usize,
    bytes: &dyn Fn(Range<i32>) -> Option<usize>,
    written_end: &dyn Fn(Range<i32>) -> Option<usize>,
    unit: usize,
) -> Option<Range<i32>> {
    let fits = |end: i32| bytes(rows.start..end).is_some_and(|bytes| bytes <= budget);
    let (mut fitting, mut too_many) = (rows.start, rows.end.checked_add(1)?);
    if fits(rows.end) {
        fitting = rows.end;
    }
    while fitting < rows.end && too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        if fits(middle) { fitting = middle } else { too_many = middle }
    }
    if fitting == rows.start {
        return None;
    }
    let end = if fitting == rows.end { fitting } else { at_border(rows.start..fitting, written_end, unit) };
    Some(rows.start..end)
}

/// The end of a strip, moved back to where a chunk ends.
fn at_border(strip: Range<i32>, written_end: &dyn Fn(Range<i32>) -> Option<usize>, unit: usize) -> i32 {
    let beyond = |end: i32| written_end(strip.start..end).map(|rows| rows % unit.max(1));
    let Some(Ok(excess)) = beyond(strip.end).map(i32::try_from) else { return strip.end };
    let end = strip.end - excess;
    if end > strip.start && beyond(end) == Some(0) { end } else { strip.end }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strips of a launch that reads `halo` rows above and below and writes its own rows.
    fn strips(rows: i32, budget: usize, halo: i32, unit: usize) -> Option<Vec<Range<i32>>> {
        let bytes = |strip: Range<i32>| {
            let read = (strip.end + halo).min(rows) - (strip.start - halo).max(0);
            usize::try_from(read + strip.end - strip.start).ok()
        };
        let end = |strip: Range<i32>| usize::try_from(strip.end).ok();
        let mut found = Vec::new();
        let mut at = 0;
        while at < rows {
            let strip = next_strip(at..rows, budget, &bytes, &end, unit)?;
            assert!(bytes(strip.clone()).unwrap() <= budget && !strip.is_empty() && strip.start == at);
            at = strip.end;
            found.push(strip);
        }
        Some(found)
    }

    #[test]
    fn strips_fit_the_budget_and_end_with_chunks() {
        assert_eq!(strips(10, 100, 2, 4).unwrap(), vec![0..10]);
        // 6 rows each and a halo of 2 below, 4 inside.
        assert_eq!(strips(20, 16, 2, 1).unwrap(), vec![0..7, 7..13, 13..20]);
        assert_eq!(strips(20, 16, 2, 4).unwrap(), vec![0..4, 4..8, 8..12, 12..16, 16..20]);
        // Chunks that are higher than what fits are written in pieces.
        assert_eq!(strips(20, 16, 2, 100).unwrap(), strips(20, 16, 2, 1).unwrap());
        assert_eq!(strips(5, 6, 2, 1).unwrap(), vec![0..2, 2..3, 3..5]);
        assert_eq!(strips(5, 5, 2, 1), None);
    }

    #[test]
    fn any_launch_is_covered_or_refused() {
        for (rows, budget, halo, unit) in
            (0..4000).map(|k| (k % 37, k as usize % 51, k % 5, 1 + k as usize % 9))
        {
            if let Some(found) = strips(rows, budget, halo, unit) {
                assert_eq!(found.iter().map(|strip| strip.end - strip.start).sum::<i32>(), rows);
            } else {
                assert!(budget < (1 + 2 * halo + 1) as usize);
            }
        }
    }

    #[test]
    fn unknown_rows_make_no_strips() {
        assert_eq!(next_strip(0..9, 100, &|_| None, &|_| None, 1), None);
        assert_eq!(
            next_strip(0..9, 5, &|strip| usize::try_from(strip.end - strip.start).ok(), &|_| None, 4),
            Some(0..5)
        );
    }
}
