//! Array extents: raised rank, broadcasting, dimensions dropped by indexing, and spelling in messages.

use super::{ArrayType, Rank};

/// Extents; `None` for unknown ones.
pub type Sizes = Vec<Option<u32>>;

/// The extents under a higher rank: a vec(N) is 1×N, a mat M×N is M×N×1.
pub fn raise(sizes: &[Option<u32>], rank: usize) -> Sizes {
    let mut result = sizes.to_vec();
    if result.len() == 1 && rank > 1 {
        result.insert(0, Some(1));
    }
    while result.len() < rank {
        result.push(Some(1));
    }
    result
}

/// Unifies two extents that must be equal; `None` if they are known to differ.
pub fn same_size(a: Option<u32>, b: Option<u32>) -> Option<Option<u32>> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => None,
        (Some(a), _) => Some(Some(a)),
        (None, b) => Some(b),
    }
}

/// The shape of an elementwise operation on two arrays; `None` if known extents differ.
pub fn combine(a: &ArrayType, b: &ArrayType) -> Option<(Rank, Sizes)> {
    let (Some(left), Some(right)) = (a.known_rank(), b.known_rank()) else {
        return Some((Rank::Any, Vec::new()));
    };
    let rank = left.max(right);
    let sizes: Option<Sizes> =
        raise(&a.sizes, rank).into_iter().zip(raise(&b.sizes, rank)).map(|(a, b)| same_size(a, b)).collect();
    Some((Rank::Known(rank as u8), sizes?))
}

/// `3x4`, with `:` for unknown extents; a vector of 3 is `1x3` as in messages about products.
pub fn spelled(sizes: &[Option<u32>]) -> String {
    let sizes = raise(sizes, 2.max(sizes.len()));
    let parts: Vec<String> = sizes.iter().map(|s| s.map_or(":".to_owned(), |n| n.to_string())).collect();
    parts.join("x")
}

/// Drops dimensions that were indexed by scalars: leading ones (keeping at least one dimension), and trailing ones
/// from the third on (language reference §3.6).
pub fn drop_indexed(extents: &[(Option<u32>, bool)]) -> Sizes {
    let leading =
        extents.iter().take_while(|(_, indexed)| *indexed).count().min(extents.len().saturating_sub(1));
    let mut rest: Vec<(usize, (Option<u32>, bool))> =
        extents.iter().copied().enumerate().skip(leading).collect();
    while rest.len() > 1 && rest.last().is_some_and(|(axis, (_, indexed))| *indexed && *axis >= 2) {
        rest.pop();
    }
    // A column keeps its second dimension only if the first was kept.
    rest.into_iter().map(|(_, (extent, _))| extent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_the_table_of_the_reference() {
        let one = (Some(1), true);
        let (m, n, k) = ((Some(5), false), (Some(6), false), (Some(7), false));
        let shape = |extents: &[(Option<u32>, bool)]| drop_indexed(extents);
        assert_eq!(shape(&[one, n]), [Some(6)]);
        assert_eq!(shape(&[m, one]), [Some(5), Some(1)]);
        assert_eq!(shape(&[m, n, one]), [Some(5), Some(6)]);
        assert_eq!(shape(&[one, n, k]), [Some(6), Some(7)]);
        assert_eq!(shape(&[one, one, k]), [Some(7)]);
        assert_eq!(shape(&[one, n, one]), [Some(6)]);
        assert_eq!(shape(&[m, one, one]), [Some(5), Some(1)]);
        assert_eq!(shape(&[m, one, k]), [Some(5), Some(1), Some(7)]);
    }

    #[test]
    fn a_vector_is_a_row() {
        assert_eq!(raise(&[Some(4)], 2), [Some(1), Some(4)]);
        assert_eq!(raise(&[Some(4)], 3), [Some(1), Some(4), Some(1)]);
        assert_eq!(spelled(&[Some(3)]), "1x3");
        assert_eq!(spelled(&[None, Some(3)]), ":x3");
    }
}
