//! Cuts a program that is answered wrongly down to the lines that are needed.

/// How often the program is cut.
const ROUNDS: usize = 12;

/// The shortest program found by leaving out runs of lines. `is_wrong` says which of many programs are still wrong.
pub(crate) fn minimise(text: &str, is_wrong: impl Fn(&[String]) -> Vec<bool>) -> String {
    let mut best = text.to_string();
    for _ in 0..ROUNDS {
        let shorter = shortened(&best);
        let wrong = is_wrong(&shorter);
        let found = shorter.into_iter().zip(wrong).filter(|(_, wrong)| *wrong).map(|(text, _)| text);
        match found.min_by_key(String::len) {
            Some(text) => best = text,
            None => break,
        }
    }
    best
}

/// The text without a half, a quarter, .. or one of its lines, in each place.
fn shortened(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    let mut length = lines.len() / 2;
    while length > 0 {
        for start in (0..lines.len()).step_by(length) {
            let rest = lines[..start].iter().chain(lines.iter().skip(start + length));
            all.push(rest.map(|line| format!("{line}\n")).collect());
        }
        length /= 2;
    }
    all
}
