//! Settings: the types shared by the compiler and the runtime, the rows of the compile-time settings, and the parser of
//! configuration files.

use std::borrow::Cow;

/// The configuration file that is looked for when programs are compiled and run.
pub const CONFIG_FILE: &str = "Quasar.Runtime.config.xml";

/// The values that a setting accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these words, case-insensitive. The first is the default.
    Choice(&'static [&'static str]),
    /// One of the words of the first list, or one of the second with `:` and a device number. The first word is the
    /// default.
    Engine(&'static [&'static str], &'static [&'static str]),
    /// An unsigned integer.
    Number {
        /// The default value.
        default: u64,
        /// The minimum.
        least: u64,
        /// The maximum.
        most: u64,
    },
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The accepted values.
    pub kind: Kind,
    /// Description.
    pub doc: &'static str,
}

/// A switch that is off by default.
pub const OFF_ON: Kind = Kind::Choice(&["False", "True"]);
/// A switch that is on by default.
pub const ON_OFF: Kind = Kind::Choice(&["True", "False"]);

/// Constructs a setting.
pub const fn row(name: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row { name, kind, doc }
}

/// Whether out-of-bounds accesses are errors.
pub const BOUNDS_CHECKS: &str = "COMPILER_OUTOFBOUNDS_CHECKS";
/// Which calls are inlined.
pub const INLINING: &str = "COMPILER_LAMBDAEXPRESSION_INLINING";
/// Whether functions may be chosen at run time.
pub const FUNCTION_POINTERS: &str = "COMPILER_USEFUNCTIONPOINTERS";
/// Whether loops are parallelised automatically.
pub const LOOP_PARALLELIZER: &str = "COMPILER_LOOP_PARALLELIZER";
/// Whether kernels may allocate.
pub const KERNEL_MEMORY: &str = "COMPILER_KERNEL_DYNAMICMEMORY";
/// Whether device texts name the lines of the program.
pub const DEVICE_LINES: &str = "COMPILER_DEVICE_LINES";
/// Whether launches may be shared by the ranks of a cluster.
pub const RANKS: &str = "COMPILER_RANKS";
/// The precision of `scalar`.
pub const PRECISION: &str = "COMPILER_PRECISION";

/// The compile-time settings.
pub static COMPILER: &[Row] = &[
    row(
        BOUNDS_CHECKS,
        ON_OFF,
        "`True` makes `'unchecked` mean `'checked`, `False` the opposite; modes are as written where nobody says it.",
    ),
    row(
        INLINING,
        Kind::Choice(&["OnlySuitable", "Never", "Always"]),
        "Which calls of lambda expressions and device functions are replaced by their code.",
    ),
    row(
        FUNCTION_POINTERS,
        Kind::Choice(&["SmartlyAvoid", "Always", "Error"]),
        "Whether functions may be chosen at run time: where it is needed, where it is possible, or never.",
    ),
    row(LOOP_PARALLELIZER, ON_OFF, "Whether independent loops become kernels without being asked to."),
    row(KERNEL_MEMORY, ON_OFF, "Whether threads of kernels may make arrays whose sizes are not known."),
    row(
        DEVICE_LINES,
        OFF_ON,
        "Whether the texts of kernels for devices name the lines of the program, for tools that look at kernels while they run.",
    ),
    row(
        RANKS,
        OFF_ON,
        "Whether launches may be shared by the ranks of a cluster. The feature `mpi` of the crate switches it on.",
    ),
    row(PRECISION, Kind::Choice(&["single", "double"]), "The precision of `scalar`."),
];

/// Finds one of these words, case-insensitively.
pub fn one_of(words: &[&'static str], text: &str) -> Option<&'static str> {
    words.iter().copied().find(|word| word.eq_ignore_ascii_case(text))
}

/// An error in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The setting, if it has a name.
    pub name: String,
    /// The error message.
    pub message: String,
}

/// Parses the names and values of a configuration file, and collects errors. Ignores other elements, attributes,
/// comments and white space.
pub fn read_config(text: &str) -> (Vec<(String, String)>, Vec<ConfigError>) {
    let text = without_comments(text);
    let mut entries = Vec::new();
    let mut errors = Vec::new();
    let mut rest = &*text;
    while let Some((_, after)) = rest.split_once("<setting") {
        rest = after;
        if !after.starts_with(|c: char| c.is_whitespace() || c == '>') {
            continue; // `<settings>` and the like
        }
        let Some((attributes, after)) = after.split_once('>') else {
            errors.push(broken("(unnamed)", "a <setting> element does not end"));
            break;
        };
        rest = after;
        let Some(name) = attribute(attributes, "name") else {
            errors.push(broken("(unnamed)", "a <setting> element has no name"));
            continue;
        };
        let (content, after) = after.split_once("</setting").unwrap_or((after, ""));
        let value = content.split_once("<value>").and_then(|(_, tail)| tail.split_once("</value>"));
        match value {
            Some((value, _)) => {
                entries.push((name, unescape(value)));
                rest = after;
            }
            None => errors.push(broken(&name, "has no <value>..</value>")),
        }
    }
    (entries, errors)
}

fn broken(name: &str, message: &str) -> ConfigError {
    ConfigError { name: name.into(), message: format!("in the configuration file: {message}") }
}

fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("<!--") {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        result.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    result.push_str(rest);
    Cow::Owned(result)
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|&c| c == '"' || c == '\'')?;
        let (value, tail) = after.get(1..)?.split_once(quote)?;
        if key.trim() == name {
            return Some(unescape(value));
        }
        rest = tail;
    }
    None
}

fn unescape(text: &str) -> String {
    let text = text.trim();
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}
