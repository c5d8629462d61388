//! Which files hold tests, and which functions of a file are tests.

use quasar_core::message::Sink;
use quasar_core::source::{FileId, Span};
use quasar_core::syntax::ast::{Expr, ExprKind, Function, FunctionKind, NodeIds, Stmt, StmtKind};
use quasar_core::syntax::{ParseOptions, parse_with};
use std::path::{Path, PathBuf};

/// What the names of tests begin with.
const PREFIX: &str = "test_";

/// A function that is a test.
pub(super) struct Test {
    pub(super) name: String,
    /// The names of its parameters.
    pub(super) params: Vec<String>,
    /// A parameter without a type.
    pub(super) untyped: Option<String>,
    /// The assertions that say which arguments it is for.
    pub(super) conditions: Vec<Span>,
    /// The whole function.
    pub(super) span: Span,
    /// Its name in the text.
    pub(super) place: Span,
}

/// The tests of a text, in order; a text with syntax errors is read as far as it can be.
pub(super) fn tests(text: &str) -> Vec<Test> {
    let (mut ids, mut sink) = (NodeIds::default(), Sink::default());
    let module = parse_with(FileId(0), text, ParseOptions::default(), &mut ids, &mut sink);
    module.items.iter().filter_map(test).collect()
}

fn test(item: &Stmt) -> Option<Test> {
    let StmtKind::Function(function) = &item.kind else { return None };
    let is_test = function.kind == FunctionKind::Host && function.name.text.starts_with(PREFIX);
    let untyped = |function: &Function| {
        let mut params = function.params.iter();
        let open = params.find(|param| param.annotation.as_ref().is_none_or(|a| a.ty.is_none()));
        open.map(|param| param.name.text.clone())
    };
    is_test.then(|| Test {
        name: function.name.text.clone(),
        params: function.params.iter().map(|param| param.name.text.clone()).collect(),
        untyped: untyped(function),
        conditions: conditions(function),
        span: item.span,
        place: function.name.span,
    })
}

/// The assertions that a test with parameters begins with. The last statement is what is tested, also where it is an assertion.
fn conditions(function: &Function) -> Vec<Span> {
    if function.params.is_empty() {
        return Vec::new();
    }
    let rest = function.body.split_last().map_or(&[][..], |(_, rest)| rest);
    rest.iter().take_while(|stmt| is_assertion(stmt)).map(|stmt| stmt.span).collect()
}

fn is_assertion(stmt: &Stmt) -> bool {
    let StmtKind::Expr(Expr { kind: ExprKind::Call { callee, .. }, .. }) = &stmt.kind else { return false };
    matches!(&callee.kind, ExprKind::Name(name) if name == "assert")
}

/// A file, and whether it was named itself; others are in a folder that was.
pub(super) type Found = (PathBuf, bool);

/// The files of a list of files and folders; of the working folder if there is none.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<Found>, String> {
    let here = [PathBuf::from(".")];
    let mut found: Vec<Found> = Vec::new();
    for path in if paths.is_empty() { &here[..] } else { paths } {
        if path.is_dir() {
            folder(path, &mut found)?;
        } else {
            found.push((path.clone(), true));
        }
    }
    Ok(found)
}

fn folder(path: &Path, found: &mut Vec<Found>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("Error: {}: {error}", path.display());
    let entries = std::fs::read_dir(path).map_err(failed)?;
    let mut entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (kind, name) = (entry.file_type().map_err(failed)?, entry.file_name());
        let inside = if path == Path::new(".") { PathBuf::from(&name) } else { path.join(&name) };
        // What cargo builds is no source. Links are not followed, since they may go round.
        if kind.is_dir() && !name.to_string_lossy().starts_with('.') && name != "target" {
            folder(&inside, found)?;
        } else if kind.is_file() && inside.extension().is_some_and(|extension| extension == "q") {
            found.push((inside, false));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_assertions_are_conditions_unless_they_are_all_there_is() {
        let text = "function [] = test_a(x : int)\n    assert(x > 0)\n    y = x\n    assert(y > 0)\nendfunction\n\
                    function [] = test_b(x : int, y)\n    assert(x == x)\nendfunction\n\
                    function [] = test_c()\n    assert(1 == 1)\n    y = 1\nendfunction\n\
                    function [] = helper()\nendfunction\n";
        let found = tests(text);
        let names: Vec<&str> = found.iter().map(|test| &test.name[..]).collect();
        assert_eq!(names, ["test_a", "test_b", "test_c"]);
        let counts: Vec<usize> = found.iter().map(|test| test.conditions.len()).collect();
        assert_eq!(counts, [1, 0, 0]);
        assert_eq!(found[1].untyped.as_deref(), Some("y"));
    }
}
