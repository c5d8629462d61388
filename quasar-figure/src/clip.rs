//! Which parts of curves and bars lie inside of axes: what lies outside is not drawn, rather than moved to the edge.

/// A part of the plane: least and largest x, least and largest y.
pub(crate) type Limits = [f64; 4];
/// Where a point is.
type Point = (f64, f64);

/// Whether a point is finite and lies inside or on the edge.
pub(crate) fn contains([x0, x1, y0, y1]: Limits, (x, y): Point) -> bool {
    (x0..=x1).contains(&x) && (y0..=y1).contains(&y)
}

/// The parts of a curve inside of the limits. It is interrupted where a coordinate is not finite.
pub(crate) fn curve(points: &[Point], limits: Limits) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    // Whether the last part reaches the next segment.
    let mut open = false;
    for (&from, &to) in points.iter().zip(points.iter().skip(1)) {
        let Some((start, end)) = segment(from, to, limits) else {
            open = false;
            continue;
        };
        match parts.last_mut().filter(|_| open) {
            Some(part) => part.push(end),
            None => parts.push(vec![start, end]),
        }
        open = end == to;
    }
    parts
}

/// The points of a curve inside of the limits that no segment reaches, since their neighbours are not finite, or there are none.
pub(crate) fn alone(points: &[Point], limits: Limits) -> impl Iterator<Item = Point> {
    let finite = |at: Option<usize>| {
        at.and_then(|at| points.get(at)).is_some_and(|(x, y)| x.is_finite() && y.is_finite())
    };
    let single = move |k: usize| !finite(k.checked_sub(1)) && !finite(k.checked_add(1));
    points
        .iter()
        .enumerate()
        .filter(move |&(k, &point)| contains(limits, point) && single(k))
        .map(|(_, &point)| point)
}

/// The part of a segment inside of the limits (Liang and Barsky).
fn segment(from: Point, to: Point, [x0, x1, y0, y1]: Limits) -> Option<(Point, Point)> {
    // Half of the difference, which is finite where the ends are.
    let (dx, dy) = (to.0 / 2.0 - from.0 / 2.0, to.1 / 2.0 - from.1 / 2.0);
    if !dx.is_finite() || !dy.is_finite() {
        return None;
    }
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    let sides =
        [(-dx, from.0, x0, -1.0), (dx, from.0, x1, 1.0), (-dy, from.1, y0, -1.0), (dy, from.1, y1, 1.0)];
    for (towards, start, side, sign) in sides {
        let room = sign * (side / 2.0 - start / 2.0);
        if towards == 0.0 && room < 0.0 {
            return None;
        }
        if towards > 0.0 {
            leaves = leaves.min(room / towards);
        } else if towards < 0.0 {
            enters = enters.max(room / towards);
        }
    }
    let at = |t: f64| match t {
        0.0 => from,
        1.0 => to,
        // Rounding may leave the limits again.
        _ => ((from.0 + 2.0 * dx * t).clamp(x0, x1), (from.1 + 2.0 * dy * t).clamp(y0, y1)),
    };
    (enters <= leaves).then(|| (at(enters), at(leaves)))
}

/// The part of a rectangle inside of the limits.
pub(crate) fn rectangle([a, b]: [Point; 2], [x0, x1, y0, y1]: Limits) -> Option<[Point; 2]> {
    let low = (a.0.min(b.0).max(x0), a.1.min(b.1).max(y0));
    let high = (a.0.max(b.0).min(x1), a.1.max(b.1).min(y1));
    (low.0 <= high.0 && low.1 <= high.1).then_some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Limits = [0.0, 1.0, 0.0, 1.0];

    #[test]
    fn curves_inside_stay_as_they_are() {
        let points = [(0.0, 0.0), (0.5, 1.0), (1.0, 0.25)];
        assert_eq!(curve(&points, UNIT), [points.to_vec()]);
        assert_eq!(curve(&points[..1], UNIT), [[(0.0, 0.0); 0]; 0]);
    }

    #[test]
    fn curves_end_at_the_edge_and_come_back() {
        let points = [(0.0, 0.5), (0.5, 1.5), (1.0, 0.5)];
        assert_eq!(curve(&points, UNIT), [[(0.0, 0.5), (0.25, 1.0)], [(0.75, 1.0), (1.0, 0.5)]]);
        // Both ends outside, the middle inside; and beside all of it.
        assert_eq!(curve(&[(-1.0, -1.0), (2.0, 2.0)], UNIT), [[(0.0, 0.0), (1.0, 1.0)]]);
        assert!(curve(&[(-1.0, 0.5), (0.5, 2.5)], UNIT).is_empty());
        assert!(curve(&[(0.0, 2.0), (1.0, 2.0)], UNIT).is_empty());
    }

    #[test]
    fn numbers_that_are_not_finite_interrupt_and_large_ones_do_not() {
        let nan = f64::NAN;
        let points =
            [(0.0, 0.0), (0.5, 0.5), (0.6, nan), (0.7, 0.5), (0.8, f64::INFINITY), (0.9, 0.1), (1.0, 0.1)];
        assert_eq!(curve(&points, UNIT), [[(0.0, 0.0), (0.5, 0.5)], [(0.9, 0.1), (1.0, 0.1)]]);
        let steep = curve(&[(0.5, -f64::MAX), (0.5, f64::MAX)], UNIT);
        assert!(steep.iter().flatten().all(|&point| contains(UNIT, point)) && steep.len() == 1, "{steep:?}");
        assert!(!contains(UNIT, (nan, 0.5)) && contains(UNIT, (1.0, 0.0)));
    }

    #[test]
    fn rectangles_are_cut_or_left_out() {
        assert_eq!(rectangle([(0.5, 0.0), (2.0, -3.0)], UNIT), Some([(0.5, 0.0), (1.0, 0.0)]));
        assert_eq!(rectangle([(0.5, 0.0), (0.6, 3.0)], UNIT), Some([(0.5, 0.0), (0.6, 1.0)]));
        assert_eq!(rectangle([(1.5, 0.0), (1.6, 0.5)], UNIT), None);
    }
}
