//! What the codes of messages mean: the table that `quasar explain` and the book show.

/// A code and its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Such as `Q0402`.
    pub code: &'static str,
    /// What is wrong.
    pub cause: &'static str,
    /// What to do.
    pub cure: &'static str,
}

/// The explanations in the order of their codes.
pub fn explanations() -> impl Iterator<Item = Explanation> {
    include_str!("codes.txt").lines().filter_map(|line| {
        let (code, rest) = line.split_once(" | ")?;
        let (cause, cure) = rest.split_once(" | ")?;
        code.starts_with('Q').then_some(Explanation { code, cause, cure })
    })
}

/// The explanation of a code, which may be written as `q402`, `Q0402` or `402`.
pub fn explain(code: &str) -> Option<Explanation> {
    let digits = code.trim().trim_start_matches(['q', 'Q']);
    let number: u16 = digits.parse().ok()?;
    explanations().find(|row| row.code == format!("Q{number:04}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_complete_and_in_order() {
        let lines = include_str!("codes.txt").lines().filter(|line| !line.starts_with('#')).count();
        let rows: Vec<Explanation> = explanations().collect();
        assert_eq!(rows.len(), lines, "a line is no row");
        assert!(rows.is_sorted_by(|a, b| a.code < b.code));
        for row in rows {
            assert!(row.cause.ends_with('.') && row.cure.ends_with(['.']), "{row:?}");
            assert!(!row.cure.contains(" | "), "{row:?}");
        }
    }

    #[test]
    fn codes_are_found_however_they_are_written() {
        let all = ["Q0402", "q0402", "402", " Q402 "].map(|code| explain(code).map(|row| row.code));
        assert_eq!(all, [Some("Q0402"); 4]);
        assert_eq!(["Q9999", "", "Q", "Q04x2", "-402"].map(explain), [None; 5]);
    }
}
