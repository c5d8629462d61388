//! Whether two outputs of a program are the same: texts exactly, numbers within a tolerance.

/// The first difference between what is expected and what was printed; `None` if there is none.
///
/// Numbers may differ by the tolerance times the largest number of their line, since sums that are taken in another order differ by
/// that. Lines of `toc` are times, which are never the same.
pub(super) fn difference(expected: &str, found: &str, tolerance: f64) -> Option<String> {
    let lines =
        |text: &str| text.lines().filter(|line| !is_time(line)).map(str::to_owned).collect::<Vec<_>>();
    let (expected, found) = (lines(expected), lines(found));
    for (k, (a, b)) in expected.iter().zip(&found).enumerate() {
        if !same(a, b, tolerance) {
            return Some(format!("line {} of the output is '{}' instead of '{}'", k + 1, cut(b), cut(a)));
        }
    }
    (expected.len() != found.len())
        .then(|| format!("the output has {} lines instead of {}", found.len(), expected.len()))
}

/// What `toc` prints: `Elapsed time: 12.3 ms`, `label: 12.3 ms`.
fn is_time(line: &str) -> bool {
    let number = line.strip_suffix(" ms").and_then(|line| line.rsplit_once(": "));
    number.is_some_and(|(_, number)| number.parse::<f64>().is_ok())
}

fn cut(line: &str) -> String {
    if line.chars().count() <= 60 {
        line.to_owned()
    } else {
        line.chars().take(57).chain("...".chars()).collect()
    }
}

fn same(a: &str, b: &str, tolerance: f64) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (pieces(a), pieces(b));
    let numbers = a.iter().filter_map(|piece| piece.parse::<f64>().ok()).filter(|x| x.is_finite());
    let scale = numbers.map(f64::abs).fold(0.0, f64::max);
    let close = |x: f64, y: f64| (x - y).abs() <= tolerance * scale || x == y || (x.is_nan() && y.is_nan());
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) => close(x, y),
            _ => a == b,
        })
}

/// Numbers and what stands between them, without blanks, which the widths of numbers change.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    for word in line.split_whitespace() {
        let mut text = String::new();
        for c in word.chars() {
            let of_number = c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_');
            if of_number {
                text.push(c);
                continue;
            }
            pieces.extend((!text.is_empty()).then(|| std::mem::take(&mut text)));
            pieces.push(c.to_string());
        }
        pieces.extend((!text.is_empty()).then_some(text));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_differ_a_little_and_texts_not_at_all() {
        for (a, b) in [
            ("1.0000\n", "1.00001\n"),
            ("[1000.5,0.001]", "[1000.51,0.0015]"),
            ("sum = 3e+05 x", "sum =   3.00001e+05 x"),
            ("nan inf -inf", "nan inf -inf"),
            ("a\nElapsed time: 12.5 ms\nb", "a\nElapsed time: 3 ms\nb"),
            ("run: 1 ms", ""),
            ("", ""),
        ] {
            assert_eq!(difference(a, b, 1e-4), None, "{a} {b}");
        }
        for (a, b, expected) in [
            ("1\n2", "1\n3", "line 2 of the output is '3' instead of '2'"),
            ("a1", "a2", "line 1 of the output is 'a2' instead of 'a1'"),
            ("1e-9", "2e-9", "line 1 of the output is '2e-9' instead of '1e-9'"),
            ("nan", "1", "line 1 of the output is '1' instead of 'nan'"),
            ("1 2", "1", "line 1 of the output is '1' instead of '1 2'"),
            ("x\ny", "x", "the output has 1 lines instead of 2"),
            ("inf", "3", "line 1 of the output is '3' instead of 'inf'"),
        ] {
            assert_eq!(difference(a, b, 1e-4).as_deref(), Some(expected));
        }
    }
}
