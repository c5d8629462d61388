//! Spelling suggestions by edit distance.

/// The candidate closest to a misspelled name, if its distance is at most a third of the name's length.
pub(crate) fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = distance(name, candidate);
        if distance <= limit && candidate != name && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name.to_owned())
}

/// The Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut cost = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(rows[i - 2][j - 2] + 1);
            }
            row.push(cost);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        assert_eq!(nearest("szie", ["size", "sum"].into_iter()).as_deref(), Some("size"));
        assert_eq!(nearest("zeross", ["zeros", "ones"].into_iter()).as_deref(), Some("zeros"));
        assert_eq!(nearest("abc", ["xyz"].into_iter()), None);
    }
}
