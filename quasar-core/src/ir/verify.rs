//! The IR verifier. A violation is a compiler bug, never an error of the user.

mod device;
mod objects;
#[cfg(test)]
mod tests;
mod vectors;

use super::build::{element_of, same_type};
use super::print::type_text;
use super::rewrite::{operands, root, set_in, sets, visit};
use super::{
    Body, Dims, Expr, ExprKind, Index, LaunchMode, LoopMode, Program, Range, Stmt, StmtKind, Storage, VarId,
    is_warp_function,
};
use crate::types::{ElementType, Rank, Type};
use quasar_devicelib::ops::Row;

/// How far a program is from what lowering makes to what all passes, engines and printers know. Each step takes a kind of
/// values or statements out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// As lowering makes it.
    Lowered,
    /// No value is a choice of functions.
    Defunctionalized,
    /// Kernels write to arrays only, not to textures.
    WithoutTextures,
    /// Kernels and device functions hold no objects.
    Flattened,
    /// Only kernels hold what threads do together.
    Inlined,
    /// Arguments of launches have the types of the parameters.
    #[default]
    Legal,
}

/// All violations in a legal program, one line each; empty for valid IR.
pub fn verify(program: &Program) -> Vec<String> {
    verify_form(program, Form::Legal)
}

/// As [`verify`], for a program on the way.
pub fn verify_form(program: &Program, form: Form) -> Vec<String> {
    let mut found = Vec::new();
    for (_, function) in program.functions.iter() {
        let kind = if function.device { Kind::Device } else { Kind::Host };
        Verifier {
            program,
            body: &function.body,
            kind,
            name: &function.name,
            form,
            loops: 0,
            found: &mut found,
        }
        .run();
    }
    for (_, kernel) in program.kernels.iter() {
        let name = &kernel.name;
        let body = &kernel.body;
        if kernel.accumulators.iter().any(|a| !body.results.contains(&a.variable)) {
            found.push(format!("{name}: an accumulator is no result"));
        }
        let kind = Kind::Kernel { rank: kernel.rank };
        Verifier { program, body, kind, name, form, loops: 0, found: &mut found }.run();
        let contraction = kernel.schedule.contraction.iter();
        let contraction = contraction.flat_map(|each| [each.whole.block.clone(), each.code()]);
        let boxes = kernel.schedule.boxes.iter().map(|boxes| boxes.code(body));
        let vectors = kernel.schedule.vectors().map(|vector| vector.block.clone());
        // What an interval reads is set somewhere in the kernel.
        let intervals = (!kernel.schedule.intervals.is_empty()).then(|| {
            let blocks = kernel.schedule.intervals.values().flat_map(|vector| &vector.block);
            body.block.iter().chain(blocks).cloned().collect()
        });
        for block in vectors.chain(intervals).chain(contraction).chain(boxes) {
            let body = &Body { block, ..body.clone() };
            Verifier { program, body, kind, name, form, loops: 0, found: &mut found }.run();
        }
        vectors::verify(kernel, &mut found);
        found.extend(device::problems(kernel));
        if let Some(strip) = &kernel.strip {
            let body = &strip.body;
            if body.params != kernel.body.params || !body.results.is_empty() {
                found.push(format!("{name}: its register tile has other parameters"));
            }
            Verifier { program, body, kind, name, form, loops: 0, found: &mut found }.run();
        }
    }
    let functions = program.functions.len();
    let roots =
        program.initializer.iter().chain(&program.main).chain(program.exports.iter().map(|e| &e.function));
    if roots.into_iter().any(|f| f.index() >= functions) {
        found.push("program: an entry point is out of range".to_string());
    }
    found
}

/// The kind of a body, which determines the allowed constructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Host,
    Device,
    Kernel { rank: usize },
}

struct Verifier<'a> {
    program: &'a Program,
    body: &'a Body,
    kind: Kind,
    name: &'a str,
    form: Form,
    loops: u32,
    found: &'a mut Vec<String>,
}

