//! Programs as text that reads like Quasar, with all types and conversions written out.

use super::schedule::{ArrayBox, Bands, Interleaved, PositionTile, StoreVector, TableRole, WrittenOut};
use super::{
    Block, Body, Coordinate, Dims, Expr, ExprKind, Failure, Function, Index, Kernel, LaunchMode,
    LoopAttributes, LoopMode, NoCopy, Program, Range, Scope, Stmt, StmtKind, Storage, VarId,
};
use crate::source::Span;
use crate::types::{ArrayType, Boundary, Rank, Type};
use quasar_devicelib::element::Scalar;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for (_, global) in program.globals.iter() {
        let _ = writeln!(out, "global {} : {}", global.name, type_text(&global.ty));
    }
    for (_, function) in program.functions.iter() {
        separate(&mut out);
        out.push_str(&function_text(program, function));
    }
    for (_, kernel) in program.kernels.iter() {
        separate(&mut out);
        out.push_str(&kernel_text(program, kernel));
    }
    if !program.exports.is_empty() {
        separate(&mut out);
    }
    for export in &program.exports {
        let _ = writeln!(out, "export {} = {}", export.name, program.functions[export.function].name);
    }
    out
}

/// The host and device functions only.
pub fn functions(program: &Program) -> String {
    let texts: Vec<String> = program.functions.iter().map(|(_, f)| function_text(program, f)).collect();
    texts.join("\n")
}

/// The kernels only.
pub fn kernels(program: &Program) -> String {
    let texts: Vec<String> = program.kernels.iter().map(|(_, k)| kernel_text(program, k)).collect();
    texts.join("\n")
}

/// One host or device function.
pub fn function_text(program: &Program, function: &Function) -> String {
    let mut printer = Printer::new(program, &function.body);
    let kind = if function.device { "__device__ " } else { "" };
    printer.header(kind, &function.name, "");
    printer.body();
    printer.out
}

/// One kernel.
pub fn kernel_text(program: &Program, kernel: &Kernel) -> String {
    let mut printer = Printer::new(program, &kernel.body);
    printer.header("__kernel__ ", &kernel.name, &kernel_notes(kernel, &printer));
    printer.body();
    printer.out
}

