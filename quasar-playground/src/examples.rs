//! The programs that the page offers: a few of its own, those of the gallery, and those of the book's tour under their headings.

use serde_json::{Value, json};

/// Files of `examples/images` that programs of the page find.
pub const PHOTOGRAPHS: &[&str] = &["astronaut.png"];

const OWN: &[(&str, &str)] = &[
    ("Welcome", include_str!("../programs/welcome.q")),
    ("A photograph", include_str!("../programs/photograph.q")),
    ("The game of life", include_str!("../programs/life.q")),
    ("Mistakes", include_str!("../programs/mistakes.q")),
];
const GALLERY: &str = include_str!("../../docs/book/src/gallery.md");
const TOUR: &str = include_str!("../../docs/book/src/tour.md");

/// A program and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name in the list.
    pub name: String,
    /// The program.
    pub text: String,
}

/// All programs in groups, in the order of the list. The first is the one that the page begins with.
pub fn examples() -> Vec<(&'static str, Vec<Example>)> {
    let own = OWN.iter().map(|(name, text)| Example { name: (*name).into(), text: (*text).into() });
    vec![
        ("Playground", own.collect()),
        ("Gallery", of_page(GALLERY)),
        ("A tour in ten minutes", of_page(TOUR)),
    ]
}

/// The whole programs of a page of the book: blocks that run, under the heading in front of them.
fn of_page(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let (mut heading, mut lines) = ("", page.lines());
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix("## ") {
            heading = words;
        } else if let Some(info) = line.strip_prefix("```") {
            let block = lines.by_ref().take_while(|line| *line != "```");
            let text: String = block.map(|line| format!("{line}\n")).collect();
            if matches!(info, "quasar" | "quasar,figure") {
                let before = found.iter().filter(|example| example.name.starts_with(heading)).count();
                let name = if before == 0 { heading.into() } else { format!("{heading}, {}", before + 1) };
                found.push(Example { name, text });
            }
        }
    }
    found
}

/// The list for the page.
pub fn list() -> Value {
    let example = |example: &Example| json!({"name": example.name, "text": example.text});
    let group = |(name, examples): &(&str, Vec<Example>)| json!({"name": name, "examples": examples.iter().map(example).collect::<Vec<_>>()});
    json!({"groups": examples().iter().map(group).collect::<Vec<_>>(), "files": PHOTOGRAPHS})
}
