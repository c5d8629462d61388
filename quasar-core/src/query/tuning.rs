//! The tuning parameters of a program: `{!tuning_param name="$p"; range=[..]; default=v; desc=".."}`, and what was found to be best
//! for them.

pub mod values;

use crate::message::Sink;
use crate::sema::walk::{self, Visitor};
use crate::source::{FileId, SourceMap, SourceProvider, Span};
use crate::syntax::ast::{Attribute, Element, Expr, ExprKind, FunctionKind, Module, NodeIds, Stmt, StmtKind};
use crate::syntax::{parse, print_expr};
use std::collections::BTreeSet;

/// A tuning parameter. Attributes of one name are one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TuningParam {
    /// The name, with its `$`.
    pub name: String,
    /// The values that it may have, as programs write them. Of several attributes, the values that all of them allow.
    pub range: Vec<String>,
    /// The value that it has.
    pub default: String,
    /// What it is, in the words of the program.
    pub desc: String,
    /// The attributes.
    pub places: Vec<Span>,
    /// The default values in them.
    pub defaults: Vec<Span>,
    /// Whether nobody wrote it: it stands for the threads of a kernel's blocks.
    pub implied: bool,
}

/// What is known of a program without its analysis.
#[derive(Clone, Debug, Default)]
pub struct Tuning {
    /// The program and what it imports, without modules of the library.
    pub sources: SourceMap,
    /// The parameters, in the order of their first attributes.
    pub params: Vec<TuningParam>,
    /// The kernels that are written as such and say nothing of their blocks.
    pub kernels: Vec<(String, Span)>,
}

impl Tuning {
    /// Reads a program and what it imports. What cannot be read or parsed is left out: whoever compiles it gets the messages.
    pub fn of(name: &str, text: &str, provider: &dyn SourceProvider) -> Tuning {
        let (mut tuning, mut ids) = (Tuning::default(), NodeIds::default());
        let (mut open, mut seen) = (vec![(name.to_owned(), text.to_owned())], BTreeSet::new());
        while let Some((name, text)) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let file = tuning.sources.add(name.clone(), text.clone());
            let module = parse(file, &text, &mut ids, &mut Sink::default());
            let imported =
                module.imports.iter().filter_map(|import| provider.load(&import.path, &name).ok()?);
            open.extend(imported.map(|(text, name)| (name, text)));
            tuning.module(&module);
        }
        tuning.params.sort_by_key(|param| param.places.first().copied());
        tuning
    }

    fn module(&mut self, module: &Module) {
        let mut found = Found::default();
        walk::block(&module.items, &mut found);
        for attribute in found.attributes {
            self.attribute(attribute);
        }
        for item in found.kernels {
            let StmtKind::Function(function) = &item.kind else { continue };
            let mut inside = Found::default();
            walk::block(&function.body, &mut inside);
            if !inside.bounds {
                self.kernels.push((function.name.text.clone(), function.name.span));
            }
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        let value = |key: &str| {
            let keyed =
                attribute.arguments.iter().find(|each| each.key.as_ref().is_some_and(|k| k.text == key));
            keyed.map(|argument| &argument.value)
        };
        let text = |key: &str| match value(key).map(|value| &value.kind) {
            Some(ExprKind::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let (Some(name), Some(default)) = (text("name"), value("default")) else { return };
        let range: Vec<String> =
            value("range").map(items).unwrap_or_default().into_iter().map(print_expr).collect();
        let known = self.params.iter_mut().find(|param| param.name == name);
        if let Some(known) = known {
            known.places.push(attribute.span);
            known.defaults.push(default.span);
            known.range.retain(|value| range.contains(value));
            return;
        }
        self.params.push(TuningParam {
            name,
            range,
            default: print_expr(default),
            desc: text("desc").unwrap_or_default(),
            places: vec![attribute.span],
            defaults: vec![default.span],
            implied: false,
        });
    }

    /// The parameters that stand for the threads of blocks, one for each kernel that says nothing of them. `sizes` are tried beside
    /// the choice of the run-time system, which is the empty value.
    pub fn blocks(&self, sizes: &[u32]) -> Vec<TuningParam> {
        let param = |(kernel, span): &(String, Span)| TuningParam {
            name: format!("{BLOCKS}{kernel}"),
            range: std::iter::once(String::new()).chain(sizes.iter().map(u32::to_string)).collect(),
            default: String::new(),
            desc: format!("threads of a block of '{kernel}'"),
            places: vec![*span],
            defaults: Vec::new(),
            implied: true,
        };
        self.kernels
            .iter()
            .map(param)
            .filter(|param| !self.params.iter().any(|p| p.name == param.name))
            .collect()
    }

    /// The text of a file with other default values, and nothing else changed.
    pub fn with_defaults(&self, file: FileId, values: &[(String, String)]) -> String {
        let mut changes: Vec<(Span, &str)> = Vec::new();
        for param in &self.params {
            let Some((_, value)) = values.iter().find(|(name, _)| *name == param.name) else { continue };
            let here = param.defaults.iter().filter(|span| span.file == file);
            changes.extend(
                here.filter(|span| self.sources.text(**span) != value).map(|span| (*span, value.as_str())),
            );
        }
        changes.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut text = self.sources.file(file).text.clone();
        for (span, value) in changes {
            text.replace_range(span.start as usize..span.end as usize, value);
        }
        text
    }
}

/// What the names of parameters begin with that stand for the blocks of a kernel.
pub const BLOCKS: &str = "$blocks_";

/// The items of a list; another value is the only one.
fn items<'e>(expr: &'e Expr) -> Vec<&'e Expr> {
    match &expr.kind {
        ExprKind::Paren(inner) => items(inner),
        ExprKind::Array(list) | ExprKind::Cell(list) => {
            let item = |item: &'e Element| match item {
                Element::Expr(item) => Some(item),
                _ => None,
            };
            list.iter().filter_map(item).collect()
        }
        _ => vec![expr],
    }
}

