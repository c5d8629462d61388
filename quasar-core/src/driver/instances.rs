//! Instances of generic functions for Rust callers: the external definition `fill[scalar]` adds a monomorphic function
//! that calls it.
//!
//! ```text
//! function y = fill[T](n : int, value : T)
//!
//! function y = fill_scalar(n : int, value : scalar)
//!     y = fill[scalar](n, value)
//! endfunction
//! ```

use crate::message::Message;
use crate::source::Span;
use crate::syntax::ast::{Function, FunctionKind, Module, Stmt, StmtKind};
use crate::syntax::printer::print_stmt;

/// A requested instance, `name[arguments]`.
pub(super) struct Wanted {
    name: String,
    args: Vec<String>,
}

/// Parses an external definition as a request; `None` if it is a value, as in `NAME = value`.
pub(super) fn read(text: &str) -> Option<Wanted> {
    let (name, rest) = text.trim().split_once('[')?;
    let name = name.trim();
    let args = rest.strip_suffix(']')?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    (is_name && !args.contains('=')).then(|| Wanted { name: name.to_string(), args: parts(args) })
}

/// Splits at the commas outside of brackets.
fn parts(text: &str) -> Vec<String> {
    let (mut list, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        match list.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => list.push(String::new()),
        }
    }
    list.iter().map(|part| part.trim().to_string()).collect()
}

/// The source text of the callers; `None` if no function has these type parameters.
pub(super) fn text(module: &Module, wanted: &Wanted) -> Option<String> {
    let mut all = String::new();
    for item in &module.items {
        if let StmtKind::Function(function) = &item.kind
            && function.kind == FunctionKind::Host
            && function.name.text == wanted.name
            && function.type_params.len() == wanted.args.len()
        {
            all += &caller(item, function, &wanted.args);
        }
    }
    (!all.is_empty()).then_some(all)
}

/// The error for a request that matches no function.
pub(super) fn unknown(wanted: &Wanted, place: Span) -> Message {
    let n = wanted.args.len();
    let s = if n == 1 { "" } else { "s" };
    let text = format!("there is no function '{}' with {n} type parameter{s}", wanted.name);
    Message::error("Q0216", place, text).help(
        "an instance is given as in `fill[scalar]`, for a function of this file that is written `fill[T]`",
    )
}

fn caller(item: &Stmt, function: &Function, args: &[String]) -> String {
    let mut head = function.clone();
    let suffix: Vec<String> = args.iter().map(|arg| word_of(arg)).collect();
    head.name.text = format!("{}_{}", function.name.text, suffix.join("_"));
    head.type_params.clear();
    head.concealed = false;
    head.body.clear();
    let printed = print_stmt(&Stmt { kind: StmtKind::Function(Box::new(head)), ..item.clone() });
    let line = printed.lines().next().unwrap_or_default();
    let names: Vec<&str> = function.type_params.iter().map(|param| param.name.text.as_str()).collect();
    let outputs: Vec<&str> = function.outputs.iter().map(|output| output.name.text.as_str()).collect();
    let given = function.params.iter().map(|param| {
        let dots = if param.variadic { "..." } else { "" };
        format!("{dots}{}", param.name.text)
    });
    let given = given.collect::<Vec<_>>().join(", ");
    let results = match &outputs[..] {
        [] => String::new(),
        [one] => format!("{one} = "),
        many => format!("[{}] = ", many.join(", ")),
    };
    let line = replaced(line, &names, args);
    format!("{line}\n    {results}{}[{}]({given})\nendfunction\n", function.name.text, args.join(","))
}

/// A type argument as part of an identifier: `vec[int]` gives `vec_int`.
fn word_of(arg: &str) -> String {
    let words = arg.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Replaces whole words of a line.
fn replaced(line: &str, names: &[&str], values: &[String]) -> String {
    let mut made = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        match names.iter().position(|name| *name == word) {
            Some(k) => made += &values[k],
            None => made += word,
        }
        let other = behind.find(in_word).unwrap_or(behind.len());
        made += &behind[..other];
        rest = &behind[other..];
    }
    made
}

#[cfg(test)]
mod tests {
    use crate::driver::{Compilation, Options, compile};
    use crate::source::NoImports;

    const TEXT: &str = "function y : vec[T] = fill[T, N : int](value : T, n : int = 2) concealed
    y = vec[T](N * n)
    for k = 0..numel(y) - 1
        y[k] = value
    endfor
endfunction
function [a, b] = both[T](...x : vec[vec[T]])
    a = x[0]
    b = numel(x)
endfunction
function [] = nothing[T](x : T)
    print x
endfunction
";

    fn with(wanted: &[&str]) -> Compilation {
        let definitions = wanted.iter().map(ToString::to_string).collect();
        compile("m.q", TEXT, &NoImports, &Options { definitions, ..Options::default() })
    }

    #[test]
    fn versions_that_are_asked_for_are_exported() {
        let compiled = with(&["fill[scalar, 3]", "fill[scalar'double,2]", "nothing[vec[int]]"]);
        let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.messages));
        let names: Vec<&str> = program.exports.iter().map(|export| export.name.as_str()).collect();
        assert_eq!(names, ["fill_scalar_3", "fill_scalar_double_2", "nothing_vec_int"]);
    }

    #[test]
    fn mistakes_are_shown_where_the_version_is_asked_for() {
        for (wanted, said) in [
            ("fil[scalar]", "there is no function 'fil' with 1 type parameter"),
            ("fill[scalar]", "there is no function 'fill' with 1 type parameter"),
            ("nothing[scalr]", "unknown type 'scalr'"),
            ("nothing[]", "expected"),
        ] {
            let compiled = with(&[wanted]);
            let message = compiled.messages.iter().find(|message| message.category.is_error());
            let message = message.unwrap_or_else(|| panic!("{wanted} is accepted"));
            assert!(message.text.contains(said), "{wanted}: {}", message.text);
            let source = compiled.sources.file(message.primary.span.file);
            assert_eq!(source.text, wanted, "the place of '{}'", message.text);
        }
    }
}