/// What a kernel is beside its code.
fn kernel_notes(kernel: &Kernel, printer: &Printer<'_>) -> String {
    let mut notes = format!(" % rank {}", kernel.rank);
    if !kernel.parallel {
        notes.push_str(", serial");
    }
    if kernel.aliased {
        notes.push_str(", aliased");
    }
    for accumulator in &kernel.accumulators {
        let _ = write!(notes, ", {} over {}", accumulator.row.name, printer.name(accumulator.variable));
    }
    if kernel.schedule.one_thread {
        notes.push_str(", on one thread");
    }
    if !kernel.schedule.origin.is_empty() {
        let _ = write!(notes, ", from {:?}", kernel.schedule.origin);
    }
    if let Some(vector) = &kernel.schedule.vector {
        let _ = write!(notes, ", vectors of {}", vector.lanes);
        if let Some(lanes) = vector.widest {
            let _ = write!(notes, " behind those of {lanes}");
        }
    }
    if let Some(device) = &kernel.schedule.device {
        let _ = write!(notes, ", {device}");
    }
    if kernel.schedule.linearized {
        notes.push_str(", linearized");
    }
    if let Some(vector) = &kernel.schedule.collapsed {
        let _ = write!(notes, ", collapsed vectors of {}", vector.lanes);
    }
    for Interleaved { array, elements, .. } in kernel.schedule.vector.iter().flat_map(|v| &v.interleaved) {
        let name = &kernel.body.variables[*array].name;
        let _ = write!(notes, ", {name} interleaved by {elements}");
    }
    for Bands { array, places, .. } in &kernel.schedule.bands {
        let name = &kernel.body.variables[*array].name;
        let _ = write!(notes, ", {name} in bands of {} places", places.len());
    }
    if kernel.schedule.vector.as_ref().is_some_and(|vector| !vector.columns.is_empty()) {
        notes.push_str(", between bounds");
    }
    if kernel.schedule.vector.iter().chain(&kernel.schedule.collapsed).any(|vector| !vector.within.is_empty())
    {
        notes.push_str(", loops over windows from the position for columns inside");
    }
    for StoreVector { array, apart, .. } in kernel.schedule.vector.iter().flat_map(|v| &v.stores) {
        let name = &kernel.body.variables[*array].name;
        let _ = write!(notes, ", vectors of {name} by {apart}");
    }
    if let Some(short) = &kernel.schedule.short_rows {
        let _ = write!(notes, ", rows up to {} one by one", short.most);
    }
    if let Some(PositionTile { axis, rows, columns }) = &kernel.schedule.position_tile {
        let _ = write!(notes, ", positions in tiles of {rows} by {columns} along {axis}");
    }
    for ArrayBox { array, extents, .. } in kernel.schedule.boxes.iter().flat_map(|boxes| &boxes.arrays) {
        let (name, extents) = (&kernel.body.variables[*array].name, extents.iter().map(u32::to_string));
        let _ = write!(notes, ", boxes of {name} [{}]", extents.collect::<Vec<_>>().join(","));
    }
    if let Some(WrittenOut { of, positions }) = &kernel.schedule.written_out {
        let _ = write!(notes, ", {positions} positions of {of}");
    }
    if let Some(of) = &kernel.schedule.untested {
        let _ = write!(notes, ", {of} inside its arrays");
    }
    match &kernel.schedule.tables {
        Some(TableRole::Fills) => notes.push_str(", fills tables"),
        Some(TableRole::Reads { of }) => {
            let _ = write!(notes, ", {of} with tables");
        }
        None => {}
    }
    if let Some(tile) = &kernel.schedule.tile {
        let _ = write!(notes, ", tiles of {} along {}", tile.rows, tile.axis);
    }
    if let Some(contraction) = &kernel.schedule.contraction {
        let _ = write!(notes, ", packed factors in tiles of {} along {}", contraction.rows, contraction.axis);
    }
    notes
}

/// The lines of a host or device function, each with the place of its statement; those of no statement have an empty place.
pub fn function_lines(program: &Program, function: &Function) -> Vec<(String, Span)> {
    let mut printer = Printer::new(program, &function.body);
    let kind = if function.device { "__device__ " } else { "" };
    printer.header(kind, &function.name, "");
    printer.body();
    printer.lines(function.span)
}

/// As [`function_lines`], of a kernel.
pub fn kernel_lines(program: &Program, kernel: &Kernel) -> Vec<(String, Span)> {
    let mut printer = Printer::new(program, &kernel.body);
    printer.header("__kernel__ ", &kernel.name, &kernel_notes(kernel, &printer));
    printer.body();
    printer.lines(kernel.span)
}

