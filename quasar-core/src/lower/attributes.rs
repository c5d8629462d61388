//! Code attributes and pragmas that steer loops and launches.

use super::body::Lowering;
use crate::ir::{KernelAttributes, LoopAttributes, LoopMode, StmtKind, Tiling, build};
use crate::sema::model::Constant;
use crate::source::Span;
use crate::syntax::ast;
use quasar_devicelib::value::library::wishes;

/// Attributes that speak of a kernel, in it or around the loop that becomes one.
const OF_KERNELS: &[&str] = &["shared_mem_promotion", "kernel_tiling", "kernel_partial_flattening"];

/// A word in quotes.
fn text(expr: &ast::Expr) -> Option<&str> {
    match &expr.kind {
        ast::ExprKind::Text(text) => Some(text),
        ast::ExprKind::Paren(inner) => text(inner),
        _ => None,
    }
}

/// The names in `{a, b}`.
fn names(expr: &ast::Expr) -> Option<Vec<String>> {
    match &expr.kind {
        ast::ExprKind::Name(name) => Some(vec![name.clone()]),
        ast::ExprKind::Paren(inner) => names(inner),
        ast::ExprKind::Array(items) | ast::ExprKind::Cell(items) => {
            let mut all = Vec::new();
            for item in items {
                let ast::Element::Expr(item) = item else { return None };
                all.extend(names(item)?);
            }
            Some(all)
        }
        _ => None,
    }
}

