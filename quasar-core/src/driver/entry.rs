//! Generates the command-line entry point: a function that distributes the arguments to the parameters of `main`, its
//! defaults and its variadic parameter.
//!
//! ```text
//! function [] = main(name, count : int = 2, ...files)
//!
//! function [] = __main__(...arguments)
//!     if numel(arguments) == 1
//!         main(arguments[0])
//!     elseif numel(arguments) >= 2
//!         main(arguments[0], arguments[1], ...arguments[2..numel(arguments)-1])
//!     else
//!         error("main(name, count = .., ...files): expected at least 1 argument, found ", numel(arguments))
//!     endif
//! endfunction
//! ```

use crate::sema::ENTRY;
use crate::syntax::ast::{Function, FunctionKind, Module, StmtKind, TypeExprKind};
use std::fmt::Write;

/// The source text of the entry point; `None` for a module without `main`.
pub(super) fn text(module: &Module) -> Option<String> {
    let main = module.items.iter().find_map(|item| match &item.kind {
        StmtKind::Function(f) if f.name.text == "main" && f.kind == FunctionKind::Host => Some(&**f),
        _ => None,
    })?;
    let variadic = main.params.last().is_some_and(|param| param.variadic);
    let most = main.params.len() - usize::from(variadic);
    let fewest = main.params.iter().take(most).take_while(|param| param.default.is_none()).count();
    let mut text = format!("function [] = {ENTRY}(...arguments)\n");
    let mut word = "if";
    for count in fewest..=most {
        let (relation, rest) = if variadic && count == most {
            (">=", format!("...arguments[{most}..numel(arguments)-1]"))
        } else {
            ("==", String::new())
        };
        let given = (0..count).map(|k| argument(main, k));
        let all: Vec<String> = given.chain((!rest.is_empty()).then_some(rest)).collect();
        let call = format!("{}main({})", ignored(main), all.join(", "));
        let tests: String = (0..count).filter_map(|k| test(main, k)).collect();
        let _ = writeln!(text, "    {word} numel(arguments) {relation} {count}\n{tests}        {call}");
        word = "elseif";
    }
    let expected = match (fewest, most, variadic) {
        (n, _, true) => format!("at least {}", counted(n)),
        (0, 0, false) => "no arguments".to_string(),
        (n, m, false) if n == m => counted(n),
        (n, m, false) => format!("{n} to {}", counted(m)),
    };
    let wrong = format!("{}: expected {expected}, found ", signature(main));
    let _ = writeln!(text, "    else\n        error({wrong:?}, numel(arguments))\n    endif\nendfunction");
    Some(text)
}

fn counted(n: usize) -> String {
    format!("{n} argument{}", if n == 1 { "" } else { "s" })
}

/// The argument for parameter `k`; a string parameter also takes text that looks like a number.
fn argument(main: &Function, k: usize) -> String {
    let ty = main.params.get(k).and_then(|param| param.annotation.as_ref()?.ty.as_ref());
    let is_text =
        ty.is_some_and(|ty| matches!(&ty.kind, TypeExprKind::Named { name, .. } if name.text == "string"));
    if is_text { format!("tostring(arguments[{k}])") } else { format!("arguments[{k}]") }
}

/// An error of its own where an argument does not fit the type of parameter `k`.
fn test(main: &Function, k: usize) -> Option<String> {
    let param = main.params.get(k)?;
    let TypeExprKind::Named { name, args, .. } = &param.annotation.as_ref()?.ty.as_ref()?.kind else {
        return None;
    };
    let what = format!("main: argument {} ('{} : {}') ", k + 1, param.name.text, name.text);
    let argument = format!("arguments[{k}]");
    let (wrong, said) = match &*name.text {
        _ if !args.is_empty() => return None,
        "scalar" | "double" | "single" => {
            (format!("type({argument}, \"string\")"), "must be a number, found ")
        }
        "int" | "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" => (
            format!("type({argument}, \"string\") || floor({argument}) != {argument}"),
            "must be a whole number, found ",
        ),
        "vec" | "mat" | "cube" => ("1".to_owned(), "is an array, which a command line cannot give; found "),
        _ => return None,
    };
    let said = format!("{what}{said}");
    Some(format!("        if {wrong}\n            error({said:?}, {argument})\n        endif\n"))
}

/// Placeholders for the unused results of `main`.
fn ignored(main: &Function) -> String {
    match main.outputs.len() {
        0 => String::new(),
        n => format!("[{}] = ", vec!["_"; n].join(",")),
    }
}

fn signature(main: &Function) -> String {
    let params = main.params.iter().map(|param| {
        let dots = if param.variadic { "..." } else { "" };
        let default = if param.default.is_some() { " = .." } else { "" };
        format!("{dots}{}{default}", param.name.text)
    });
    format!("main({})", params.collect::<Vec<_>>().join(", "))
}