/// Attributes and kernels of a module.
#[derive(Default)]
struct Found<'a> {
    attributes: Vec<&'a Attribute>,
    kernels: Vec<&'a Stmt>,
    /// Whether something bounds blocks.
    bounds: bool,
}

impl<'a> Visitor<'a> for Found<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Attribute(attribute) => match attribute.words.as_slice() {
                [word] if word.text == "tuning_param" => self.attributes.push(attribute),
                [word] if word.text == "cuda_launch_bounds" => self.bounds = true,
                _ => {}
            },
            StmtKind::Function(function) if function.kind == FunctionKind::Kernel => self.kernels.push(stmt),
            _ => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::NoImports;

    const PROGRAM: &str = "function [] = __kernel__ k(x : vec, pos : int)
    {!tuning_param name=\"$p\"; range=[8,16,32]; default=16; desc=\"threads\"}   % kept
    {!cuda_launch_bounds max_threads_per_block=$p}
    x[pos] = 1
endfunction
function [] = __kernel__ free(x : vec, pos : int)
    x[pos] = 2
endfunction
macro [] = profile()
    {!tuning_param name=\"$how\"; range={\"localwindow\", \"\"}; default=\"\"}
endmacro
function [] = f(x : vec)
    {!tuning_param name=\"$p\"; range=[16,32,64]; default=16}
    {!tuning_param name=\"$on\"; range=[true, false]; default=true}
endfunction
";

    #[test]
    fn parameters_are_found_with_ranges_and_places() {
        let tuning = Tuning::of("t.q", PROGRAM, &NoImports);
        let shown = |param: &TuningParam| {
            format!("{} {:?} {} {:?}", param.name, param.range, param.default, param.desc)
        };
        let found: Vec<String> = tuning.params.iter().map(shown).collect();
        assert_eq!(
            found,
            [
                "$p [\"16\", \"32\"] 16 \"threads\"",
                "$how [\"\\\"localwindow\\\"\", \"\\\"\\\"\"] \"\" \"\"",
                "$on [\"true\", \"false\"] true \"\"",
            ]
        );
        assert_eq!(tuning.params[0].places.len(), 2);
        let blocks = tuning.blocks(&[32, 64]);
        assert_eq!(blocks.iter().map(|param| &param.name[..]).collect::<Vec<_>>(), ["$blocks_free"]);
        assert_eq!(blocks[0].range, ["", "32", "64"]);
    }

    #[test]
    fn defaults_are_written_back_and_the_rest_stays() {
        let tuning = Tuning::of("t.q", PROGRAM, &NoImports);
        let values = [("$p".to_owned(), "32".to_owned()), ("$how".to_owned(), "\"localwindow\"".to_owned())];
        let written = tuning.with_defaults(FileId(0), &values);
        let expected =
            PROGRAM.replace("default=16", "default=32").replace("default=\"\"", "default=\"localwindow\"");
        assert_eq!(written, expected);
        assert_eq!(tuning.with_defaults(FileId(0), &[]), PROGRAM);
    }

    #[test]
    fn programs_with_mistakes_are_read_as_far_as_possible() {
        for end in 0..PROGRAM.len() {
            let _ = Tuning::of("t.q", &PROGRAM[..end], &NoImports);
        }
    }
}
