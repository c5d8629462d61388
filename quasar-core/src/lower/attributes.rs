//! Code attributes and pragmas that steer loops and launches.

use super::body::Lowering;
use super::transforms::{Standing, standing};
use super::{attribute_schema, messages};
use crate::ir::{
    KernelArg, KernelAttributes, LaunchBounds, Linear, LoopAttributes, LoopMode, Slice, StmtKind, Target,
    Tiling, Vectors, build,
};
use crate::sema::model::Constant;
use crate::source::Span;
use crate::syntax::ast;
use crate::types::ElementType;
use quasar_devicelib::value::affinity;

/// Attributes that speak of a kernel, in it or around the loop that becomes one.
pub(super) const OF_KERNELS: &[&str] = &[
    "shared_mem_promotion",
    "kernel_tiling",
    "kernel_partial_flattening",
    "kernel_transform",
    "kernel_arg",
    "auto_vectorize",
    "kernel",
    "cuda_launch_bounds",
];

/// Attributes that only document.
pub(super) const DOCUMENTATION: &[&str] = &["meta", "author", "doc"];

/// What `kernel target=..` may name.
fn target(word: &str) -> Option<Target> {
    Some(match word {
        "cpu" => Target::Processor,
        "gpu" => Target::Device,
        "cuda" | "nvidia_cuda" => Target::Cuda,
        "opencl" => Target::OpenCl,
        "nvidia_opencl" => Target::NvidiaOpenCl,
        "amd_opencl" => Target::AmdOpenCl,
        _ => return None,
    })
}

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
    pub(super) fn loop_attributes(&mut self, span: Span) -> LoopAttributes {
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.skewed = self.skewed;
        if attributes.mode == LoopMode::Automatic && !self.automatic {
            attributes.mode = LoopMode::Host;
            if !self.cx.options.settings.loop_parallelizer && !self.on_device() && self.loops.is_empty() {
                messages::parallelizer_off(self.cx.sink, span);
            }
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
        if self.on_device() { &mut self.kernel } else { self.attributes.kernel.get_or_insert_default() }
    }

    /// Attributes of kernels. What cannot be read is said, and has no effect.
    fn kernel_attribute(&mut self, name: &str, attribute: &'a ast::Attribute) {
        let span = attribute.span;
        match name {
            "kernel_tiling" => {
                self.asked_of_kernel().tiling = Some(Tiling { local: false, dims: None, span });
            }
            "auto_vectorize" => {
                self.asked_of_kernel().vectors = Some(Vectors { width: None, span });
            }
            "kernel_arg" => self.asked_of_kernel().args.push(KernelArg { span, ..KernelArg::default() }),
            _ => {}
        }
        for argument in &attribute.arguments {
            let key = argument.key.as_ref().map_or("", |key| key.text.as_str());
            let known = match name {
                "kernel_tiling" => self.tiling(key, &argument.value),
                "kernel_arg" => self.kernel_arg(key, &argument.value),
                "cuda_launch_bounds" => self.launch_bounds(key, &argument.value, span),
                "auto_vectorize" => self.vectors(key, &argument.value, span),
                _ => self.kernel_argument(name, key, &argument.value, span),
            };
            if known.is_none() {
                attribute_schema::argument_ignored(self.cx.sink, argument.value.span, name, key);
            }
        }
        let without_use = |arg: &&KernelArg| arg.slices.is_some() && arg.access != "shared";
        if name == "kernel_arg" && self.asked_of_kernel().args.last().as_ref().is_some_and(without_use) {
            attribute_schema::slices_ignored(self.cx.sink, span);
        }
    }

    fn kernel_argument(&mut self, name: &str, key: &str, value: &'a ast::Expr, span: Span) -> Option<()> {
        let numbers = self.numbers(value);
        let word = self.word(value);
        let asked = self.asked_of_kernel();
        match (name, key) {
            ("shared_mem_promotion", "assume_blk_constant") => asked.declared_uniform.extend(names(value)?),
            ("kernel_partial_flattening", "dim") => match numbers.as_deref() {
                Some([dims]) => asked.flattening = Some((*dims, span)),
                _ => return None,
            },
            ("kernel", "name") => asked.name = Some(word?),
            ("kernel", "target") => match word?.as_str() {
                "" => {}
                word => asked.target = target(word)?,
            },
            ("kernel", "memorymodel") => {
                match word?.as_str() {
                    // Memory of the host, and so the processor.
                    "cooperative" => asked.target = Target::Processor,
                    "concurrent" => {}
                    _ => return None,
                }
                asked.memory_model = true;
            }
            _ => return None,
        }
        Some(())
    }

    fn kernel_arg(&mut self, key: &str, value: &'a ast::Expr) -> Option<()> {
        let (numbers, word, integers) = (self.numbers(value), self.word(value), self.integers(value));
        let slices = self.slices(value);
        let arg = self.asked_of_kernel().args.last_mut()?;
        match key {
            "name" => arg.name = names(value)?.into_iter().next()?,
            "type" => {
                arg.direction = word.filter(|word| matches!(&**word, "in" | "out" | "inout" | "const"))?
            }
            "access" => {
                let known = ["randomaccess", "localwindow", "shared", "sequential"];
                arg.access = word.filter(|word| known.contains(&word.as_str()))?;
            }
            "cache_slices" => arg.slices = Some(slices?),
            "op" => arg.op = Some(word?),
            "min" => arg.window[0] = Some(integers?),
            "max" => arg.window[1] = Some(integers?),
            "numel" => match numbers.as_deref() {
                Some([most]) => arg.numel = Some(*most),
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }

    /// `v[:, a, 0..3]` as the array and what of each axis is meant.
    fn slices(&self, value: &'a ast::Expr) -> Option<(String, Vec<Slice>)> {
        let ast::ExprKind::Index { base, indices } = &self.tuned(value).kind else { return None };
        let ast::ExprKind::Name(name) = &base.kind else { return None };
        let slice = |index: &'a ast::IndexArg| match index {
            ast::IndexArg::All(_) => Some(Slice::All),
            ast::IndexArg::Expr(ast::Expr {
                kind: ast::ExprKind::Range { from, step: None, to }, ..
            }) => Some(Slice::Range(self.linear(from)?, self.linear(to)?)),
            ast::IndexArg::Expr(at) => Some(Slice::At(self.linear(at)?)),
            ast::IndexArg::Spread(_) => None,
        };
        Some((name.clone(), indices.iter().map(slice).collect::<Option<_>>()?))
    }

    /// A number, or a multiple of a variable with a number added.
    fn linear(&self, expr: &'a ast::Expr) -> Option<Linear> {
        if let Some([offset]) = self.integers(expr).as_deref() {
            return Some(Linear { offset: *offset, ..Linear::default() });
        }
        let variable =
            |name: &str, component| Linear { factor: 1, name: Some((name.to_owned(), component)), offset: 0 };
        match &self.tuned(expr).kind {
            ast::ExprKind::Paren(inner) => self.linear(inner),
            ast::ExprKind::Name(name) => Some(variable(name, 0)),
            ast::ExprKind::Index { base, indices } => {
                let ast::ExprKind::Name(name) = &base.kind else { return None };
                let [ast::IndexArg::Expr(component)] = indices.as_slice() else { return None };
                let [component] = self.numbers(component)?[..] else { return None };
                Some(variable(name, component as usize))
            }
            ast::ExprKind::Infix { op, lhs, rhs } => {
                let (a, b) = (self.linear(lhs)?, self.linear(rhs)?);
                match (op, &a.name, &b.name) {
                    (ast::InfixOp::Add, _, None) => {
                        Some(Linear { offset: a.offset.checked_add(b.offset)?, ..a })
                    }
                    (ast::InfixOp::Add, None, _) => {
                        Some(Linear { offset: a.offset.checked_add(b.offset)?, ..b })
                    }
                    (ast::InfixOp::Subtract, _, None) => {
                        Some(Linear { offset: a.offset.checked_sub(b.offset)?, ..a })
                    }
                    (ast::InfixOp::Multiply, _, None) => a.times(b.offset),
                    (ast::InfixOp::Multiply, None, _) => b.times(a.offset),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn launch_bounds(&mut self, key: &str, value: &'a ast::Expr, span: Span) -> Option<()> {
        let number = match self.numbers(value).as_deref() {
            Some([number]) if *number > 0 => *number,
            _ => return None,
        };
        let bounds = &mut self.asked_of_kernel().bounds;
        match (key, bounds) {
            ("max_threads_per_block", bounds) => {
                *bounds = Some(LaunchBounds { threads: number, blocks: None, span });
            }
            ("min_blocks", Some(bounds)) => bounds.blocks = Some(number),
            _ => return None,
        }
        Some(())
    }

    /// An argument of `auto_vectorize`.
    fn vectors(&mut self, key: &str, value: &'a ast::Expr, span: Span) -> Option<()> {
        match (key, self.numbers(value).as_deref()) {
            ("width", Some([width])) if *width > 0 => {
                self.asked_of_kernel().vectors = Some(Vectors { width: Some(*width), span });
                Some(())
            }
            _ => None,
        }
    }

    /// An argument of `kernel_tiling`.
    fn tiling(&mut self, key: &str, value: &'a ast::Expr) -> Option<()> {
        let (word, numbers) = (self.word(value), self.numbers(value));
        let tiling = self.asked_of_kernel().tiling.as_mut()?;
        match (key, word.as_deref(), numbers) {
            ("mode", Some("global"), _) => tiling.local = false,
            ("mode", Some("local"), _) => tiling.local = true,
            ("dims", Some("auto"), _) => tiling.dims = None,
            ("dims", _, Some(dims)) if !dims.contains(&0) => tiling.dims = Some(dims),
            ("target", Some(_), _) => {}
            _ => return None,
        }
        Some(())
    }

    /// `{!function_transform enable=".."}` and `{!kernel_transform disable=".."}`
    fn transform(&mut self, attribute: &'a ast::Attribute) {
        let (span, of_kernel) = (attribute.span, attribute.words[0].text == "kernel_transform");
        for argument in &attribute.arguments {
            let place = argument.value.span;
            let key = argument.key.as_ref().map_or("", |key| key.text.as_str());
            let on = match key {
                "enable" => true,
                "disable" => false,
                _ => {
                    attribute_schema::argument_ignored(self.cx.sink, place, &attribute.words[0].text, key);
                    continue;
                }
            };
            let Some(name) = self.word(&argument.value) else {
                messages::no_transform(self.cx.sink, place, "");
                continue;
            };
            // A switch that is off.
            if name.is_empty() {
                continue;
            }
            match (standing(&name), self.on_device()) {
                (None, _) => messages::no_transform(self.cx.sink, place, &name),
                (Some(Standing::OfKernels), on_device) if on_device || of_kernel => {
                    let enabled = &mut self.asked_of_kernel().enabled;
                    match on {
                        true => enabled.push((name, span)),
                        false => enabled.retain(|(known, _)| *known != name),
                    }
                }
                (Some(Standing::OfKernels), _) => {
                    let why = "write it first inside of the kernel or loop, or as `kernel_transform` before the loop";
                    messages::transform_elsewhere(self.cx.sink, place, &name, why);
                }
                (Some(Standing::Skewing), false) => {
                    self.switched.get_or_insert((self.automatic, self.skewed));
                    self.skewed = on.then_some(span);
                }
                (Some(Standing::Parallel), false) => {
                    self.switched.get_or_insert((self.automatic, self.skewed));
                    self.automatic = on;
                }
                (Some(Standing::Skewing | Standing::Parallel), true) => {
                    let why = "it is about loops of host functions";
                    messages::transform_elsewhere(self.cx.sink, place, &name, why);
                }
                (Some(Standing::Constants(_)), _) if !on => self.asked_of_kernel().constants_stay = true,
                (Some(Standing::Constants(how)), _) => {
                    self.asked_of_kernel().constants_stay = false;
                    messages::transform_always(self.cx.sink, place, &name, how);
                }
                (Some(Standing::Always(how)), _) if on => {
                    messages::transform_always(self.cx.sink, place, &name, how);
                }
                (Some(Standing::Always(how)), _) => {
                    messages::transform_stays(self.cx.sink, place, &name, how);
                }
                (Some(Standing::Elsewhere(how)), _) => {
                    messages::transform_elsewhere(self.cx.sink, place, &name, how);
                }
            }
        }
    }

    /// `{!tuning_param name="$p"; default=v; ..}`: what stands for `$p` in other attributes.
    fn tuning_param(&mut self, attribute: &'a ast::Attribute) {
        let value = |key: &str| {
            let with_key =
                |argument: &&'a ast::AttributeArg| argument.key.as_ref().is_some_and(|k| k.text == key);
            attribute.arguments.iter().find(with_key).map(|argument| &argument.value)
        };
        let (Some(name), Some(chosen)) = (value("name").and_then(text), value("default")) else {
            return messages::tuning_without_default(self.cx.sink, attribute.span);
        };
        // What was given from outside stands in place of the default value.
        let range = value("range").map(|range| self.items(range)).unwrap_or_default();
        let among = |other: &&'a ast::Expr| {
            self.word(other) == self.word(chosen) && self.integers(other) == self.integers(chosen)
        };
        if !range.is_empty() && !range.iter().any(among) {
            let range = value("range").map_or(attribute.span, |range| range.span);
            messages::tuning_out_of_range(self.cx.sink, chosen.span, name, range);
        }
        messages::tuned(self.cx.sink, attribute.span, name, &crate::syntax::print_expr(chosen));
        self.tuned.push((name.to_string(), chosen));
    }

    /// The items of a list.
    fn items(&self, expr: &'a ast::Expr) -> Vec<&'a ast::Expr> {
        match &expr.kind {
            ast::ExprKind::Paren(inner) => self.items(inner),
            ast::ExprKind::Array(items) | ast::ExprKind::Cell(items) => {
                let item = |item: &'a ast::Element| match item {
                    ast::Element::Expr(item) => Some(item),
                    _ => None,
                };
                items.iter().filter_map(item).collect()
            }
            _ => vec![expr],
        }
    }

    /// What an expression in an attribute stands for.
    fn tuned(&self, expr: &'a ast::Expr) -> &'a ast::Expr {
        let ast::ExprKind::Meta { name, .. } = &expr.kind else { return expr };
        self.tuned.iter().rev().find(|(known, _)| known == name).map_or(expr, |(_, value)| value)
    }

    /// A word in quotes, or none for a switch that is off.
    fn word(&self, expr: &'a ast::Expr) -> Option<String> {
        let expr = self.tuned(expr);
        match &expr.kind {
            ast::ExprKind::Name(name) if name == "false" => Some(String::new()),
            _ => text(expr).map(str::to_string),
        }
    }

    fn integers(&self, expr: &'a ast::Expr) -> Option<Vec<i32>> {
        self.whole_numbers(expr)?.into_iter().map(|n| i32::try_from(n).ok()).collect()
    }

    /// As [`Lowering::integers`], where numbers must not be negative.
    fn numbers(&self, expr: &'a ast::Expr) -> Option<Vec<u32>> {
        self.whole_numbers(expr)?.into_iter().map(|n| u32::try_from(n).ok()).collect()
    }

    /// Whole numbers written as such or known at compile time, lists of them one after the other.
    fn whole_numbers(&self, expr: &'a ast::Expr) -> Option<Vec<i64>> {
        let expr = self.tuned(expr);
        match self.tables.constants.get(&expr.id) {
            Some(Constant::Scalar(value)) => return Some(vec![value.as_i64()]),
            Some(Constant::Array(_, values)) => {
                return Some(values.iter().map(|value| value.as_i64()).collect());
            }
            Some(Constant::Text(_)) | None => {}
        }
        match &expr.kind {
            ast::ExprKind::Number(ast::Number::Int(value)) => Some(vec![i64::try_from(*value).ok()?]),
            ast::ExprKind::Paren(inner) => self.whole_numbers(inner),
            ast::ExprKind::Prefix { op: ast::PrefixOp::Negate, operand } => {
                Some(self.whole_numbers(operand)?.into_iter().map(|n| -n).collect())
            }
            ast::ExprKind::Array(items) | ast::ExprKind::Cell(items) => {
                let mut all = Vec::new();
                for item in items {
                    let ast::Element::Expr(item) = item else { return None };
                    all.extend(self.whole_numbers(item)?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// The target that a statement names: `{!kernel target=".."}`.
    pub(super) fn target_in(&self, stmt: &'a ast::Stmt) -> Option<Target> {
        let ast::StmtKind::Attribute(attribute) = &stmt.kind else { return None };
        if !matches!(attribute.words.as_slice(), [word] if word.text == "kernel") {
            return None;
        }
        let value = |name: &str| {
            let mut arguments = attribute.arguments.iter();
            let argument =
                arguments.find(|argument| argument.key.as_ref().is_some_and(|key| key.text == name));
            self.word(&argument?.value)
        };
        match value("memorymodel").as_deref() {
            Some("cooperative") => Some(Target::Processor),
            _ => target(&value("target")?),
        }
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
            ["unroll"] => {
                self.attributes.unroll = Some(0);
                self.attributes.unrolled_at = Some(attribute.span);
            }
            ["tuning_param"] => return self.tuning_param(attribute),
            ["function_transform" | "kernel_transform"] => return self.transform(attribute),
            [name] if DOCUMENTATION.contains(&name) => return,
            [name] if OF_KERNELS.contains(&name) => return self.kernel_attribute(name, attribute),
            ["sched", ..] if !self.on_device() => return self.wish(attribute, &words),
            ["begin_grid_group" | "end_grid_group"] if self.instance.kind == ast::FunctionKind::Kernel => {
                return messages::open_group(self.cx.sink, attribute.span);
            }
            ["auto_specialize" | "auto_inline" | "inline"] => return,
            [name, ..] => return attribute_schema::ignored(self.cx.sink, attribute.span, name),
            [] => return,
        }
        for argument in &attribute.arguments {
            let key = argument.key.as_ref().map_or("", |key| key.text.as_str());
            if self.loop_argument(key, &argument.value).is_none() {
                attribute_schema::argument_ignored(self.cx.sink, argument.value.span, words[0], key);
            }
        }
    }

    fn loop_argument(&mut self, key: &str, value: &'a ast::Expr) -> Option<()> {
        let switch = match &value.kind {
            ast::ExprKind::Name(name) if name == "true" => Some(true),
            ast::ExprKind::Name(name) if name == "false" => Some(false),
            _ => None,
        };
        match (key, self.numbers(value).as_deref()) {
            ("blkdim", Some(sizes)) => self.attributes.block = Some(sizes.to_vec()),
            ("dim", Some([dims])) => self.attributes.dims = Some(*dims),
            ("times", Some([times])) => self.attributes.unroll = Some(*times),
            ("interleave", _) => self.attributes.interleave = switch?,
            ("multi_device", _) if !self.on_device() => self.attributes.multi_device = switch?,
            _ => return None,
        }
        Some(())
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
            (["sched", "cpu"], _, 0) => code(affinity::CPU),
            (["sched", "gpu"], _, 0) => code(affinity::GPU),
            (["sched", "auto"], _, 0) => code(affinity::AUTOMATIC),
            (["sched"], Some(index), _) => {
                ("place_launches_on_gpu", build::convert(self.expr(&index.value), &build::int_type()))
            }
            _ => return attribute_schema::no_schedule(self.cx.sink, span),
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

    pub(super) fn pragma(&mut self, name: &ast::Name, arguments: Option<&str>) {
        match (name.text.as_str(), arguments.map(str::trim)) {
            ("force_parallel", _) => self.attributes.mode = LoopMode::Parallel,
            ("force_serial", _) => self.attributes.mode = LoopMode::Serial,
            ("loop_parallelizer", Some("on")) => self.automatic = true,
            ("loop_parallelizer", Some("off")) => self.automatic = false,
            ("precision", Some(word @ ("single" | "double"))) => {
                let double = self.cx.options.settings.precision == ElementType::Double;
                if double != (word == "double") {
                    attribute_schema::other_precision(self.cx.sink, name.span, word, double);
                }
            }
            (other, _) => attribute_schema::no_pragma(self.cx.sink, name.span, other),
        }
    }
}
