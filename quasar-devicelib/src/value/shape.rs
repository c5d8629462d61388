//! Rules about dimensions: normalisation, views of lower dimensionality, sizes of slices.

use super::error::ValueError;

/// No array has more dimensions than this.
pub const MAX_DIMS: usize = 16;

/// `3x4`.
pub fn dims_text(dims: &[usize]) -> String {
    dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// The product of the extents; an error if it overflows or there are too many dimensions.
pub fn count(dims: &[usize]) -> Result<usize, ValueError> {
    if dims.len() > MAX_DIMS {
        return Err(ValueError::too_many_dimensions(dims.len()));
    }
    if dims.contains(&0) {
        return Ok(0);
    }
    dims.iter()
        .try_fold(1usize, |product, &d| product.checked_mul(d))
        .filter(|&n| n <= isize::MAX as usize / 16)
        .ok_or_else(|| ValueError::too_large(dims))
}

/// The dimensions of a constructor called with an argument list: trailing 1s beyond the second are dropped.
pub fn constructed(dims: &[usize]) -> Vec<usize> {
    let mut dims = dims.to_vec();
    if dims.is_empty() {
        dims.push(1);
    }
    while dims.len() > 2 && dims.last() == Some(&1) {
        dims.pop();
    }
    dims
}

/// The same shape with at least `rank` dimensions: a vec is one row, further extents are 1.
pub fn raised(dims: &[usize], rank: usize) -> Vec<usize> {
    let mut result = Vec::with_capacity(rank.max(dims.len()));
    if dims.len() == 1 && rank >= 2 {
        result.push(1);
    }
    result.extend_from_slice(dims);
    while result.len() < rank {
        result.push(1);
    }
    result
}

/// The same elements with exactly `rank` dimensions: more of them as by [`raised`], fewer where the others are 1, and a
/// single row or column as a vec. Nothing where that is impossible.
pub fn viewed(dims: &[usize], rank: usize) -> Option<Vec<usize>> {
    match dims.split_at_checked(rank) {
        None => Some(raised(dims, rank)),
        Some((kept, surplus)) if surplus.iter().all(|&n| n == 1) => Some(kept.to_vec()),
        Some(_) if rank == 1 && dims.iter().filter(|&&n| n != 1).count() <= 1 => {
            Some(vec![dims.iter().product()])
        }
        Some(_) => None,
    }
}

/// Whether two arrays have one shape under the view rule: a vec of N elements is a 1xN matrix, trailing 1s mean
/// nothing.
pub fn same(a: &[usize], b: &[usize]) -> bool {
    if a == b {
        return true;
    }
    let rank = a.len().max(b.len()).max(2);
    raised(a, rank) == raised(b, rank)
}

/// The dimensions of an elementwise combination of two arrays.
pub fn combined(a: &[usize], b: &[usize]) -> Result<Vec<usize>, ValueError> {
    if !same(a, b) {
        return Err(ValueError::dimensions(a, b));
    }
    Ok(if a.len() >= b.len() { a.to_vec() } else { b.to_vec() })
}

/// Whether the extents other than 1 agree in order: the condition for assigning to a slice.
pub fn assignable(target: &[usize], source: &[usize]) -> bool {
    target.iter().filter(|&&d| d != 1).eq(source.iter().filter(|&&d| d != 1))
}

/// The dimensions of a slice: `scalar[k]` says that dimension k was indexed by one number. Such dimensions have
/// extent 1; leading ones are dropped (one dimension stays), trailing ones with number 2 or more also.
pub fn sliced(dims: &[usize], scalar: &[bool]) -> Vec<usize> {
    let mut end = dims.len();
    while end > 2 && scalar[end - 1] {
        end -= 1;
    }
    let start = scalar[..end].iter().take_while(|&&s| s).count().min(end.saturating_sub(1));
    dims[start..end].to_vec()
}

/// The dimensions of a reduction along dimension `k` of an array of `dims`.
pub fn reduced(dims: &[usize], k: usize) -> Vec<usize> {
    if dims.len() == 1 {
        return vec![1];
    }
    let extents: Vec<usize> = dims.iter().enumerate().map(|(d, &n)| if d == k { 1 } else { n }).collect();
    let scalar: Vec<bool> = (0..dims.len()).map(|d| d == k).collect();
    sliced(&extents, &scalar)
}

/// Row-major steps between neighbours along each dimension.
pub fn strides(dims: &[usize]) -> Vec<usize> {
    let mut steps = vec![1usize; dims.len()];
    for k in (1..dims.len()).rev() {
        steps[k - 1] = steps[k].saturating_mul(dims[k]);
    }
    steps
}

/// Splits the dimensions around `k`: how many blocks, the extent of `k`, how many elements per step along it.
pub fn around(dims: &[usize], k: usize) -> (usize, usize, usize) {
    let outer = dims[..k].iter().product();
    let inner = dims[k + 1..].iter().product();
    (outer, dims[k], inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_drop_trailing_ones() {
        assert_eq!(constructed(&[5, 4, 1]), [5, 4]);
        assert_eq!(constructed(&[5, 1]), [5, 1]);
        assert_eq!(constructed(&[1, 4]), [1, 4]);
        assert_eq!(constructed(&[7]), [7]);
    }

    #[test]
    fn a_vec_is_a_row() {
        assert_eq!(raised(&[3], 2), [1, 3]);
        assert_eq!(raised(&[3], 3), [1, 3, 1]);
        assert_eq!(raised(&[2, 3], 3), [2, 3, 1]);
        assert!(same(&[3], &[1, 3]));
        assert!(!same(&[3], &[3, 1]));
        assert_eq!(combined(&[3], &[1, 3]).unwrap(), [1, 3]);
        assert_eq!(combined(&[3, 4], &[3, 5]).unwrap_err().text, "Dimensions do not match: 3x4 and 3x5");
    }

    #[test]
    fn slices_have_the_documented_shapes() {
        let cases: &[(&[usize], &[bool], &[usize])] = &[
            (&[1, 5], &[true, false], &[5]),
            (&[4, 1], &[false, true], &[4, 1]),
            (&[4, 5, 1], &[false, false, true], &[4, 5]),
            (&[1, 5, 6], &[true, false, false], &[5, 6]),
            (&[1, 1, 6], &[true, true, false], &[6]),
            (&[1, 5, 1], &[true, false, true], &[5]),
            (&[4, 1, 1], &[false, true, true], &[4, 1]),
            (&[4, 1, 6], &[false, true, false], &[4, 1, 6]),
        ];
        for (dims, scalar, expected) in cases {
            assert_eq!(sliced(dims, scalar), *expected);
        }
        assert_eq!(reduced(&[4, 5], 0), [5]);
        assert_eq!(reduced(&[4, 5], 1), [4, 1]);
        assert_eq!(reduced(&[4, 5, 6], 0), [5, 6]);
        assert_eq!(reduced(&[4, 5, 6], 1), [4, 1, 6]);
        assert_eq!(reduced(&[4, 5, 6], 2), [4, 5]);
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(count(&[usize::MAX, 2]).is_err());
        assert!(count(&[1; 17]).is_err());
        assert_eq!(count(&[usize::MAX, 0]).unwrap(), 0);
    }
}