/// A block of the given body, for messages of tests.
pub fn block_text(program: &Program, body: &Body, block: &Block) -> String {
    let mut printer = Printer::new(program, body);
    printer.block(block);
    printer.out
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

struct Printer<'a> {
    program: &'a Program,
    body: &'a Body,
    names: Vec<String>,
    out: String,
    depth: usize,
    /// The statement that is printed, and that of each line so far behind the header.
    at: Span,
    places: Vec<Span>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, body: &'a Body) -> Self {
        let (at, places) = (Span::default(), Vec::new());
        Printer { program, body, names: unique_names(body), out: String::new(), depth: 1, at, places }
    }

    /// The lines with the places of their statements; the header has its own.
    fn lines(self, header: Span) -> Vec<(String, Span)> {
        let places = std::iter::once(header).chain(self.places).chain(std::iter::repeat(Span::default()));
        self.out.lines().map(str::to_string).zip(places).collect()
    }

    fn name(&self, variable: VarId) -> String {
        self.names.get(variable.index()).cloned().unwrap_or_else(|| format!("?{variable:?}"))
    }

    fn typed(&self, variable: VarId) -> String {
        let name = self.name(variable);
        let Some(info) = self.body.variables.iter().nth(variable.index()).map(|(_, v)| v) else {
            return name;
        };
        let mut text = format!("{name} : {}", type_text(&info.ty));
        text.push_str(boundary_text(info.boundary));
        if info.constant {
            text.push_str("'const");
        }
        if info.nocopy != NoCopy::Unknown {
            text.push_str("'nocopy");
        }
        text.push_str(match info.storage {
            Storage::Local => "",
            Storage::Shared => "'shared",
            Storage::Constant => "'hwconst",
        });
        text
    }

    fn header(&mut self, kind: &str, name: &str, notes: &str) {
        let list = |ids: &[VarId]| ids.iter().map(|v| self.typed(*v)).collect::<Vec<_>>().join(", ");
        let (results, params) = (list(&self.body.results), list(&self.body.params));
        let _ = writeln!(self.out, "function [{results}] = {kind}{name}({params}){notes}");
    }

    fn member(&self, object: &Expr, field: usize) -> String {
        let class = object.ty.class().and_then(|class| self.program.class(class));
        let name = class.and_then(|class| class.fields.get(field)).map_or("?", |field| field.name.as_str());
        format!("{}.{name}", self.expr(object))
    }

    fn body(&mut self) {
        let body = self.body;
        for (id, _) in body.variables.iter() {
            if !body.params.contains(&id) && !body.results.contains(&id) {
                let text = self.typed(id);
                self.line(&format!("local {text}"));
            }
        }
        self.block(&body.block);
        self.out.push_str("endfunction\n");
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
        self.places.extend(text.split('\n').map(|_| self.at));
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn indented(&mut self, block: &[Stmt]) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let around = std::mem::replace(&mut self.at, stmt.span);
        self.statement(stmt);
        self.at = around;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                let text = format!("{} = {}", self.name(*variable), self.expr(value));
                self.line(&text);
            }
            StmtKind::AssignGlobal { global, value } => {
                let text = format!("global {} = {}", self.program.globals[*global].name, self.expr(value));
                self.line(&text);
            }
            StmtKind::Store { array, index, boundary, value } => {
                let text = format!("{} = {}", self.place(array, index, *boundary), self.expr(value));
                self.line(&text);
            }
            StmtKind::Update { array, index, boundary, row, value, atomic, result } => {
                let atomic = if *atomic { "atomic " } else { "" };
                let place = self.place(array, index, *boundary);
                let text =
                    format!("{}{atomic}{place} {}= {}", self.target(*result), row.name, self.expr(value));
                self.line(&text);
            }
            StmtKind::Exchange { array, index, boundary, value, expected, result } => {
                let place = self.place(array, index, *boundary);
                let value = match expected {
                    Some(expected) => format!("({}, {})", self.expr(value), self.expr(expected)),
                    None => self.expr(value),
                };
                let text = format!("{}({place} <- {value})", self.target(*result));
                self.line(&text);
            }
            StmtKind::SetMember { object, field, value } => {
                let text = format!("{} = {}", self.member(object, *field), self.expr(value));
                self.line(&text);
            }
            StmtKind::Shared { variable, dims, zeroed } => {
                let function = if *zeroed { "shared_zeros" } else { "shared" };
                let text = format!("{} = {function}({})", self.name(*variable), self.list(dims));
                self.line(&text);
            }
            StmtKind::Call { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Library { .. }
            | StmtKind::Launch { .. }
            | StmtKind::Fail { .. }
            | StmtKind::Assert { .. } => self.call(stmt),
            StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::ForEach { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Strips { .. }
            | StmtKind::Try { .. } => self.compound(stmt),
            StmtKind::Break { levels } => self.line(&format!("break {levels}")),
            StmtKind::Continue { levels } => self.line(&format!("continue {levels}")),
            StmtKind::Barrier(scope) => self.line(&format!("syncthreads({})", scope_text(*scope))),
            StmtKind::Fence(scope) => self.line(&format!("memfence({})", scope_text(*scope))),
        }
    }

    fn call(&mut self, stmt: &Stmt) {
        let text = match &stmt.kind {
            StmtKind::Call { function, args, results } => {
                format!(
                    "{}{}({})",
                    self.targets(results),
                    self.program.functions[*function].name,
                    self.list(args)
                )
            }
            StmtKind::CallValue { callee, args, results } => {
                format!("{}({})({})", self.targets(results), self.expr(callee), self.list(args))
            }
            StmtKind::Library { name, args, results } => {
                format!("{}${name}({})", self.targets(results), self.list(args))
            }
            StmtKind::Launch { kernel, dims, block, args, results, mode } => {
                let function = match mode {
                    LaunchMode::Parallel => "parallel_do",
                    LaunchMode::Serial => "serial_do",
                    LaunchMode::Devices => "multi_parallel_do",
                    LaunchMode::IfProfitable => "offered_do",
                };
                let mut dims = self.dims(dims);
                if let Some(block) = block {
                    dims = format!("[{dims}, {}]", self.dims(block));
                }
                let args: String = args.iter().map(|a| self.expr(a) + ", ").collect();
                let kernel = &self.program.kernels[*kernel].name;
                format!("{}{function}({dims}, {args}{kernel})", self.targets(results))
            }
            StmtKind::Fail { failure, message } => {
                let word = match failure {
                    Failure::Raised => "error",
                    Failure::Size => "size_error",
                    Failure::Argument => "argument_error",
                    Failure::Unset => "unset_error",
                };
                format!("{word}({})", self.list(message))
            }
            StmtKind::Assert { condition, text, message } => {
                let message: String = message.iter().map(|m| String::from(", ") + &self.expr(m)).collect();
                let text = if text.is_empty() { String::new() } else { format!(", {text:?}") };
                format!("assert({}{text}{message})", self.expr(condition))
            }
            _ => return,
        };
        self.line(&text);
    }

    fn compound(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let text = format!("if {}", self.expr(condition));
                self.line(&text);
                self.indented(then);
                if !otherwise.is_empty() {
                    self.line("else");
                    self.indented(otherwise);
                }
                self.line("endif");
            }
            StmtKind::For { variable, range, body, attributes } => {
                self.attributes(attributes);
                let text = format!("for {} = {}", self.name(*variable), self.range(range));
                self.line(&text);
                self.indented(body);
                self.line("endfor");
            }
            StmtKind::ForEach { variable, over, body, attributes } => {
                self.attributes(attributes);
                let text = format!("for {} = each {}", self.name(*variable), self.expr(over));
                self.line(&text);
                self.indented(body);
                self.line("endfor");
            }
            StmtKind::While { condition, body } => {
                let text = format!("while {}", self.expr(condition));
                self.line(&text);
                self.indented(body);
                self.line("endwhile");
            }
            StmtKind::Repeat { body, test, until } => {
                self.line("repeat");
                self.indented(body);
                if !test.is_empty() {
                    self.line("test");
                    self.indented(test);
                }
                let text = format!("until {}", self.expr(until));
                self.line(&text);
            }
            StmtKind::Strips { buffers, body } => {
                let names: Vec<_> = buffers.iter().map(|v| self.name(*v)).collect();
                self.line(&format!("strips {}", names.join(", ")));
                self.indented(body);
                self.line("endstrips");
            }
            StmtKind::Try { body, handlers } => {
                self.line("try");
                self.indented(body);
                for handler in handlers {
                    let name = handler.variable.map(|v| format!(" {}", self.name(v))).unwrap_or_default();
                    let class = handler.exception.map(|e| format!(" : {}", e.name())).unwrap_or_default();
                    self.line(&format!("catch{name}{class}"));
                    self.indented(&handler.block);
                }
                self.line("endtry");
            }
            _ => {}
        }
    }

    fn attributes(&mut self, attributes: &LoopAttributes) {
        let mut words = Vec::new();
        match attributes.mode {
            LoopMode::Automatic => {}
            LoopMode::Parallel => words.push("parallel for".to_string()),
            LoopMode::Serial => words.push("serial for".to_string()),
            LoopMode::Host => words.push("interpreted for".to_string()),
            LoopMode::Threads => words.push("threads for".to_string()),
        }
        if let Some(block) = &attributes.block {
            words.push(format!("blkdim={block:?}"));
        }
        if let Some(dims) = attributes.dims {
            words.push(format!("dim={dims}"));
        }
        if attributes.skewed.is_some() {
            words.push("imperfectloop".to_string());
        }
        if attributes.every_position {
            words.push("grid_group".to_string());
        }
        if attributes.multi_device {
            words.push("multi_device=true".to_string());
        }
        if let Some(times) = attributes.unroll {
            words.push(format!("unroll times={times}"));
        }
        if !words.is_empty() {
            self.line(&format!("{{!{}}}", words.join("; ")));
        }
    }

    fn target(&self, result: Option<VarId>) -> String {
        result.map(|v| format!("{} = ", self.name(v))).unwrap_or_default()
    }

    fn targets(&self, results: &[Option<VarId>]) -> String {
        let name = |v: &Option<VarId>| v.map_or("_".to_string(), |v| self.name(v));
        match results {
            [] => String::new(),
            [one] => format!("{} = ", name(one)),
            many => format!("[{}] = ", many.iter().map(name).collect::<Vec<_>>().join(", ")),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn dims(&self, dims: &Dims) -> String {
        match dims {
            Dims::Each(each) => format!("[{}]", self.list(each)),
            Dims::Vector(vector) => self.expr(vector),
        }
    }

    fn range(&self, range: &Range) -> String {
        match &range.step {
            Some(step) => {
                format!("{}..{}..{}", self.expr(&range.from), self.expr(step), self.expr(&range.to))
            }
            None => format!("{}..{}", self.expr(&range.from), self.expr(&range.to)),
        }
    }

    fn place(&self, array: &Expr, index: &[Index], boundary: Boundary) -> String {
        let index: Vec<String> = index
            .iter()
            .map(|index| match index {
                Index::At(e) => self.expr(e),
                Index::Range(range) => self.range(range),
                Index::List(e) => format!("list {}", self.expr(e)),
                Index::All => ":".to_string(),
                Index::Position(e) => format!("...{}", self.expr(e)),
            })
            .collect();
        format!("{}[{}]{}", self.expr(array), index.join(", "), boundary_text(boundary))
    }

    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Constant(value) => constant_text(*value),
            ExprKind::Text(text) => format!("{text:?}"),
            ExprKind::Null => "nullptr".to_string(),
            ExprKind::Local(variable) => self.name(*variable),
            ExprKind::Global(global) => format!("global {}", self.program.globals[*global].name),
            ExprKind::Apply { row, args } => self.apply(row.name, args),
            ExprKind::Convert(inner) => format!("({} -> {})", self.expr(inner), type_text(&expr.ty)),
            ExprKind::And(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            ExprKind::Select { condition, then, otherwise } => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Array(items) => format!("[{}]", self.list(items)),
            ExprKind::Tuple(items) => format!("{{{}}}", self.list(items)),
            ExprKind::Field(tuple, index) => format!("{}.{index}", self.expr(tuple)),
            ExprKind::New(fields) => format!("new {}({})", type_text(&expr.ty), self.list(fields)),
            ExprKind::Function { function, captures } => {
                format!("function {}({})", self.program.functions[*function].name, self.list(captures))
            }
            ExprKind::Member(object, field) => self.member(object, *field),
            ExprKind::Same(a, b) => format!("same({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Sequence(range) => format!("({})", self.range(range)),
            ExprKind::Load { array, index, boundary } => self.place(array, index, *boundary),
            ExprKind::Extent(array, axis) => format!("size({}, {axis})", self.expr(array)),
            ExprKind::Count(array) => format!("numel({})", self.expr(array)),
            ExprKind::Reduce { row, arg, axis: None } => format!("fold[{}]({})", row.name, self.expr(arg)),
            ExprKind::Reduce { row, arg, axis: Some(axis) } => {
                format!("fold[{}]({}, {axis})", row.name, self.expr(arg))
            }
            ExprKind::Library { name, args } => format!("${name}({})", self.list(args)),
            ExprKind::BlockSize(asked) => {
                let name = if asked.largest { "max_block_size" } else { "opt_block_size" };
                let kernel = asked.kernel.iter().map(|(name, _)| format!("kernel {name}"));
                let dims = asked.dims.iter().map(|dims| self.expr(dims));
                format!("{name}({})", kernel.chain(dims).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Coordinate(coordinate, component) => {
                format!("{}.{component}", coordinate_text(*coordinate))
            }
        }
    }

    fn apply(&self, name: &str, args: &[Expr]) -> String {
        match (operator(name), args) {
            (Some(operator), [a, b]) => format!("({} {operator} {})", self.expr(a), self.expr(b)),
            (Some(operator), [a]) => format!("{operator}{}", self.expr(a)),
            _ => format!("{name}({})", self.list(args)),
        }
    }
}

/// Names in the order of the variables; what would stand there twice gets a number.
fn unique_names(body: &Body) -> Vec<String> {
    let mut seen = BTreeMap::new();
    let mut names = Vec::new();
    for (_, variable) in body.variables.iter() {
        let count = seen.entry(variable.name.as_str()).or_insert(0);
        *count += 1;
        names.push(if *count == 1 { variable.name.clone() } else { format!("{}'{count}", variable.name) });
    }
    names
}

fn operator(row: &str) -> Option<&'static str> {
    Some(match row {
        "add" => "+",
        "subtract" => "-",
        "multiply" => "*",
        "divide" => "/",
        "power" => "^",
        "negate" => "-",
        "equal" => "==",
        "not_equal" => "!=",
        "less" => "<",
        "less_equal" => "<=",
        "greater" => ">",
        "greater_equal" => ">=",
        "logical_not" => "!",
        _ => return None,
    })
}

/// A number so that its type can be seen: floats have a point, other types than `int` and `scalar` are named.
pub fn constant_text(value: Scalar) -> String {
    match value {
        Scalar::I32(v) => v.to_string(),
        Scalar::F32(v) => format!("{v:?}"),
        Scalar::F64(v) => format!("{v:?}'double"),
        Scalar::F16(v) => format!("{v:?}'half"),
        Scalar::I8(v) => format!("{v}'int8"),
        Scalar::I16(v) => format!("{v}'int16"),
        Scalar::I64(v) => format!("{v}'int64"),
        Scalar::U8(v) => format!("{v}'uint8"),
        Scalar::U16(v) => format!("{v}'uint16"),
        Scalar::U32(v) => format!("{v}'uint32"),
        Scalar::U64(v) => format!("{v}'uint64"),
        Scalar::C32(v) => format!("complex({:?}, {:?})", v.re, v.im),
        Scalar::C64(v) => format!("complex({:?}, {:?})'double", v.re, v.im),
    }
}

fn boundary_text(boundary: Boundary) -> &'static str {
    match boundary {
        Boundary::Checked => "",
        Boundary::Safe => "'safe",
        Boundary::Circular => "'circular",
        Boundary::Mirror => "'mirror",
        Boundary::Clamped => "'clamped",
        Boundary::Unchecked => "'unchecked",
    }
}

fn scope_text(scope: Scope) -> &'static str {
    match scope {
        Scope::Warp => "warp",
        Scope::Block => "block",
        Scope::Grid => "grid",
        Scope::Host => "host",
    }
}

