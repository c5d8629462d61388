//! Compiles IR bodies to instructions: flattens statements, maps variables to slots, and selects operators by type once
//! instead of at each execution.

use super::code::{
    BlockNode, Code, Conversion, EnumNames, ExchangeOp, Extents, IndexNode, LaunchOp, MemberOp, Needs, Node,
    Op, Output, Place, RangeNode, StoreOp, Target, UpdateOp,
};
use super::texts::Origin;
use super::{objects, operators};
use crate::analysis::blocks::asked_about;
use crate::ir::build::unconverted;
use crate::ir::texts::EVAL;
use crate::ir::{
    Block, Body, Dims, Expr, ExprKind, Function, Handler, Index, Kernel, LaunchMode, Program, Range, Scope,
    Stmt, StmtKind, VarId, build, is_warp_function,
};
use crate::source::Span;
use crate::types::{ArrayType, Boundary as AccessMode, ElementType, Overflow, Type};
use quasar_devicelib::value::Value;
use quasar_devicelib::value::index::Boundary;
use std::rc::Rc;

/// Deeper nesting of expressions and statements is refused, since both are processed recursively.
const MAX_NESTING: usize = 400;

/// The instructions of a host or device function.
pub(super) fn function(origin: &Origin<'_>, place: usize, function: &Function) -> Code {
    let mut compiler = Compiler::new(origin, &function.body, function.device);
    compiler.block(&function.body.block);
    let results = function.body.results.iter().map(|&v| compiler.target(v)).collect();
    compiler.finish(place, &function.source_name, results, Vec::new())
}

/// The instructions of a kernel.
pub(super) fn kernel(origin: &Origin<'_>, place: usize, kernel: &Kernel) -> Code {
    let mut compiler = Compiler::new(origin, &kernel.body, true);
    let mut outputs = Vec::new();
    for (k, &variable) in kernel.body.results.iter().enumerate() {
        let row = kernel.accumulators.iter().find(|a| a.variable == variable).map(|a| a.row);
        if row.is_none() {
            compiler.outputs[variable.index()] = Some(k as u32);
        }
        outputs.push(Output { ty: kernel.body.variables[variable].ty.clone(), row });
    }
    compiler.block(&kernel.body.block);
    let results = kernel.body.results.iter().map(|&v| compiler.target(v)).collect();
    compiler.finish(place, kernel.shown_name(), results, outputs)
}

/// Pending jumps out of a loop.
struct LoopFrame {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    /// How many `try` bodies enclose the loop.
    tries: u32,
}

struct Compiler<'p> {
    program: &'p Program,
    origin: &'p Origin<'p>,
    body: &'p Body,
    /// Whether it runs in threads of a launch.
    device: bool,
    /// The results that all threads share, by variable.
    outputs: Vec<Option<u32>>,
    names: Vec<Rc<str>>,
    ops: Vec<Op>,
    spans: Vec<Span>,
    span: Span,
    loops: Vec<LoopFrame>,
    /// The number of active loops with state, and its maximum.
    depth: usize,
    max_depth: usize,
    tries: u32,
    nesting: usize,
    needs: Needs,
}

impl<'p> Compiler<'p> {
    fn new(origin: &'p Origin<'p>, body: &'p Body, device: bool) -> Self {
        Compiler {
            program: origin.program(),
            origin,
            body,
            device,
            outputs: vec![None; body.variables.len()],
            names: body.variables.iter().map(|(_, v)| Rc::from(v.name.as_str())).collect(),
            ops: Vec::new(),
            spans: Vec::new(),
            span: Span::default(),
            loops: Vec::new(),
            depth: 0,
            max_depth: 0,
            tries: 0,
            nesting: 0,
            needs: Needs::default(),
        }
    }

    fn finish(self, place: usize, name: &str, results: Vec<Target>, outputs: Vec<Output>) -> Code {
        Code {
            program: place,
            name: name.into(),
            recursive: false,
            params: self.body.params.iter().map(|v| v.index() as u32).collect(),
            results,
            names: self.names,
            loops: self.max_depth,
            ops: self.ops,
            spans: self.spans,
            needs: self.needs,
            outputs,
        }
    }

    fn emit(&mut self, op: Op) -> usize {
        self.ops.push(op);
        self.spans.push(self.span);
        self.ops.len() - 1
    }

