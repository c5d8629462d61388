//! Statements: control flow and its joins, `match`, `try`, attributes. Loops have their own module.

use super::Analyzer;
use super::expressions::bare;
use super::flow_facts::PathEnd;
use crate::message::{Category, Code, Message};
use crate::sema::flow_state::{self, Environment, Identity, Variable};
use crate::sema::messages;
use crate::sema::model::*;
use crate::sema::scope::Assigned;
use crate::sema::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::Resolved;
use crate::types::{Type, lattice};
use quasar_devicelib::value::Exception;
use std::collections::BTreeMap;

/// After this many branches of an `if` statement, the negated conditions of earlier ones are no longer assumed.
const LEARNT: usize = 32;

/// The functions defined in the branches of one statement.
#[derive(Default)]
struct BranchFunctions<'a> {
    /// Whether the branch taken is decided at run time.
    open: bool,
    names: Vec<&'a str>,
    /// Those defined in several branches: a later call is ambiguous.
    several: Vec<&'a Name>,
}

impl<'a> Analyzer<'a> {
    pub(super) fn block(&mut self, statements: &'a [Stmt]) {
        self.statements(statements, &mut |_| ());
    }

    /// Infers the statements of a block and calls `after` after each.
    fn statements(&mut self, statements: &'a [Stmt], after: &mut dyn FnMut(&Self)) {
        for (k, statement) in statements.iter().enumerate() {
            if matches!(statement.kind, StmtKind::Function(_)) {
                self.announce_functions(&statements[k + 1..]);
            }
            self.stmt(statement, None);
            after(self);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt, label: Option<&'a Name>) {
        match &stmt.kind {
            StmtKind::Expr(expr) => self.expression_statement(expr),
            StmtKind::If { branches, otherwise } => self.if_statement(stmt, branches, otherwise.as_deref()),
            StmtKind::Labelled { label, body } => self.stmt(body, Some(label)),
            StmtKind::For { variable, sequence, body } => {
                self.for_statement(stmt, label, variable, sequence, body)
            }
            StmtKind::While { condition, body } => {
                let ends = Some((condition, false));
                self.run_loop(stmt, label.map(|label| label.text.as_str()), ends, &mut |this| {
                    let decided = this.condition(condition);
                    if decided == Some(false) {
                        return;
                    }
                    this.learn(condition, true);
                    this.block(body);
                });
            }
            StmtKind::Repeat { body, until } => {
                let ends = Some((until, true));
                self.run_loop(stmt, label.map(|label| label.text.as_str()), ends, &mut |this| {
                    let mark = this.frame.facts.mark();
                    this.block(body);
                    this.reach_test(mark);
                    this.condition(until);
                });
            }
            StmtKind::Match { subject, arms } => self.match_statement(stmt, subject, arms),
            StmtKind::Try { body, catches } => self.try_statement(stmt, body, catches),
            StmtKind::Break(label) => self.leave(stmt.span, label.as_ref(), "break"),
            StmtKind::Continue(label) => self.leave(stmt.span, label.as_ref(), "continue"),
            StmtKind::Print(parts) => {
                for part in parts {
                    self.expr(part);
                }
                if self.on_device() {
                    self.host_only(stmt.span, "print");
                }
            }
            StmtKind::Error(parts) => {
                for part in parts {
                    self.error_part(part);
                }
                self.frame.dead = true;
            }
            StmtKind::SyncThreads(_) => {
                let in_loop = self.frame.kind == FunctionKind::Host && !self.frame.loops.is_empty();
                if self.frame.kind != FunctionKind::Kernel && !in_loop {
                    let text = "syncthreads belongs into kernel functions";
                    self.error("Q0405", stmt.span, text);
                }
            }
            StmtKind::Function(function) => self.inner_function(stmt, function),
            StmtKind::TypeDef(definition) => self.type_definition(definition),
            StmtKind::Reduction(reduction) => self.reduction(stmt, reduction),
            // Already expanded.
            StmtKind::Macro(_) => {}
            StmtKind::Symbolic(names) => self.symbolic(names),
            StmtKind::Attribute(attribute) => self.attribute(attribute),
            StmtKind::Pragma { .. } | StmtKind::Invalid => {}
        }
    }

    /// Types the arguments of attributes that are evaluated at run time: a block size or the index of a GPU.
    fn attribute(&mut self, attribute: &'a Attribute) {
        let places = attribute.words.first().is_some_and(|word| word.text == "sched");
        let keyed = |name| {
            move |argument: &&'a AttributeArg| argument.key.as_ref().is_some_and(|key| key.text == name)
        };
        for argument in attribute.arguments.iter().filter(keyed("blkdim")) {
            self.expr(&argument.value);
        }
        if !places {
            let computed =
                |argument: &&'a AttributeArg| is_computed(&argument.value) && !keyed("blkdim")(argument);
            let said = self.frame.messages.len();
            for argument in attribute.arguments.iter().filter(computed) {
                self.undone(&argument.value);
            }
            self.frame.messages.truncate(said);
        }
        if !places || self.on_device() {
            return;
        }
        for argument in attribute.arguments.iter().filter(keyed("gpu_index")) {
            let ty = self.expr(&argument.value);
            if !matches!(ty, Type::Error) && !ty.is_integer() {
                self.error("Q0304", argument.value.span, "the number of a GPU is an integer");
            }
        }
    }

    /// Types a part of an error message, where string literals are allowed even in device code.
    pub(super) fn error_part(&mut self, part: &'a Expr) {
        if let ExprKind::Text(text) = &bare(part).kind {
            self.frame.tables.types.insert(part.id, Type::Text);
            self.frame.tables.constants.insert(part.id, Constant::Text(text.clone()));
        } else {
            self.expr(part);
        }
    }

    fn expression_statement(&mut self, expr: &'a Expr) {
        let types = self.results(expr, 0);
        let inner = bare(expr);
        if does_nothing(inner) && !matches!(types.as_slice(), [Type::Error]) {
            let function = types.iter().any(|ty| matches!(ty, Type::Function(_)));
            self.say(messages::no_effect(expr.span, function));
        }
        if types.is_empty() || !matches!(inner.kind, ExprKind::Call { .. }) {
            return;
        }
        if let Some(Callee::Instance { instance, .. }) = self.frame.tables.callees.get(&inner.id) {
            let instance = *instance;
            // The name of an instance is filled in only after its inference.
            let name = match self.instances[instance].definition {
                Definition::Function(id) => {
                    self.index.function(id).map(|function| function.name.text.clone())
                }
                Definition::Lambda(_) | Definition::Module(_) => None,
            };
            if let Some(name) = name {
                self.say(messages::ignored_results(expr.span, &name, types.len()));
            }
        }
    }

    fn if_statement(&mut self, stmt: &'a Stmt, branches: &'a [(Expr, Block)], otherwise: Option<&'a [Stmt]>) {
        let mut ends: Vec<PathEnd> = Vec::new();
        let dead_before = self.frame.dead;
        let mark = self.frame.facts.mark();
        let mut open = true;
        let mut inner = BranchFunctions::default();
        for (condition, body) in branches {
            match self.condition(condition) {
                Some(false) => {
                    if !self.frame.tables.constants.contains_key(&condition.id) || !body.is_empty() {
                        self.say(messages::branch_cut(condition.span));
                    }
                    continue;
                }
                decided => {
                    let before = self.frame.env.clone();
                    let kept = self.frame.facts.mark() - mark;
                    self.learn(condition, true);
                    inner.open |= decided.is_none();
                    self.branch(body, &mut inner);
                    self.end_path(&mut ends, mark, kept, dead_before);
                    self.frame.env = before;
                    if decided == Some(true) {
                        open = false;
                        break;
                    }
                    if ends.len() < LEARNT {
                        self.learn(condition, false);
                    }
                }
            }
        }
        if open {
            if let Some(otherwise) = otherwise {
                self.branch(otherwise, &mut inner);
            }
            self.end_path(&mut ends, mark, 0, dead_before);
        }
        self.frame.facts.release(mark);
        self.meet(stmt.id, ends, dead_before);
        for name in inner.several {
            self.frame.env.insert(name.text.clone(), Variable::new(Type::Error, name.span));
        }
    }

    /// Infers a branch. Its functions go out of scope if the branch taken is decided at run time.
    fn branch(&mut self, body: &'a [Stmt], inner: &mut BranchFunctions<'a>) {
        let known = self.frame.lexical.functions.len();
        self.block(body);
        if !inner.open {
            return;
        }
        self.frame.lexical.functions.truncate(known);
        for stmt in body {
            let StmtKind::Function(function) = &stmt.kind else { continue };
            if inner.names.contains(&function.name.text.as_str()) {
                self.say(messages::function_in_branches(function.name.span, &function.name.text));
                inner.several.push(&function.name);
            }
        }
        for stmt in body {
            if let StmtKind::Function(function) = &stmt.kind {
                inner.names.push(&function.name.text);
            }
        }
    }

    /// Joins paths and records the variables whose types differed.
    fn meet(&mut self, id: NodeId, mut ends: Vec<PathEnd>, dead_before: bool) {
        if ends.is_empty() {
            self.frame.dead = true;
            return;
        }
        self.common_facts(&mut ends);
        let ends: Vec<Environment> = ends.into_iter().map(|path| path.env).collect();
        self.frame.dead = dead_before;
        let joined = flow_state::join(&ends);
        let mut changed = Vec::new();
        for (name, variable) in &joined {
            let differs = ends.iter().any(|end| end.get(name).is_some_and(|other| other.ty != variable.ty));
            if !differs {
                continue;
            }
            changed.push((name.clone(), variable.ty.clone()));
            let found: Vec<(Span, Type)> =
                ends.iter().filter_map(|end| end.get(name)).map(|end| (end.span, end.ty.clone())).collect();
            self.widen_functions(&found, &variable.ty);
            if variable.ty == Type::Dynamic {
                let types: Vec<String> = ends
                    .iter()
                    .filter_map(|end| end.get(name))
                    .map(|variable| format!("'{}'", self.show(&variable.ty)))
                    .collect();
                let text = format!(
                    "the type of '{name}' is known at run time only: it has the types {} on different paths",
                    types.join(", ")
                );
                let span = variable.span;
                if self.on_device() {
                    self.error("Q0402", span, text);
                } else {
                    self.say(Message::warning("Q0325", span, text));
                }
            }
        }
        self.frame.env = joined;
        self.frame.tables.joins.insert(id, changed);
    }

    fn for_statement(
        &mut self,
        stmt: &'a Stmt,
        label: Option<&'a Name>,
        variable: &'a Name,
        sequence: &'a Expr,
        body: &'a [Stmt],
    ) {
        let ty = self.expr(sequence);
        let element = match &ty {
            Type::Array(array) if array.known_rank() == Some(1) || array.known_rank().is_none() => {
                (*array.element).clone()
            }
            Type::Tuple(parts) => parts
                .iter()
                .skip(1)
                .fold(parts.first().cloned(), |a, b| a.map(|a| lattice::join(&a, b)))
                .unwrap_or(Type::Dynamic),
            Type::Error => Type::Error,
            Type::Dynamic => Type::Dynamic,
            ty if ty.is_number() => ty.clone(),
            other => {
                let text = format!("a loop runs over a sequence or vec, found '{}'", self.show(other));
                self.error("Q0315", sequence.span, text)
            }
        };
        let limits = self.loop_limits(sequence);
        self.run_loop(stmt, label.map(|label| label.text.as_str()), None, &mut |this| {
            if this.keeps_its_type(&variable.text, &element) {
                this.frame.tables.kept_loop_variables.insert(stmt.id);
            } else {
                this.frame.tables.kept_loop_variables.remove(&stmt.id);
                this.introduce(stmt.id, variable, element.clone());
                if let Some(limits) = &limits {
                    this.assume_limits(&variable.text, limits);
                }
            }
            this.frame.tables.loop_variables.insert(stmt.id, element.clone());
            this.block(body);
        });
        // After the loop the variable has the element type of the sequence.
        if let Some(known) = self.frame.env.get_mut(&variable.text)
            && known.global.is_none()
            && !self.frame.tables.kept_loop_variables.contains(&stmt.id)
        {
            known.ty = element.clone();
        }
        self.frame.tables.loop_variables.insert(stmt.id, element);
    }

    /// Whether a loop variable has a fixed type in the enclosing `try`, to which the loop then converts its values.
    fn keeps_its_type(&mut self, name: &str, element: &Type) -> bool {
        let inside = self.frame.tries > 0;
        let Some(variable) =
            self.frame.env.get_mut(name).filter(|variable| inside && variable.global.is_none())
        else {
            return false;
        };
        let kept = variable.declared.as_ref().is_some_and(|declared| {
            declared == &variable.ty && declared != element && lattice::join(declared, element) == *declared
        });
        if kept {
            super::loops::may_change(variable);
        }
        kept
    }

    fn match_statement(&mut self, stmt: &'a Stmt, subject: &'a Expr, arms: &'a [MatchArm]) {
        let ty = self.expr(subject);
        let mut ends = Vec::new();
        let dead_before = self.frame.dead;
        let mark = self.frame.facts.mark();
        let mut complete = false;
        for arm in arms {
            for pattern in &arm.patterns {
                self.pattern(pattern, &ty);
            }
            let before = self.frame.env.clone();
            self.block(&arm.body);
            self.end_path(&mut ends, mark, 0, dead_before);
            self.frame.env = before;
            if arm.patterns.is_empty() {
                complete = true;
                break;
            }
        }
        if !complete {
            ends.push(PathEnd { env: self.frame.env.clone(), facts: Vec::new() });
        }
        self.meet(stmt.id, ends, dead_before);
    }

    fn pattern(&mut self, pattern: &'a Expr, subject: &Type) {
        if let (Type::Enum(id), ExprKind::Name(name)) = (subject, &bare(pattern).kind)
            && self.enums.get(id.0 as usize).is_some_and(|info| info.value(name).is_some())
        {
            let inner = bare(pattern);
            let ty = self.enum_member(inner, id.0, name, inner.span);
            self.frame.tables.types.insert(inner.id, ty.clone());
            self.frame.tables.types.insert(pattern.id, ty);
            self.copy_facts(inner.id, pattern.id);
            return;
        }
        if let (ExprKind::Text(text), Type::Text) = (&bare(pattern).kind, subject) {
            self.frame.tables.types.insert(pattern.id, Type::Text);
            self.frame.tables.constants.insert(pattern.id, Constant::Text(text.clone()));
            return;
        }
        self.expr(pattern);
    }

    fn try_statement(&mut self, stmt: &'a Stmt, body: &'a [Stmt], catches: &'a [Catch]) {
        if self.on_device() {
            self.host_only(stmt.span, "try");
        }
        let mut before = self.frame.env.clone();
        let dead_before = self.frame.dead;
        let mark = self.frame.facts.mark();
        let mut ends = Vec::new();
        let mut reached = self.tried(stmt, body, &mut before);
        // Outside of the body a variable may change its type again.
        let left = self.frame.loops.iter_mut().flat_map(|outer| &mut outer.exits);
        for variables in [&mut before, &mut reached, &mut self.frame.env].into_iter().chain(left) {
            for (name, _) in self.frame.tables.loop_heads.get(&stmt.id).into_iter().flatten() {
                variables.entry(name.clone()).and_modify(|variable| variable.declared = None);
            }
        }
        // The handler may run after any statement of the body.
        let mut assigned = Assigned::default();
        walk::block(body, &mut assigned);
        let mut interrupted = flow_state::join(&[before, reached]);
        for (name, variable) in &mut interrupted {
            variable.value = None;
            variable.known_components = None;
            let assigned = assigned.names.contains_key(name.as_str())
                || self.frame.assigned_by_rewrites.contains(name.as_str());
            if assigned && variable.identity != Identity::Volatile {
                variable.identity = Identity::Unknown;
            }
        }
        self.end_path(&mut ends, mark, 0, dead_before);
        let uses = self.catches(catches);
        for (catch, taken) in catches.iter().zip(&uses) {
            if *taken == Catches::Nothing {
                continue;
            }
            self.frame.env = interrupted.clone();
            if let Some(variable) = &catch.variable {
                self.introduce(catch.ty.as_ref().map_or(stmt.id, |ty| ty.id), variable, Type::Text);
            }
            self.block(&catch.body);
            self.end_path(&mut ends, mark, 0, dead_before);
        }
        // Exceptions that no clause catches propagate to the caller.
        self.meet(stmt.id, ends, dead_before);
        self.frame.tables.catches.insert(stmt.id, uses);
    }

    /// Infers the body of a `try` and returns the environment at its last reachable point. A handler may run after any
    /// statement, so variables keep one type in the whole body: `before` becomes their state at its head.
    fn tried(&mut self, stmt: &'a Stmt, body: &'a [Stmt], before: &mut Environment) -> Environment {
        let said = self.frame.messages.len();
        let errors = |this: &Self| {
            this.frame.messages[said..].iter().filter(|message| message.category.is_error()).count()
        };
        let (dead, mark) = (self.frame.dead, self.frame.facts.mark());
        let mut changed = BTreeMap::new();
        let reached = self.reached(body, before, &mut changed);
        self.frame.tables.loop_heads.remove(&stmt.id);
        if changed.is_empty() {
            return reached;
        }
        let first = errors(self);
        let start = before.clone();
        let mut reached = reached;
        for exact in [true, false] {
            self.frame.messages.truncate(said);
            self.frame.facts.release(mark);
            self.frame.dead = dead;
            self.clear(stmt);
            before.clone_from(&start);
            for (name, ty) in &mut changed {
                if !exact {
                    *ty = Type::Dynamic;
                }
                if let Some(variable) = before.get_mut(name) {
                    let kept = Variable::new(ty.clone(), variable.span);
                    *variable = Variable {
                        declared: Some(ty.clone()),
                        access: variable.access,
                        definite: variable.definite,
                        ..kept
                    };
                }
            }
            self.frame.env.clone_from(before);
            reached = self.reached(body, before, &mut BTreeMap::new());
            if errors(self) <= first {
                break;
            }
        }
        self.frame.tables.loop_heads.insert(stmt.id, changed.into_iter().collect());
        reached
    }

    /// Infers statements up to the first that always fails. Adds the joined types of variables that change to
    /// `changed`.
    fn reached(
        &mut self,
        body: &'a [Stmt],
        before: &Environment,
        changed: &mut BTreeMap<String, Type>,
    ) -> Environment {
        self.frame.tries += 1;
        let mut reached = before.clone();
        self.statements(body, &mut |this| {
            if this.frame.dead {
                return;
            }
            reached.clone_from(&this.frame.env);
            for (name, old) in
                before.iter().filter(|(_, old)| old.global.is_none() && old.self_function.is_none())
            {
                let Some(new) = reached.get(name).filter(|new| new.ty != old.ty) else { continue };
                let functions = [&new.ty, &old.ty].iter().any(|ty| !ty.functions().is_empty());
                if old.declared.is_none() && new.ty != Type::Error {
                    let so_far = changed.get(name).unwrap_or(&old.ty);
                    // What keeps one type does not know which functions it may be.
                    let joined = if functions { Type::Dynamic } else { lattice::join(so_far, &new.ty) };
                    changed.insert(name.clone(), joined);
                }
            }
        });
        self.frame.tries -= 1;
        for (name, joined) in changed.iter() {
            let Some(old) = before.get(name) else { continue };
            self.widen_functions(&[(old.span, old.ty.clone())], joined);
        }
        reached
    }

    /// What each clause catches of the exceptions that earlier ones leave.
    fn catches(&mut self, catches: &'a [Catch]) -> Vec<Catches> {
        let mut taken: Vec<Catches> = Vec::new();
        for catch in catches {
            let named = catch.ty.as_ref().map_or(Catches::All, |ty| self.exception(ty));
            let useless = taken.contains(&Catches::All) || taken.contains(&named);
            if useless {
                let span = match (&catch.ty, &catch.variable) {
                    (Some(ty), _) => ty.span,
                    (None, Some(variable)) => variable.span,
                    (None, None) => catch.body.first().map_or_else(Default::default, |stmt| stmt.span),
                };
                self.say(messages::unreachable_catch(span));
            }
            taken.push(if useless { Catches::Nothing } else { named });
        }
        taken
    }

    /// The exception class that a clause names.
    fn exception(&mut self, ty: &'a TypeExpr) -> Catches {
        if let TypeExprKind::Named { name, rank: None, args, sizes } = &ty.kind
            && args.is_empty()
            && sizes.is_empty()
            && let Some(exception) = Exception::ALL.into_iter().find(|e| e.name() == name.text)
        {
            return Catches::Only(exception);
        }
        let is_base = matches!(&ty.kind, TypeExprKind::Named { name, .. } if name.text != "string");
        match self.resolve(ty).0 {
            Resolved::Is(Type::Text) if is_base => {}
            Resolved::Is(Type::Error) => {}
            _ => self.say(messages::no_exception(ty.span)),
        }
        Catches::All
    }

    /// Reports an informational message.
    pub(super) fn inform(&mut self, code: &'static str, span: crate::source::Span, text: String) {
        self.say(Message::new(Code(code), Category::Information, span, text));
    }
}

/// Whether the value of an attribute must be evaluated.
fn is_computed(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Name(_) => false,
        ExprKind::Array(items) | ExprKind::Cell(items) => {
            items.iter().any(|item| matches!(item, Element::Expr(item) if is_computed(item)))
        }
        _ => true,
    }
}

/// Whether the value of a statement is all that it has: it calls and assigns nothing.
fn does_nothing(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Name(_) => true,
        ExprKind::Paren(inner) | ExprKind::Prefix { operand: inner, .. } => does_nothing(inner),
        ExprKind::Infix { lhs, rhs, .. } => does_nothing(lhs) && does_nothing(rhs),
        ExprKind::Member { base, .. } => does_nothing(base),
        _ => false,
    }
}