impl<'a> Lowering<'a, '_> {
    /// What the attributes before the loop asked for; they are used up.
    pub(super) fn loop_attributes(&mut self) -> LoopAttributes {
        let mut attributes = std::mem::take(&mut self.attributes);
        if attributes.mode == LoopMode::Automatic && !self.automatic {
            attributes.mode = LoopMode::Host;
        }
        attributes
    }

    /// Reads the attributes that stand first inside of a loop and speak of the kernel that it becomes.
    pub(super) fn attributes_inside(&mut self, body: &'a [ast::Stmt]) {
        for stmt in body {
            let ast::StmtKind::Attribute(attribute) = &stmt.kind else { return };
            if !self.on_device()
                && attribute.words.first().is_some_and(|word| OF_KERNELS.contains(&&*word.text))
            {
                self.attribute(attribute);
                self.read_already.push(attribute);
            }
        }
    }

    /// What is asked for of the kernel at hand, or the one that the next loop becomes.
    fn asked_of_kernel(&mut self) -> &mut KernelAttributes {
        if self.on_device() { &mut self.kernel } else { &mut self.attributes.kernel }
    }

    fn kernel_attribute(&mut self, name: &str, attribute: &'a ast::Attribute) {
        let span = attribute.span;
        if name == "kernel_tiling" {
            self.asked_of_kernel().tiling = Some(Tiling { local: false, dims: None, span });
        }
        for argument in &attribute.arguments {
            let key = argument.key.as_ref().map_or("", |key| key.text.as_str());
            let known = match (name, key) {
                ("shared_mem_promotion", "assume_blk_constant") => {
                    let found = names(&argument.value);
                    found.map(|names| self.asked_of_kernel().alike.extend(names)).is_some()
                }
                ("kernel_tiling", _) => self.tiling(key, &argument.value),
                ("kernel_partial_flattening", "dim") => match self.numbers(&argument.value).as_deref() {
                    Some([dims]) => {
                        self.asked_of_kernel().flattening = Some((*dims, span));
                        true
                    }
                    _ => false,
                },
                _ => false,
            };
            if !known {
                super::messages::attribute_ignored(self.cx.sink, argument.value.span, key);
            }
        }
    }

    /// An argument of `kernel_tiling`. Says whether it is a known one.
    fn tiling(&mut self, key: &str, value: &'a ast::Expr) -> bool {
        let (word, numbers) = (text(value), self.numbers(value));
        let Some(tiling) = &mut self.asked_of_kernel().tiling else { return false };
        match (key, word, numbers) {
            ("mode", Some("global"), _) => tiling.local = false,
            ("mode", Some("local"), _) => tiling.local = true,
            ("dims", Some("auto"), _) => tiling.dims = None,
            ("dims", _, Some(dims)) if !dims.contains(&0) => tiling.dims = Some(dims),
            ("target", Some(_), _) => {}
            _ => return false,
        }
        true
    }

    pub(super) fn attribute(&mut self, attribute: &'a ast::Attribute) {
        if self.read_already.iter().any(|known| std::ptr::eq(*known, attribute)) {
            return;
        }
        let words: Vec<&str> = attribute.words.iter().map(|word| word.text.as_str()).collect();
        match words[..] {
            ["parallel", "for"] => self.attributes.mode = LoopMode::Parallel,
            ["serial", "for"] => self.attributes.mode = LoopMode::Serial,
            ["interpreted", "for"] => self.attributes.mode = LoopMode::Host,
            ["unroll"] => self.attributes.unroll = Some(0),
            [name] if OF_KERNELS.contains(&name) => return self.kernel_attribute(name, attribute),
            ["sched", ..] if !self.on_device() => return self.wish(attribute, &words),
            ["begin_grid_group" | "end_grid_group"] if self.instance.kind == ast::FunctionKind::Kernel => {
                return super::messages::open_group(self.cx.sink, attribute.span);
            }
            ["auto_specialize" | "auto_vectorize" | "auto_inline" | "inline" | "specialize"] => return,
            [name, ..] => return super::messages::attribute_ignored(self.cx.sink, attribute.span, name),
            [] => return,
        }
        for argument in &attribute.arguments {
            self.loop_argument(argument);
        }
    }

    fn loop_argument(&mut self, argument: &ast::AttributeArg) {
        let key = argument.key.as_ref().map_or("", |key| key.text.as_str());
        let numbers = self.numbers(&argument.value);
        match (key, numbers.as_deref()) {
            ("blkdim", Some(sizes)) => self.attributes.block = Some(sizes.to_vec()),
            ("dim", Some([dims])) => self.attributes.dims = Some(*dims),
            ("times", Some([times])) => self.attributes.unroll = Some(*times),
            ("multi_device", _) if !self.on_device() => match &argument.value.kind {
                ast::ExprKind::Name(name) if name == "true" => self.attributes.multi_device = true,
                ast::ExprKind::Name(name) if name == "false" => self.attributes.multi_device = false,
                _ => super::messages::attribute_ignored(self.cx.sink, argument.value.span, key),
            },
            _ => super::messages::attribute_ignored(self.cx.sink, argument.value.span, key),
        }
    }

    /// `{!sched ..}`: where the launches go that follow in the block.
    fn wish(&mut self, attribute: &'a ast::Attribute, words: &[&str]) {
        let span = attribute.span;
        let index = match attribute.arguments.as_slice() {
            [argument] if argument.key.as_ref().is_some_and(|key| key.text == "gpu_index") => Some(argument),
            _ => None,
        };
        let code = |code: i32| ("place_launches", build::int(code, span));
        let (name, value) = match (words, index, attribute.arguments.len()) {
            (["sched", "cpu"], _, 0) => code(wishes::CPU),
            (["sched", "gpu"], _, 0) => code(wishes::GPU),
            (["sched", "auto"], _, 0) => code(wishes::AUTOMATIC),
            (["sched"], Some(index), _) => {
                ("place_launches_on_gpu", build::convert(self.expr(&index.value), &build::int_type()))
            }
            _ => return super::messages::attribute_ignored(self.cx.sink, span, "sched"),
        };
        let before = self.body.temporary(build::int_type(), span);
        let first = self.wishes.last_mut().filter(|wish| wish.is_none());
        let results = vec![first.is_some().then_some(before)];
        if let Some(first) = first {
            *first = Some(before);
        }
        self.emit(StmtKind::Library { name, args: vec![value], results }, span);
    }

    /// Lets launches go again where they went before the outermost of the blocks under way, but for so many, in which a
    /// wish stands.
    pub(super) fn launch_as_before(&mut self, blocks: usize, span: Span) {
        let before = self.wishes.get(blocks..).unwrap_or_default().iter().flatten().next();
        if let Some(&before) = before {
            let args = vec![self.body.read(before, span)];
            self.emit(StmtKind::Library { name: "place_launches", args, results: vec![None] }, span);
        }
    }

    /// Positive numbers written as such or known at compile time.
    fn numbers(&self, expr: &ast::Expr) -> Option<Vec<u32>> {
        match self.tables.constants.get(&expr.id) {
            Some(Constant::Scalar(value)) => return Some(vec![u32::try_from(value.as_i64()).ok()?]),
            Some(Constant::Array(_, values)) => {
                return values.iter().map(|value| u32::try_from(value.as_i64()).ok()).collect();
            }
            Some(Constant::Text(_)) | None => {}
        }
        match &expr.kind {
            ast::ExprKind::Number(ast::Number::Int(value)) => Some(vec![u32::try_from(*value).ok()?]),
            ast::ExprKind::Paren(inner) => self.numbers(inner),
            ast::ExprKind::Array(items) | ast::ExprKind::Cell(items) => {
                let mut all = Vec::new();
                for item in items {
                    let ast::Element::Expr(item) = item else { return None };
                    all.extend(self.numbers(item)?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    pub(super) fn pragma(&mut self, name: &ast::Name, arguments: Option<&str>) {
        match (name.text.as_str(), arguments.map(str::trim)) {
            ("force_parallel", _) => self.attributes.mode = LoopMode::Parallel,
            ("force_serial", _) => self.attributes.mode = LoopMode::Serial,
            ("loop_parallelizer", Some("on")) => self.automatic = true,
            ("loop_parallelizer", Some("off")) => self.automatic = false,
            (other, _) => super::messages::attribute_ignored(self.cx.sink, name.span, other),
        }
    }
}