    fn here(&self) -> u32 {
        self.ops.len() as u32
    }

    /// Patches a jump to target the next instruction.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.ops[jump] {
            Op::Jump(to) | Op::Unless { to, .. } => *to = here,
            Op::Next { exit, .. } => *exit = here,
            Op::Try { handler } => *handler = here,
            Op::Catch { next, .. } => *next = here,
            _ => {}
        }
    }

    fn target(&self, variable: VarId) -> Target {
        match self.outputs[variable.index()] {
            Some(k) => Target::Output(k),
            None => Target::Slot(variable.index() as u32),
        }
    }

    fn targets(&self, variables: &[Option<VarId>]) -> Box<[Target]> {
        variables.iter().map(|v| v.map_or(Target::Nowhere, |v| self.target(v))).collect()
    }

    fn block(&mut self, block: &Block) {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            self.emit(Op::Refuse("statements are nested too deeply".into()));
        } else {
            for stmt in block {
                self.span = stmt.span;
                self.statement(stmt);
            }
        }
        self.nesting -= 1;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                let copy = self.device && is_private(&self.body.variables[*variable].ty) && !is_fresh(value);
                let value = self.expr(value);
                self.emit(Op::Assign { target: self.target(*variable), value, copy });
            }
            StmtKind::AssignGlobal { global, value } => {
                let value = self.expr(value);
                self.emit(Op::AssignGlobal { global: global.index() as u32, value });
            }
            StmtKind::Store { array, index, boundary, value } => {
                let place = self.place(array, index, *boundary, stmt.span);
                let value = self.expr(value);
                self.emit(Op::Store(Box::new(StoreOp { place, value })));
            }
            StmtKind::Update { array, index, boundary, row, value, atomic, result } => {
                let place = self.place(array, index, *boundary, stmt.span);
                let value = self.expr(value);
                let result = result.map_or(Target::Nowhere, |v| self.target(v));
                self.emit(Op::Update(Box::new(UpdateOp { place, row, value, atomic: *atomic, result })));
            }
            StmtKind::Exchange { array, index, boundary, value, expected, result } => {
                let place = self.place(array, index, *boundary, stmt.span);
                let value = self.expr(value);
                let expected = expected.as_ref().map(|e| self.expr(e));
                let result = result.map_or(Target::Nowhere, |v| self.target(v));
                self.emit(Op::Exchange(Box::new(ExchangeOp { place, value, expected, result })));
            }
            StmtKind::SetMember { object, field, value } => {
                let field = objects::field_name(self.program, &object.ty, *field);
                let (object, value) = (self.expr(object), self.expr(value));
                self.emit(Op::SetMember(Box::new(MemberOp { object, field, value })));
            }
            StmtKind::Call { function, args, results } => {
                let (args, results) = (self.exprs(args), self.targets(results));
                self.emit(Op::Call { function: *function, args, results });
            }
            StmtKind::CallValue { callee, args, results } => {
                let callee = self.expr(callee);
                let (args, results) = (self.shown(args), self.targets(results));
                self.emit(Op::CallValue { callee, args, results });
            }
            StmtKind::Library { name: EVAL, args, results } => {
                let (args, results) = (self.exprs(args), self.targets(results));
                self.emit(Op::Evaluate { args, results });
            }
            StmtKind::Library { name, args, results } if is_warp_function(stmt) => {
                self.needs.block = true;
                let args = self.exprs(args);
                let result = results.first().copied().flatten();
                let result = result.map_or(Target::Nowhere, |v| self.target(v));
                self.emit(Op::Group { name, args, result });
            }
            StmtKind::Library { name, args, results } => {
                let (args, results) = (self.shown(args), self.targets(results));
                self.emit(Op::Library { name, args, results });
            }
            // The virtual device counts as a CPU, for which another launch follows.
            StmtKind::Launch { mode: LaunchMode::IfProfitable, results, .. } => {
                if let Some(Some(ran)) = results.last() {
                    let value = self.expr(&build::int(0, stmt.span));
                    self.emit(Op::Assign { target: self.target(*ran), value, copy: false });
                }
            }
            StmtKind::Launch { kernel, dims, block, args, results, mode } => {
                let dims = self.extents(dims);
                let block = block.as_ref().map(|b| self.extents(b));
                let (args, results) = (self.exprs(args), self.targets(results));
                let launch =
                    LaunchOp { kernel: *kernel, dims, block, args, results, serial: mode.is_serial() };
                self.emit(Op::Launch(Box::new(launch)));
            }
            StmtKind::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            StmtKind::Strips { buffers: _, body } => self.block(body),
            StmtKind::For { variable, range, body, attributes: _ } => {
                let element = number_type(&self.body.variables[*variable].ty);
                let range = Box::new(self.range(range, element));
                let depth = self.enter();
                self.emit(Op::ForStart { depth, range });
                self.stepped(depth, *variable, body, stmt.span);
            }
            StmtKind::ForEach { variable, over, body, attributes: _ } => {
                let over = self.expr(over);
                let depth = self.enter();
                self.emit(Op::EachStart { depth, over });
                self.stepped(depth, *variable, body, stmt.span);
            }
            StmtKind::While { condition, body } => {
                let start = self.here();
                let condition = self.expr(condition);
                let leave = self.emit(Op::Unless { condition, to: 0 });
                self.looped(body);
                let frame = self.pop_loop();
                for jump in frame.continues {
                    self.redirect(jump, start);
                }
                self.span = stmt.span;
                self.emit(Op::Jump(start));
                self.land(leave);
                frame.breaks.into_iter().for_each(|jump| self.land(jump));
            }
            StmtKind::Repeat { body, test, until } => {
                let start = self.here();
                self.looped(body);
                let frame = self.pop_loop();
                frame.continues.into_iter().for_each(|jump| self.land(jump));
                self.block(test);
                self.span = stmt.span;
                let condition = self.expr(until);
                self.emit(Op::Unless { condition, to: start });
                frame.breaks.into_iter().for_each(|jump| self.land(jump));
            }
            StmtKind::Break { levels } => self.leave(*levels, true),
            StmtKind::Continue { levels } => self.leave(*levels, false),
            StmtKind::Try { body, handlers } => self.attempt(body, handlers),
            StmtKind::Fail { failure, message } => {
                let message = self.shown(message);
                self.emit(Op::Fail(*failure, message));
            }
            StmtKind::Assert { condition, text, message } => {
                let condition = self.expr(condition);
                // Assertions inserted by lowering carry their message in the text.
                let said = Expr::new(ExprKind::Text(text.clone()), Type::Text, stmt.span);
                let message = match message.is_empty() && !text.is_empty() {
                    true => self.shown(std::slice::from_ref(&said)),
                    false => self.shown(message),
                };
                self.emit(Op::Assert { condition, message });
            }
            StmtKind::Shared { variable, dims, zeroed } => {
                self.needs.block = true;
                let element = match &self.body.variables[*variable].ty {
                    Type::Array(array) => number_type(&array.element),
                    other => number_type(other),
                };
                let dims = self.exprs(dims);
                self.emit(Op::Shared { slot: variable.index() as u32, dims, element, zeroed: *zeroed });
            }
            StmtKind::Barrier(scope) => {
                match scope {
                    Scope::Warp | Scope::Block => self.needs.block = true,
                    Scope::Grid | Scope::Host => self.needs.grid = true,
                }
                self.emit(Op::Barrier(*scope));
            }
            StmtKind::Fence(scope) => {
                self.emit(Op::Fence { far: matches!(scope, Scope::Grid | Scope::Host) });
            }
        }
    }

    fn attempt(&mut self, body: &Block, handlers: &[Handler]) {
        let start = self.emit(Op::Try { handler: 0 });
        self.tries += 1;
        self.block(body);
        self.tries -= 1;
        self.emit(Op::Leave(1));
        let mut ends = vec![self.emit(Op::Jump(0))];
        self.land(start);
        for Handler { exception, variable, block } in handlers {
            let variable = variable.map_or(Target::Nowhere, |v| self.target(v));
            let catch = self.emit(Op::Catch { exception: *exception, variable, next: 0 });
            self.block(block);
            ends.push(self.emit(Op::Jump(0)));
            self.land(catch);
        }
        self.emit(Op::Rethrow);
        ends.into_iter().for_each(|end| self.land(end));
    }

    fn choice(&mut self, condition: &Expr, then: &Block, otherwise: &Block) {
        let condition = self.expr(condition);
        let skip = self.emit(Op::Unless { condition, to: 0 });
        self.block(then);
        if otherwise.is_empty() {
            self.land(skip);
            return;
        }
        let end = self.emit(Op::Jump(0));
        self.land(skip);
        self.block(otherwise);
        self.land(end);
    }

    fn enter(&mut self) -> u32 {
        self.depth += 1;
        self.max_depth = self.max_depth.max(self.depth);
        self.depth as u32 - 1
    }

    /// The body of a loop with state, between the instruction for the next value and the back jump.
    fn stepped(&mut self, depth: u32, variable: VarId, body: &Block, span: Span) {
        self.span = span;
        let next = self.emit(Op::Next { depth, target: self.target(variable), exit: 0 });
        self.looped(body);
        let frame = self.pop_loop();
        for jump in frame.continues {
            self.redirect(jump, next as u32);
        }
        self.span = span;
        self.emit(Op::Jump(next as u32));
        self.land(next);
        frame.breaks.into_iter().for_each(|jump| self.land(jump));
        self.depth -= 1;
    }

    fn looped(&mut self, body: &Block) {
        self.loops.push(LoopFrame { breaks: Vec::new(), continues: Vec::new(), tries: self.tries });
        self.block(body);
    }

    fn pop_loop(&mut self) -> LoopFrame {
        self.loops.pop().unwrap_or(LoopFrame { breaks: Vec::new(), continues: Vec::new(), tries: 0 })
    }

    fn redirect(&mut self, jump: usize, to: u32) {
        if let Op::Jump(place) = &mut self.ops[jump] {
            *place = to;
        }
    }

    fn leave(&mut self, levels: u32, breaks: bool) {
        let Some(k) = self.loops.len().checked_sub(1 + levels as usize) else {
            self.emit(Op::Refuse("a jump out of a loop that does not exist".into()));
            return;
        };
        let crossed = self.tries - self.loops[k].tries;
        if crossed > 0 {
            self.emit(Op::Leave(crossed));
        }
        let jump = self.emit(Op::Jump(0));
        let frame = &mut self.loops[k];
        if breaks { frame.breaks.push(jump) } else { frame.continues.push(jump) }
    }

    fn extents(&mut self, dims: &Dims) -> Extents {
        match dims {
            Dims::Each(items) => Extents::Each(self.exprs(items)),
            Dims::Vector(vector) => Extents::Vector(self.expr(vector)),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Box<[Node]> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    /// Expressions whose values leave the typed world: enums become printable names.
    fn shown(&mut self, exprs: &[Expr]) -> Box<[Node]> {
        exprs.iter().map(|e| self.named(e)).collect()
    }

    fn named(&mut self, expr: &Expr) -> Node {
        let node = self.expr(expr);
        let Type::Enum(id) = expr.ty else { return node };
        let Some((name, members)) = self.program.enums.get(id.0 as usize) else { return node };
        let members = members.iter().map(|(name, number)| (name.as_str().into(), *number)).collect();
        let names = Rc::new(EnumNames { name: name.as_str().into(), members });
        Node::EnumName { arg: Box::new(node), names }
    }

    fn range(&mut self, range: &Range, element: ElementType) -> RangeNode {
        RangeNode {
            from: self.expr(&range.from),
            step: range.step.as_ref().map(|e| self.expr(e)),
            to: self.expr(&range.to),
            element,
        }
    }

    fn place(&mut self, array: &Expr, index: &[Index], boundary: AccessMode, span: Span) -> Place {
        let named = unconverted(array);
        let (name, variable) = match &named.kind {
            ExprKind::Local(v) => (Rc::from(self.body.variables[*v].said()), Some(self.target(*v))),
            ExprKind::Global(g) => (Rc::from(self.program.globals[*g].name.as_str()), None),
            _ => (Rc::from(""), None),
        };
        let overflow = match &named.ty {
            Type::Array(ArrayType { element, .. }) => overflow_of(element),
            other => overflow_of(other),
        };
        let is_number = matches!(array.ty, Type::Scalar(..) | Type::Enum(_));
        // With fewer indices than dimensions they select a part.
        let open = match &array.ty {
            Type::Array(array) => array.known_rank().is_none(),
            other => *other == Type::Dynamic,
        };
        let element = !open && !index.is_empty() && index.iter().all(|i| matches!(i, Index::At(_)));
        Place {
            array: self.expr(array),
            name,
            index: index.iter().map(|i| self.index(i)).collect(),
            boundary: access_mode(boundary),
            overflow,
            element,
            variable: variable.filter(|_| is_number),
            span,
        }
    }

    fn index(&mut self, index: &Index) -> IndexNode {
        match index {
            Index::At(e) => IndexNode::At(self.expr(e)),
            Index::Range(r) => IndexNode::Range(self.range(r, ElementType::Int64)),
            Index::List(e) => IndexNode::List(self.expr(e)),
            Index::All => IndexNode::All,
            Index::Position(e) => IndexNode::Position(self.expr(e)),
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Node {
        self.nesting += 1;
        let node = if self.nesting > MAX_NESTING {
            self.emit(Op::Refuse("an expression is nested too deeply".into()));
            Node::Literal(Value::Unit)
        } else {
            self.kind(expr)
        };
        self.nesting -= 1;
        node
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Node> {
        Box::new(self.expr(expr))
    }

    fn kind(&mut self, expr: &Expr) -> Node {
        match &expr.kind {
            ExprKind::Constant(x) => Node::Constant(*x),
            ExprKind::Text(text) => Node::Literal(Value::from(text.as_str())),
            ExprKind::Null => Node::Literal(Value::Null),
            ExprKind::Local(v) => match self.target(*v) {
                Target::Output(k) => Node::Output(k),
                _ => Node::Local(v.index() as u32),
            },
            ExprKind::Global(g) => Node::Global(g.index() as u32),
            ExprKind::Apply { row, args } => {
                let scalar = is_number(&expr.ty) && args.iter().all(|a| is_number(&a.ty));
                let nodes: Box<[Node]> =
                    if scalar { self.exprs(args) } else { args.iter().map(|a| self.named(a)).collect() };
                let first = args.first().map(|a| &a.ty);
                if scalar {
                    operators::apply(row, nodes, first)
                } else {
                    let map = Node::Map { row, args: nodes, known: expr.ty != Type::Dynamic };
                    match build::rank_of_number(row, &expr.ty) {
                        Some(rank) => Node::Kept(Box::new(map), rank),
                        None => map,
                    }
                }
            }
            ExprKind::Convert(arg) => self.convert(arg, &expr.ty),
            ExprKind::And(a, b) => Node::And(Box::new([self.expr(a), self.expr(b)])),
            ExprKind::Or(a, b) => Node::Or(Box::new([self.expr(a), self.expr(b)])),
            ExprKind::Select { condition, then, otherwise } => {
                Node::Select(Box::new([self.expr(condition), self.expr(then), self.expr(otherwise)]))
            }
            ExprKind::Array(items) => {
                let element = match &expr.ty {
                    Type::Array(array) if is_number(&array.element) => Some(number_type(&array.element)),
                    _ => None,
                };
                Node::Array { items: self.exprs(items), element }
            }
            ExprKind::Tuple(items) => match &expr.ty {
                Type::Array(_) => Node::Cell(self.shown(items)),
                _ => Node::Tuple(self.exprs(items)),
            },
            ExprKind::Field(of, k) => Node::Field(self.boxed(of), *k),
            ExprKind::New(fields) => match objects::class(self.program, &expr.ty) {
                Some(class) => Node::New(class, self.exprs(fields)),
                None => Node::Literal(Value::Unit),
            },
            ExprKind::Function { function, captures } => {
                let named = super::host::named(self.origin, *function, captures.len());
                Node::Function(Box::new(named), self.exprs(captures))
            }
            ExprKind::Member(of, k) => {
                Node::Member(self.boxed(of), objects::field_name(self.program, &of.ty, *k))
            }
            ExprKind::Same(a, b) => Node::Same(Box::new([self.expr(a), self.expr(b)])),
            ExprKind::Sequence(range) => {
                let element = match &expr.ty {
                    Type::Array(array) => number_type(&array.element),
                    other => number_type(other),
                };
                Node::Sequence(Box::new(self.range(range, element)))
            }
            ExprKind::Load { array, index, boundary } => {
                Node::Load(Box::new(self.place(array, index, *boundary, expr.span)))
            }
            ExprKind::Extent(of, axis) => Node::Extent(self.boxed(of), *axis),
            ExprKind::Count(of) => Node::Count(self.boxed(of)),
            ExprKind::Reduce { row, arg, axis } => Node::Reduce { row, arg: self.boxed(arg), axis: *axis },
            ExprKind::Library { name: name @ ("zeros" | "ones" | "uninit"), args } => {
                let element = Node::Literal(Value::TypeName(element_name(&expr.ty).into()));
                let args = std::iter::once(element).chain(args.iter().map(|arg| self.named(arg))).collect();
                Node::Library { name, args }
            }
            ExprKind::Library { name, args } => Node::Library { name, args: self.shown(args) },
            ExprKind::Coordinate(which, k) => Node::Coordinate(*which, *k),
            ExprKind::BlockSize(asked) => Node::BlockSize(Box::new(BlockNode {
                largest: asked.largest,
                versions: asked_about(self.program, asked).into_iter().map(|(_, needs)| needs).collect(),
                dims: asked.dims.as_ref().map(|dims| self.expr(dims)),
            })),
        }
    }

    fn convert(&mut self, arg: &Expr, to: &Type) -> Node {
        match (&arg.ty, to) {
            (Type::Scalar(..) | Type::Enum(_), Type::Scalar(element, overflow)) => {
                Node::ToScalar { arg: self.boxed(arg), to: *element, overflow: *overflow }
            }
            (Type::Scalar(..) | Type::Enum(_), Type::Enum(_)) => {
                Node::ToScalar { arg: self.boxed(arg), to: ElementType::Int32, overflow: Overflow::Wrap }
            }
            (Type::Closure(_), Type::Function(_)) => {
                self.emit(Op::Refuse(
                    "function values that are chosen at run time are not supported yet".into(),
                ));
                Node::Literal(Value::Unit)
            }
            (_, to) => {
                let arg = self.named(arg);
                Node::Convert(Box::new(Conversion { arg, to: to.clone() }))
            }
        }
    }
}

/// The value library's name of an array's element type.
fn element_name(array: &Type) -> &'static str {
    match array {
        Type::Array(array) => match &*array.element {
            Type::Scalar(element, _) => element.name(),
            Type::Text => "string",
            _ => "??",
        },
        _ => "scalar",
    }
}

/// The boundary mode in the value library's type.
pub(super) fn access_mode(boundary: AccessMode) -> Boundary {
    match boundary {
        AccessMode::Checked => Boundary::Checked,
        AccessMode::Safe => Boundary::Safe,
        AccessMode::Circular => Boundary::Circular,
        AccessMode::Mirror => Boundary::Mirror,
        AccessMode::Clamped => Boundary::Clamped,
        AccessMode::Unchecked => Boundary::Unchecked,
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(..) | Type::Enum(_))
}

/// The element type of a number type; `int` for other types.
fn number_type(ty: &Type) -> ElementType {
    match ty {
        Type::Scalar(element, _) => *element,
        _ => ElementType::Int32,
    }
}

fn overflow_of(ty: &Type) -> Overflow {
    match ty {
        Type::Scalar(_, overflow) => *overflow,
        _ => Overflow::Checked,
    }
}

/// Whether a thread's variable of this type holds private elements.
fn is_private(ty: &Type) -> bool {
    matches!(ty, Type::Array(array) if array.is_small() && is_number(&array.element))
}

/// Whether evaluation creates a new array without aliases.
fn is_fresh(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::Field(..)
        | ExprKind::Member(..)
        | ExprKind::Select { .. } => false,
        ExprKind::Convert(arg) => is_fresh(arg),
        ExprKind::Load { array, .. } => {
            matches!(&array.ty, Type::Array(array) if is_number(&array.element))
        }
        ExprKind::Library { name: "reshape", args } => args.first().is_none_or(is_fresh),
        ExprKind::Constant(_)
        | ExprKind::Text(_)
        | ExprKind::Null
        | ExprKind::Apply { .. }
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Array(_)
        | ExprKind::Tuple(_)
        | ExprKind::New(_)
        | ExprKind::Function { .. }
        | ExprKind::Same(..)
        | ExprKind::Sequence(_)
        | ExprKind::Extent(..)
        | ExprKind::Count(_)
        | ExprKind::Reduce { .. }
        | ExprKind::Library { .. }
        | ExprKind::BlockSize(_)
        | ExprKind::Coordinate(..) => true,
    }
}
