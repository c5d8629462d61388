//! Which of many programs a test looks at: all, or with `QUASAR_TEST_SLICE=1/6` the second of every six.

/// The part, and how many there are.
fn parts() -> (usize, usize) {
    let text = std::env::var("QUASAR_TEST_SLICE").unwrap_or_default();
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    parts.filter(|(part, of)| part < of).unwrap_or((0, 1))
}

/// Whether the one of this number is looked at.
pub(crate) fn has(number: usize) -> bool {
    let (part, of) = parts();
    number % of == part
}

/// What is expected of a slice, where all together have so much.
pub(crate) fn share(of_all: usize) -> usize {
    of_all / parts().1 / 2
}
