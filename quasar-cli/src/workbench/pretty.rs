//! Printed Rust, which comes on one line, in lines that can be read.

/// An item of the printed module: its first words, and its lines.
pub(super) struct Item {
    pub(super) head: String,
    pub(super) text: String,
}

/// The items of a printed module. Source text for devices in it is left out: it stands in a column of its own.
pub(super) fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut current = String::new();
    let mut depth = 0usize;
    for line in lines(text) {
        let trimmed = line.trim_start();
        let closes = trimmed.starts_with('}');
        if closes {
            depth = depth.saturating_sub(1);
        }
        let inner = depth.saturating_sub(1);
        current.push_str(&"    ".repeat(inner));
        current.push_str(trimmed);
        current.push('\n');
        if trimmed.ends_with('{') {
            depth += 1;
        }
        if depth <= 1 {
            let text = std::mem::take(&mut current);
            let head = text.lines().next().unwrap_or_default().to_string();
            items.push(Item { head, text });
        }
    }
    if !current.trim().is_empty() {
        let head = current.lines().next().unwrap_or_default().to_string();
        items.push(Item { head, text: current });
    }
    items
}

/// Breaks at braces and semicolons outside of brackets and literals.
fn lines(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut line) = (Vec::new(), String::new());
    // How many brackets are open in each open brace.
    let mut open = vec![0usize];
    let mut k = 0;
    while k < chars.len() {
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
                flush(&mut found, &mut line);
                open.push(0);
            }
            '}' => {
                flush(&mut found, &mut line);
                line.push(c);
                open.pop();
                let goes_on = chars[k..].iter().find(|c| !c.is_whitespace());
                let ends = !matches!(goes_on, Some(')' | ',' | ';' | '.' | '?' | ']'));
                let otherwise: String = chars[k..].iter().take(5).collect();
                if ends && otherwise != "else " && !otherwise.starts_with("else{") {
                    flush(&mut found, &mut line);
                }
            }
            ';' if open.last().is_none_or(|brackets| *brackets == 0) => {
                line.push(c);
                flush(&mut found, &mut line);
            }
            '\n' => line.push(' '),
            c => {
                let brackets = open.last_mut();
                match (c, brackets) {
                    ('(' | '[', Some(brackets)) => *brackets += 1,
                    (')' | ']', Some(brackets)) => *brackets = brackets.saturating_sub(1),
                    _ => {}
                }
                line.push(c);
            }
        }
    }
    flush(&mut found, &mut line);
    found
}

fn flush(found: &mut Vec<String>, line: &mut String) {
    let text = std::mem::take(line);
    if !text.trim().is_empty() {
        found.push(tidy(text.trim()));
    }
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
        assert!(items(text)[1].text.contains("let x = \"};{\";\n"));
    }

    #[test]
    fn literals_that_do_not_end_are_the_rest() {
        for text in ["\"", "'\\", "r#\"", "r###", "{'", "}}}", ""] {
            let _ = items(text);
        }
    }
}
