//! Printed Rust, which comes on one line, in lines that can be read.

/// The number of a file, and a line of it.
pub(super) type Place = (u32, u32);

/// An item of the printed module: its first words, and its lines, with the places in the source that they come from.
pub(super) struct Item {
    pub(super) head: String,
    pub(super) lines: Vec<(String, Option<Place>)>,
}

impl Item {
    fn of(lines: &mut Vec<(String, Option<Place>)>) -> Item {
        let lines = std::mem::take(lines);
        Item { head: lines.first().map(|(line, _)| line.clone()).unwrap_or_default(), lines }
    }
}

/// The items of a printed module. Source text for devices in it is left out: it stands in a column of its own.
pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut current = Vec::new();
    let mut depth = 0usize;
    for (line, place) in lines(text) {
        let trimmed = line.trim_start();
        let closes = trimmed.starts_with('}');
        if closes {
            depth = depth.saturating_sub(1);
        }
        let inner = depth.saturating_sub(1);
        current.push((format!("{}{trimmed}", "    ".repeat(inner)), place));
        if trimmed.ends_with('{') {
            depth += 1;
        }
        if depth <= 1 {
            items.push(Item::of(&mut current));
        }
    }
    if !current.is_empty() {
        items.push(Item::of(&mut current));
    }
    items
}

/// Breaks at braces and semicolons outside of brackets and literals. A line comes from the place that was named last in its braces.
fn lines(text: &str) -> Vec<(String, Option<Place>)> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut line) = (Vec::new(), String::new());
    // How many brackets are open in each open brace, and where what opened it comes from.
    let mut open = vec![(0usize, None)];
    let mut place = None;
    let mut k = 0;
    while k < chars.len() {
        if let Some((named, length)) = place_at(&chars[k..]) {
            // A statement inside of a line belongs to that line.
            if line.trim().is_empty() {
                place = Some(named);
            }
            k += length;
            continue;
        }
        let literal = literal_at(&chars, k);
        if literal > 0 {
            let raw = chars[k] == 'r';
            let text: String = chars[k..k + literal].iter().collect();
            line.push_str(if raw { "r#\".. (see the column CUDA)\"#" } else { &text });
            k += literal;
            continue;
        }
        let c = chars[k];
        k += 1;
        match c {
            '{' => {
                line.push(c);
                flush(&mut found, &mut line, place);
                open.push((0, place));
            }
            '}' => {
                flush(&mut found, &mut line, place);
                line.push(c);
                place = open.pop().and_then(|(_, place)| place);
                let goes_on = chars[k..].iter().find(|c| !c.is_whitespace());
                let ends = !matches!(goes_on, Some(')' | ',' | ';' | '.' | '?' | ']'));
                let otherwise: String = chars[k..].iter().take(5).collect();
                if ends && otherwise != "else " && !otherwise.starts_with("else{") {
                    flush(&mut found, &mut line, place);
                }
            }
            ';' if open.last().is_none_or(|(brackets, _)| *brackets == 0) => {
                line.push(c);
                flush(&mut found, &mut line, place);
            }
            '\n' => line.push(' '),
            c => {
                let brackets = open.last_mut().map(|(brackets, _)| brackets);
                match (c, brackets) {
                    ('(' | '[', Some(brackets)) => *brackets += 1,
                    (')' | ']', Some(brackets)) => *brackets = brackets.saturating_sub(1),
                    _ => {}
                }
                line.push(c);
            }
        }
    }
    flush(&mut found, &mut line, place);
    found
}

fn flush(found: &mut Vec<(String, Option<Place>)>, line: &mut String, place: Option<Place>) {
    let text = std::mem::take(line);
    if !text.trim().is_empty() {
        found.push((tidy(text.trim()), place));
    }
}

/// The place that a comment `/*@0:12*/` names, and how long that is.
fn place_at(rest: &[char]) -> Option<(Place, usize)> {
    if !rest.starts_with(&['/', '*', '@']) {
        return None;
    }
    let text: String = rest.iter().skip(3).take(24).collect();
    let (file, line) = text.split_once("*/")?.0.split_once(':')?;
    Some(((file.parse().ok()?, line.parse().ok()?), 3 + file.len() + 1 + line.len() + 2))
}

/// Without the blanks that the printer of tokens leaves.
fn tidy(line: &str) -> String {
    let mut text = line.to_string();
    for (from, to) in [
        (" ,", ","),
        (" ;", ";"),
        (" )", ")"),
        (" ]", "]"),
        ("( ", "("),
        ("[ ", "["),
        (" ?", "?"),
        (" .", "."),
        (":: ", "::"),
    ] {
        // Blanks in literals may be meant.
        if !text.contains('"') {
            text = text.replace(from, to);
        }
    }
    text
}

/// How many characters the literal has that begins here; 0 if none does.
fn literal_at(chars: &[char], k: usize) -> usize {
    let before = k.checked_sub(1).map_or(' ', |k| chars[k]);
    if before.is_alphanumeric() || before == '_' {
        return 0;
    }
    let rest = &chars[k..];
    let hashes = rest.iter().skip(1).take_while(|c| **c == '#').count();
    if rest[0] == 'r' && rest.get(1 + hashes) == Some(&'"') {
        let mut at = 2 + hashes;
        while at < rest.len() {
            let closed =
                rest[at] == '"' && rest[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
            at += 1;
            if closed {
                return (at + hashes).min(rest.len());
            }
        }
        return rest.len();
    }
    let quote = rest[0];
    // A quote is a lifetime unless one character and another quote follow.
    let is_char = quote == '\'' && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\''));
    if quote != '"' && !is_char {
        return 0;
    }
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_in_literals_open_nothing() {
        let text = r##"mod m {fn a(){let x = "};{"; f({x }, '{'); }static B: &str = r#"{ ; "#; fn c(){}}"##;
        let heads: Vec<String> = items(text).into_iter().map(|item| item.head).collect();
        assert_eq!(
            heads,
            ["mod m {", "fn a(){", "static B: &str = r#\".. (see the column CUDA)\"#;", "fn c(){", "}"]
        );
        assert_eq!(items(text)[1].lines[1].0, "    let x = \"};{\";");
    }

    #[test]
    fn lines_come_from_the_places_that_are_named() {
        let text = "mod m {fn a(){/*@0:1*/x = 1;y = [/*@0:9*/2];/*@0:3*/for k in r {/*@0:4*/z();}w();}static B: i32 = 3;}";
        let found: Vec<_> = items(text).into_iter().flat_map(|item| item.lines).collect();
        let of = |start: &str| {
            found.iter().find(|(line, _)| line.trim_start().starts_with(start)).and_then(|(_, place)| *place)
        };
        assert_eq!(
            (of("x"), of("y"), of("for"), of("z")),
            (Some((0, 1)), Some((0, 1)), Some((0, 3)), Some((0, 4)))
        );
        assert_eq!((of("w"), of("fn a"), of("static")), (Some((0, 3)), None, None));
        assert!(found.iter().all(|(line, _)| !line.contains("/*")), "{found:?}");
    }

    #[test]
    fn literals_that_do_not_end_are_the_rest() {
        for text in ["\"", "'\\", "r#\"", "r###", "{'", "}}}", ""] {
            let _ = items(text);
        }
    }
}
