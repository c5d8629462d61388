//! Which lines of a text another one keeps: the longest common subsequence, behind equal beginnings and before equal ends.

/// A line of both texts, or of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Same(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// More pairs of lines are not compared: the texts count as different between their equal ends.
const MOST_PAIRS: usize = 4_000_000;

/// The lines of two texts in order.
pub(super) fn lines<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..], &new[head..]);
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - tail], &b[..b.len() - tail]);
    let mut found: Vec<Line<'a>> = old[..head].iter().map(|line| Line::Same(line)).collect();
    if a.len().saturating_mul(b.len()) > MOST_PAIRS {
        found.extend(a.iter().map(|line| Line::Old(line)));
        found.extend(b.iter().map(|line| Line::New(line)));
    } else {
        found.extend(between(a, b));
    }
    found.extend(old[old.len() - tail..].iter().map(|line| Line::Same(line)));
    found
}

fn between<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<Line<'a>> {
    let width = b.len() + 1;
    // How many lines the rests from each pair of places have in common.
    let mut common = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let (below, right) = (common[(i + 1) * width + j], common[i * width + j + 1]);
            let both = common[(i + 1) * width + j + 1] + 1;
            common[i * width + j] = if a[i] == b[j] { both } else { below.max(right) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            found.push(Line::Same(a[i]));
            (i, j) = (i + 1, j + 1);
        } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
            found.push(Line::Old(a[i]));
            i += 1;
        } else {
            found.push(Line::New(b[j]));
            j += 1;
        }
    }
    found.extend(a[i..].iter().map(|line| Line::Old(line)));
    found.extend(b[j..].iter().map(|line| Line::New(line)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each text is its own lines, and as few as possible differ.
    #[test]
    fn both_texts_are_in_the_difference() {
        for (old, new, same) in [
            ("a\nb\nc", "a\nx\nc", 2),
            ("", "a\nb", 0),
            ("a\nb\nc\nd", "b\nd\na", 2),
            ("a", "a", 1),
            ("q\nq", "q\nq\nq", 2),
        ] {
            let found = lines(old, new);
            let text = |new_side: bool| {
                let of = |line: &Line<'_>| match *line {
                    Line::Same(text) => Some(text.to_string()),
                    Line::Old(text) => (!new_side).then(|| text.to_string()),
                    Line::New(text) => new_side.then(|| text.to_string()),
                };
                found.iter().filter_map(of).collect::<Vec<_>>().join("\n")
            };
            assert_eq!((text(false).as_str(), text(true).as_str()), (old, new));
            assert_eq!(
                found.iter().filter(|line| matches!(line, Line::Same(_))).count(),
                same,
                "{old:?} {new:?}"
            );
        }
    }
}