/// The name of a special kernel parameter.
pub fn coordinate_text(coordinate: Coordinate) -> &'static str {
    match coordinate {
        Coordinate::Position => "pos",
        Coordinate::BlockPosition => "blkpos",
        Coordinate::BlockDim => "blkdim",
        Coordinate::BlockIndex => "blkidx",
        Coordinate::BlockCount => "blkcnt",
        Coordinate::LaunchDim => "$dims",
        Coordinate::WarpSize => "warpsize",
    }
}

/// A type in its canonical spelling; functions and enums without their names.
pub fn type_text(ty: &Type) -> String {
    let list = |types: &mut dyn Iterator<Item = &Type>| types.map(type_text).collect::<Vec<_>>().join(", ");
    match ty {
        Type::Error => "error".to_string(),
        Type::Unit => "()".to_string(),
        Type::Dynamic => "??".to_string(),
        Type::Scalar(..) => ty.to_string(),
        Type::Text => "string".to_string(),
        Type::Array(array) => array_text(array),
        Type::Tuple(items) => format!("{{{}}}", list(&mut items.iter())),
        Type::Enum(_) => "enum".to_string(),
        Type::Closure(closure) => {
            format!("closure{{{}}}", list(&mut closure.captures.iter().map(|(_, ty)| ty)))
        }
        Type::Choice(candidates) => format!("choice of {}", candidates.len()),
        Type::Function(function) => {
            let params = list(&mut function.params.iter().map(|(_, ty)| ty));
            format!("[({params}) -> ({})]", list(&mut function.results.iter()))
        }
        Type::TypeValue => "type".to_string(),
        Type::Null => "nullptr".to_string(),
        Type::Class(class) => class.name.clone(),
        Type::Pointer(class) => format!("^{}", class.name),
        Type::Group(_) => "thread_block".to_string(),
    }
}