impl Verifier<'_> {
    fn fail(&mut self, text: impl std::fmt::Display) {
        let line = format!("{}: {text}", self.name);
        if !self.found.contains(&line) {
            self.found.push(line);
        }
    }

    fn run(&mut self) {
        let body = self.body;
        for (_, variable) in body.variables.iter() {
            self.ty(&variable.ty, &variable.name);
            if variable.storage == Storage::Shared && self.kind == Kind::Device {
                self.fail(format!("{} is shared outside a kernel", variable.name));
            }
        }
        let (params, results) = (body.params.clone(), body.results.clone());
        for variable in params.iter().chain(&results) {
            self.variable(*variable);
        }
        self.assigned(&params, &results);
        self.block(&body.block);
    }

    /// Checks that every variable that is read or returned is assigned somewhere.
    fn assigned(&mut self, params: &[VarId], results: &[VarId]) {
        let set = set_in(&self.body.block);
        let mut read = super::rewrite::read_in(&self.body.block);
        if !matches!(self.kind, Kind::Kernel { .. }) {
            read.extend(results);
        }
        for variable in read {
            let zeroed = matches!(self.kind, Kind::Kernel { .. }) && results.contains(&variable);
            if !set.contains(&variable) && !params.contains(&variable) && !zeroed && self.in_range(variable) {
                let name = self.body.variables[variable].name.clone();
                self.fail(format!("{name} is never set"));
            }
        }
    }

    fn in_range(&self, variable: VarId) -> bool {
        variable.index() < self.body.variables.len()
    }

    fn variable(&mut self, variable: VarId) -> Option<Type> {
        if !self.in_range(variable) {
            self.fail(format!("variable {variable:?} is out of range"));
            return None;
        }
        Some(self.body.variables[variable].ty.clone())
    }

    fn ty(&mut self, ty: &Type, what: &str) {
        match ty {
            Type::Error => self.fail(format!("{what} has the type `Error`")),
            Type::Group(_) => self.fail(format!("{what} is a group of threads")),
            Type::Choice(_) if self.form < Form::Defunctionalized => {}
            Type::Choice(_) => {
                self.fail(format!("{what} is a choice of functions, which lowering takes apart"))
            }
            Type::Class(_) | Type::Pointer(_) if self.form < Form::Flattened => {}
            Type::Dynamic | Type::Text | Type::Class(_) | Type::Pointer(_) if self.kind != Kind::Host => {
                self.fail(format!("{what} has the host type {}", type_text(ty)));
            }
            Type::Array(array) => {
                match array.rank {
                    Rank::Known(rank) if array.sizes.len() != rank as usize => {
                        self.fail(format!("{what} has {} sizes for rank {rank}", array.sizes.len()));
                    }
                    Rank::Any if !array.sizes.is_empty() => {
                        self.fail(format!("{what} has sizes without a rank"))
                    }
                    Rank::Known(_) | Rank::Any => {}
                }
                self.ty(&array.element, what);
            }
            Type::Tuple(items) => items.iter().for_each(|item| self.ty(item, what)),
            Type::Closure(closure) => closure.captures.iter().for_each(|(_, ty)| self.ty(ty, what)),
            Type::Unit
            | Type::Dynamic
            | Type::Scalar(..)
            | Type::Text
            | Type::Enum(_)
            | Type::Function(_)
            | Type::TypeValue
            | Type::Class(_)
            | Type::Pointer(_)
            | Type::Null => {}
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            let raises = matches!(stmt.kind, StmtKind::Fail { .. } | StmtKind::Assert { .. });
            operands(stmt, &mut |e| {
                // Literal strings of error messages are allowed in kernels, since no kernel value holds them.
                if !(raises && matches!(e.kind, ExprKind::Text(_))) {
                    visit(e, &mut |e| self.expr(e));
                }
            });
            let mut targets = Vec::new();
            sets(stmt, &mut |variable| targets.push(*variable));
            for target in targets {
                self.variable(target);
            }
            self.stmt(stmt);
        }
    }

    fn looped(&mut self, block: &[Stmt]) {
        self.loops += 1;
        self.block(block);
        self.loops -= 1;
    }

    fn host_only(&mut self, what: &str) {
        if self.kind != Kind::Host {
            self.fail(format!("{what} outside host code"));
        }
    }

    /// Whether threads may wait for each other and do something together here.
    fn may_meet(&self) -> bool {
        match self.kind {
            Kind::Host => false,
            Kind::Device => self.form < Form::Inlined,
            Kind::Kernel { .. } => true,
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => self.target(*variable, &value.ty, "assignment"),
            StmtKind::AssignGlobal { global, value } => {
                self.host_only("assignment of a module-level variable");
                if global.index() >= self.program.globals.len() {
                    self.fail("module-level variable out of range");
                } else if !same_type(&self.program.globals[*global].ty, &value.ty) {
                    let name = &self.program.globals[*global].name;
                    self.fail(format!("global {name} is assigned a value of another type"));
                }
            }
            StmtKind::Store { array, index, boundary: _, value } => self.store(array, index, value),
            StmtKind::Update { array, index, boundary: _, row: _, value, atomic: _, result } => {
                self.store(array, index, value);
                if let Some(result) = result {
                    self.target(*result, &value.ty, "result of an update");
                }
            }
            StmtKind::Exchange { array, index, boundary: _, value, expected, result } => {
                self.store(array, index, value);
                if let Some(expected) = expected
                    && !same_type(&expected.ty, &value.ty)
                {
                    self.fail("compare-and-swap with values of two types");
                }
                if let Some(result) = result {
                    self.target(*result, &value.ty, "result of an exchange");
                }
            }
            StmtKind::SetMember { object, field, value } => {
                if self.form >= Form::Flattened {
                    self.host_only("change of an object");
                }
                self.member(object, *field, &value.ty);
            }
            StmtKind::Call { .. } | StmtKind::CallValue { .. } | StmtKind::Library { .. } => self.call(stmt),
            StmtKind::Launch { .. } => self.launch(stmt),
            StmtKind::If { condition, then, otherwise } => {
                self.truth(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::For { variable, range, body, attributes } => {
                if attributes.mode == LoopMode::Threads
                    && !matches!(body.as_slice(), [Stmt { kind: StmtKind::Call { results, .. }, .. }] if results.is_empty())
                {
                    self.fail(
                        "iterations for threads that are more than one call without results".to_string(),
                    );
                }
                self.range(range);
                self.target(*variable, &range.from.ty, "loop variable");
                self.looped(body);
            }
            StmtKind::ForEach { variable, over, body, attributes: _ } => {
                match &over.ty {
                    Type::Array(array) => self.target(*variable, &array.element, "loop variable"),
                    Type::Dynamic => {}
                    other => self.fail(format!("loop over a value of type {}", type_text(other))),
                }
                self.looped(body);
            }
            StmtKind::While { condition, body } => {
                self.truth(condition);
                self.looped(body);
            }
            StmtKind::Repeat { body, test, until } => {
                self.looped(body);
                self.block(test);
                self.truth(until);
            }
            StmtKind::Break { levels } | StmtKind::Continue { levels } => {
                if *levels >= self.loops {
                    self.fail("break or continue without such a loop");
                }
            }
            StmtKind::Strips { buffers, body } => {
                self.host_only("strips");
                for buffer in buffers {
                    let ty = self.variable(*buffer);
                    if ty.is_some_and(|ty| ty.as_array().is_none()) {
                        self.fail(format!("{} is no array", self.body.variables[*buffer].name));
                    }
                }
                self.block(body);
            }
            StmtKind::Try { body, handlers } => {
                self.host_only("try");
                self.block(body);
                for handler in handlers {
                    if let Some(variable) = handler.variable {
                        self.target(variable, &Type::Text, "exception");
                    }
                    self.block(&handler.block);
                }
            }
            StmtKind::Fail { failure: _, message: _ } => {}
            StmtKind::Assert { condition, text: _, message: _ } => self.truth(condition),
            StmtKind::Shared { variable, dims, zeroed: _ } => {
                if !matches!(self.kind, Kind::Kernel { .. }) {
                    self.fail("shared memory outside a kernel");
                }
                if self.in_range(*variable) && self.body.variables[*variable].storage != Storage::Shared {
                    self.fail("shared memory for a local variable");
                }
                dims.iter().for_each(|dim| self.int(dim, "extent of shared memory"));
            }
            // A loop of the host may become a kernel; otherwise the pass `autoparallel` reports its barriers.
            StmtKind::Barrier(_) if self.kind == Kind::Host && self.loops > 0 => {}
            StmtKind::Barrier(_) | StmtKind::Fence(_) => {
                if !self.may_meet() {
                    self.fail("barrier or fence outside a kernel");
                }
            }
        }
    }

    fn target(&mut self, variable: VarId, ty: &Type, what: &str) {
        let Some(expected) = self.variable(variable) else { return };
        if !same_type(&expected, ty) {
            let name = self.body.variables[variable].name.clone();
            self.fail(format!("{what}: {name} : {} gets {}", type_text(&expected), type_text(ty)));
        }
    }

    /// Checks that the value of a store is an element, or for a slice an array of elements.
    fn store(&mut self, array: &Expr, index: &[Index], value: &Expr) {
        self.index(array, index);
        if let Some(variable) = root(array)
            && self.in_range(variable)
            && self.body.variables[variable].constant
            && self.form >= Form::WithoutTextures
        {
            let name = self.body.variables[variable].name.clone();
            self.fail(format!("store to the constant {name}"));
        }
        let Type::Array(target) = &array.ty else { return };
        let element = &*target.element;
        let elements = match &value.ty {
            Type::Array(value) if !is_element(index) => same_type(element, &value.element),
            _ => false,
        };
        let ok = elements || same_type(element, &value.ty);
        if !ok && value.ty != Type::Dynamic {
            self.fail(format!("store of {} into {}", type_text(&value.ty), type_text(&array.ty)));
        }
    }

    fn call(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Call { function, args, results } => {
                if function.index() >= self.program.functions.len() {
                    return self.fail("called function out of range");
                }
                let callee = &self.program.functions[*function];
                if self.kind != Kind::Host && !callee.device {
                    self.fail(format!("call of the host function {}", callee.name));
                }
                self.signature(&callee.name, &callee.body, args, results);
            }
            StmtKind::CallValue { callee, .. } => {
                self.host_only("call of a function value");
                if !matches!(callee.ty, Type::Function(_) | Type::Dynamic | Type::Closure(_)) {
                    self.fail(format!("call of a value of type {}", type_text(&callee.ty)));
                }
            }
            StmtKind::Library { .. } if is_warp_function(stmt) && self.may_meet() => {}
            StmtKind::Library { name, .. } => self.host_only(name),
            _ => {}
        }
    }

    fn launch(&mut self, stmt: &Stmt) {
        let StmtKind::Launch { kernel, dims, block, args, results, mode } = &stmt.kind else { return };
        let results = match (mode, results.split_last()) {
            (LaunchMode::IfProfitable, Some((Some(ran), results))) => {
                if self.body.variables[*ran].ty != Type::INT {
                    self.fail("whether a launch ran is no int");
                }
                results
            }
            (LaunchMode::IfProfitable, _) => {
                return self.fail("a launch is offered, and nobody looks whether it ran");
            }
            _ => results,
        };
        for dims in std::iter::once(dims).chain(block) {
            match dims {
                Dims::Each(each) => each.iter().for_each(|dim| self.int(dim, "extent of a launch")),
                Dims::Vector(vector) => match &vector.ty {
                    Type::Array(array) if element_of(&array.element) == Some(ElementType::Int32) => {}
                    Type::Dynamic => {}
                    other => self.fail(format!("launch over {}", type_text(other))),
                },
            }
        }
        if kernel.index() >= self.program.kernels.len() {
            return self.fail("launched kernel out of range");
        }
        let callee = &self.program.kernels[*kernel];
        if let Dims::Each(each) = dims
            && each.len() != callee.rank
        {
            self.fail(format!(
                "launch of {} of rank {} over {} extents",
                callee.name,
                callee.rank,
                each.len()
            ));
        }
        self.signature(&callee.name, &callee.body, args, results);
    }

    fn signature(&mut self, name: &str, callee: &Body, args: &[Expr], results: &[Option<VarId>]) {
        if callee.params.len() != args.len() {
            return self.fail(format!("{name} takes {} arguments, got {}", callee.params.len(), args.len()));
        }
        for (param, arg) in callee.params.iter().zip(args) {
            let expected = &callee.variables[*param].ty;
            let sizes_only = || self.form < Form::Legal && same_but_sizes(expected, &arg.ty);
            if !same_type(expected, &arg.ty) && !sizes_only() {
                let param = &callee.variables[*param].name;
                self.fail(format!("{name}: {param} : {} gets {}", type_text(expected), type_text(&arg.ty)));
            }
        }
        if results.len() > callee.results.len() {
            return self.fail(format!(
                "{name} has {} results, taken {}",
                callee.results.len(),
                results.len()
            ));
        }
        for (result, target) in callee.results.iter().zip(results) {
            if let Some(target) = target {
                let ty = callee.variables[*result].ty.clone();
                self.target(*target, &ty, "result of a call");
            }
        }
    }

    fn truth(&mut self, condition: &Expr) {
        if !matches!(condition.ty, Type::Scalar(ElementType::Int32, _) | Type::Dynamic) {
            self.fail(format!("condition of type {}", type_text(&condition.ty)));
        }
    }

    fn int(&mut self, expr: &Expr, what: &str) {
        if !matches!(expr.ty, Type::Scalar(ElementType::Int32, _) | Type::Enum(_) | Type::Dynamic) {
            self.fail(format!("{what} of type {}", type_text(&expr.ty)));
        }
    }

    fn range(&mut self, range: &Range) {
        let parts = std::iter::once(&range.to).chain(&range.step);
        let same = parts.into_iter().all(|part| same_type(&part.ty, &range.from.ty));
        if !same || !matches!(range.from.ty, Type::Scalar(..)) {
            self.fail(format!("sequence from {} to {}", type_text(&range.from.ty), type_text(&range.to.ty)));
        }
    }

    fn index(&mut self, array: &Expr, index: &[Index]) {
        for index in index {
            match index {
                Index::At(e) => self.int(e, "index"),
                Index::Range(range) => self.range(range),
                Index::List(e) | Index::Position(e) => {
                    let ok = match &e.ty {
                        Type::Array(array) => element_of(&array.element).is_some_and(ElementType::is_integer),
                        other => *other == Type::Dynamic,
                    };
                    if !ok {
                        self.fail(format!("index of type {}", type_text(&e.ty)));
                    }
                }
                Index::All => {}
            }
        }
        let alone = matches!(index, [Index::Position(_)]);
        if !alone && index.iter().any(|i| matches!(i, Index::Position(_))) {
            self.fail("a position beside other indices");
        }
        match &array.ty {
            Type::Array(ty) => {
                if let Rank::Known(rank) = ty.rank
                    && !alone
                    && rank as usize != index.len()
                {
                    self.fail(format!("{} indices for {}", index.len(), type_text(&array.ty)));
                }
            }
            Type::Dynamic | Type::Text => {}
            // A field that threads change in one step.
            _ if self.form < Form::Flattened && matches!(array.kind, ExprKind::Member(..)) => {}
            other => self.fail(format!("index into {}", type_text(other))),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        self.ty(&expr.ty, "an expression");
        match &expr.kind {
            ExprKind::Constant(value) => {
                if element_of(&expr.ty) != Some(value.element_type()) || matches!(expr.ty, Type::Array(_)) {
                    self.fail(format!("constant {value:?} of type {}", type_text(&expr.ty)));
                }
            }
            ExprKind::Local(variable) => {
                if let Some(ty) = self.variable(*variable)
                    && !same_type(&ty, &expr.ty)
                {
                    let name = self.body.variables[*variable].name.clone();
                    self.fail(format!("{name} : {} read as {}", type_text(&ty), type_text(&expr.ty)));
                }
            }
            ExprKind::Global(global) => {
                self.host_only("module-level variable");
                if global.index() >= self.program.globals.len() {
                    self.fail("module-level variable out of range");
                }
            }
            ExprKind::Apply { row, args } => self.apply(row, args, expr),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.truth(a);
                self.truth(b);
                self.truth(expr);
            }
            ExprKind::Select { condition, then, otherwise } => {
                self.truth(condition);
                if !same_type(&then.ty, &expr.ty) || !same_type(&otherwise.ty, &expr.ty) {
                    self.fail("the branches of a selection have other types than the whole");
                }
            }
            ExprKind::Field(tuple, index) => self.field(tuple, *index, expr),
            ExprKind::New(fields) => self.object(fields, expr),
            ExprKind::Function { function, captures } => self.function_value(*function, captures, expr),
            ExprKind::Member(object, field) => self.member(object, *field, &expr.ty),
            ExprKind::Same(a, b) => {
                self.truth(expr);
                self.reference(a);
                self.reference(b);
            }
            ExprKind::Sequence(range) => self.range(range),
            ExprKind::Load { array, index, boundary: _ } => {
                self.index(array, index);
                if let Type::Array(array) = &array.ty
                    && is_element(index)
                    && !same_type(&array.element, &expr.ty)
                {
                    self.fail(format!("element of {} as {}", type_text(&array.element), type_text(&expr.ty)));
                }
            }
            ExprKind::Extent(arg, _) | ExprKind::Count(arg) => {
                if !matches!(arg.ty, Type::Array(_) | Type::Dynamic) {
                    self.fail(format!("size of {}", type_text(&arg.ty)));
                }
            }
            ExprKind::Coordinate(_, component) => match self.kind {
                Kind::Kernel { rank } if *component < rank.max(1) => {}
                Kind::Kernel { .. } => self.fail("component of a position out of range"),
                Kind::Host | Kind::Device => self.fail("position outside a kernel"),
            },
            ExprKind::Text(_) => self.host_only("text"),
            ExprKind::BlockSize(_) => self.host_only("a question about blocks"),
            ExprKind::Null
            | ExprKind::Convert(_)
            | ExprKind::Array(_)
            | ExprKind::Tuple(_)
            | ExprKind::Reduce { .. }
            | ExprKind::Library { .. } => {}
        }
    }

    fn field(&mut self, tuple: &Expr, index: usize, expr: &Expr) {
        let component = match &tuple.ty {
            Type::Tuple(items) => items.get(index).cloned(),
            Type::Closure(closure) => closure.captures.get(index).map(|(_, ty)| ty.clone()),
            Type::Choice(_) if self.form < Form::Defunctionalized => return,
            _ => None,
        };
        if component.is_none_or(|ty| !same_type(&ty, &expr.ty)) {
            self.fail(format!("component {index} of {} as {}", type_text(&tuple.ty), type_text(&expr.ty)));
        }
    }

    /// Checks that all operands have one element type, and that the result is an array if one of them is.
    fn apply(&mut self, row: &Row, args: &[Expr], expr: &Expr) {
        let name = row.name;
        if expr.ty == Type::Dynamic || args.iter().any(|arg| arg.ty == Type::Dynamic) {
            return self.host_only("operation on values of unknown type");
        }
        let elements: Vec<_> = args.iter().map(|arg| element_of(&arg.ty)).collect();
        let plain = elements.iter().all(Option::is_some);
        if plain && name != "powi" && elements.windows(2).any(|pair| pair[0] != pair[1]) {
            let types: Vec<String> = args.iter().map(|arg| type_text(&arg.ty)).collect();
            self.fail(format!("{name} of {}", types.join(" and ")));
        }
        if args.len() != row.arity {
            self.fail(format!("{name} of {} operands", args.len()));
        }
        if let Some(Some(element)) = elements.first().copied() {
            if !row.domain.contains(element) {
                self.fail(format!("{name} of {}", type_text(&args[0].ty)));
            }
            if plain && element_of(&expr.ty) != Some(row.result.apply(element)) {
                self.fail(format!("{name} of {} gives {}", type_text(&args[0].ty), type_text(&expr.ty)));
            }
        }
        let array = args.iter().any(|arg| matches!(arg.ty, Type::Array(_)));
        if plain && array != matches!(expr.ty, Type::Array(_)) {
            self.fail(format!("{name} gives {}", type_text(&expr.ty)));
        }
    }
}

/// Whether two types are arrays of the same rank with the same elements.
fn same_but_sizes(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Array(a), Type::Array(b)) => a.rank == b.rank && same_type(&a.element, &b.element),
        _ => false,
    }
}

/// Whether the indices select a single element.
fn is_element(index: &[Index]) -> bool {
    index.iter().all(|index| matches!(index, Index::At(_) | Index::Position(_)))
}