fn array_text(array: &ArrayType) -> String {
    let mut text = match array.rank {
        Rank::Known(1) => "vec".to_string(),
        Rank::Known(2) => "mat".to_string(),
        Rank::Known(3) => "cube".to_string(),
        Rank::Known(rank) => format!("cube{{{rank}}}"),
        Rank::Any => "cube{:}".to_string(),
    };
    let element = type_text(&array.element);
    if element != "scalar" {
        text = format!("{text}[{element}]");
    }
    if array.sizes.iter().any(Option::is_some) {
        let sizes: Vec<String> =
            array.sizes.iter().map(|size| size.map_or(":".to_string(), |size| size.to_string())).collect();
        text = format!("{text}({})", sizes.join(","));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build::{self, array_type, int_type, scalar_type};
    use crate::ir::{Global, Variable};
    use crate::source::Span;
    use crate::types::{ElementType, Overflow};

    #[test]
    fn types_have_their_canonical_spelling() {
        let vec = array_type(scalar_type(ElementType::Single), 1);
        assert_eq!(type_text(&vec), "vec");
        assert_eq!(type_text(&array_type(vec, 2)), "mat[vec]");
        let sizes = vec![None, None, Some(3)];
        assert_eq!(type_text(&build::sized_type(int_type(), sizes)), "cube[int](:,:,3)");
        assert_eq!(type_text(&Type::Scalar(ElementType::UInt8, Overflow::Saturate)), "uint8'sat");
    }

    #[test]
    fn functions_read_like_quasar() {
        let at = Span::default();
        let mut program = Program::default();
        let global = program.globals.push(Global { name: "gain".to_string(), ty: int_type() });
        let mut body = Body::default();
        let x = body.variables.push(Variable::new("x", array_type(int_type(), 1), at));
        let y = body.variables.push(Variable::new("y", int_type(), at));
        let i = body.variables.push(Variable::new("i", int_type(), at));
        let other = body.variables.push(Variable::new("i", scalar_type(ElementType::Single), at));
        body.params = vec![x];
        body.results = vec![y];
        let element = build::load(body.read(x, at), vec![body.read(i, at)], Boundary::Mirror, at);
        let range = build::range(build::int(0, at), build::extent(body.read(x, at), 0, at));
        let attributes = LoopAttributes { mode: LoopMode::Serial, ..LoopAttributes::default() };
        let inner = vec![build::assign(y, element)];
        body.block = vec![
            Stmt::new(StmtKind::For { variable: i, range, body: inner, attributes }, at),
            build::assign(other, build::convert(body.read(y, at), &scalar_type(ElementType::Single))),
            Stmt::new(StmtKind::AssignGlobal { global, value: body.read(y, at) }, at),
        ];
        let function = Function {
            name: "f".to_string(),
            source_name: "f".to_string(),
            device: false,
            processor: false,
            lambda: false,
            body,
            span: at,
        };
        let expected = "\
function [y : int] = f(x : vec[int])
    local i : int
    local i'2 : scalar
    {!serial for}
    for i = 0..size(x, 0)
        y = x[i]'mirror
    endfor
    i'2 = (y -> scalar)
    global gain = y
endfunction
";
        assert_eq!(function_text(&program, &function), expected);
    }
}
