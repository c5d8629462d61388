//! `{!specialize args=(c1 || c2)}`: versions the rest of a function body, one version per condition and a general one.
//! The conditions are tested in order at run time; each is a fact in its version.
//!
//! ```text
//! {!specialize args=(n == 3 || n > 8)}        if n == 3
//! body                                            n = 3
//!                                                 body
//!                                becomes      elseif n > 8
//!                                                 body
//!                                             else
//!                                                 body
//!                                             endif
//! ```

use super::macros::Renumber;
use super::unit::Unit;
use super::walk::{self, Visitor};
use crate::message::{Message, Sink};
use crate::syntax::ast::*;
use crate::syntax::change::{self, VisitMut};

/// The maximal number of versions of one function.
const VERSIONS: usize = 16;

/// Versions all functions of a unit that have the attribute.
pub fn expand(unit: &mut Unit, ids: &mut NodeIds, sink: &mut Sink) {
    for module in &mut unit.modules {
        let mut find = Find(false);
        walk::block(&module.module.items, &mut find);
        if find.0 {
            Dispatch { ids, sink }.block(&mut module.module.items);
        }
    }
}

/// The conditions of a `specialize` attribute.
fn conditions(stmt: &Stmt) -> Option<&Expr> {
    let StmtKind::Attribute(attribute) = &stmt.kind else { return None };
    let [word] = attribute.words.as_slice() else { return None };
    let is_args = |argument: &&AttributeArg| argument.key.as_ref().is_some_and(|key| key.text == "args");
    let argument = attribute.arguments.iter().find(is_args).filter(|_| word.text == "specialize")?;
    Some(&argument.value)
}

/// Flattens a chain of one operator, with or without parentheses.
fn operands<'a>(expr: &'a Expr, op: InfixOp, into: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Paren(inner) => operands(inner, op, into),
        ExprKind::Infix { op: found, lhs, rhs } if *found == op => {
            operands(lhs, op, into);
            operands(rhs, op, into);
        }
        _ => into.push(expr),
    }
}

/// Whether some statement is such an attribute.
struct Find(bool);

impl<'a> Visitor<'a> for Find {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        self.0 |= conditions(stmt).is_some();
        !self.0
    }
}

/// Whether threads cooperate (barriers, shared memory): the versions would diverge.
struct ThreadCooperation(bool);

impl<'a> Visitor<'a> for ThreadCooperation {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        self.0 |= matches!(stmt.kind, StmtKind::SyncThreads(_));
        !self.0
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        let annotation = match &expr.kind {
            ExprKind::Declare { annotation, .. } => Some(annotation),
            ExprKind::Assign { target, .. } => match &**target {
                Target::Place { annotation, .. } => annotation.as_ref(),
                Target::Multiple { .. } => None,
            },
            ExprKind::Name(name) => {
                self.0 |= name == "shared" || name == "shared_zeros";
                None
            }
            _ => None,
        };
        let modifiers = annotation.into_iter().flat_map(|annotation| {
            annotation.ty.iter().flat_map(|ty| &ty.modifiers).chain(&annotation.modifiers)
        });
        self.0 |= modifiers.into_iter().any(|modifier| modifier.name.text == "shared");
        !self.0
    }
}

struct Dispatch<'x> {
    ids: &'x mut NodeIds,
    sink: &'x mut Sink,
}

impl VisitMut for Dispatch<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        change::stmt_parts(self, stmt);
        if let StmtKind::Function(function) = &mut stmt.kind {
            self.versions(function);
        }
    }

    // Functions are nested in statements only.
    fn expr(&mut self, _: &mut Expr) {}
}

impl Dispatch<'_> {
    fn versions(&mut self, function: &mut Function) {
        let Some(at) = function.body.iter().position(|stmt| conditions(stmt).is_some()) else { return };
        let rest = function.body.split_off(at + 1);
        let Some(attribute) = function.body.pop() else { return };
        let mut list = Vec::new();
        conditions(&attribute).into_iter().for_each(|all| operands(all, InfixOp::Or, &mut list));
        let mut together = ThreadCooperation(false);
        walk::block(&rest, &mut together);
        let refused = if list.len() > VERSIONS {
            Some(format!("it would have more than {VERSIONS} versions"))
        } else if together.0 {
            Some("versions with barriers or shared memory of their own are not made".to_owned())
        } else {
            None
        };
        if let Some(reason) = refused {
            let text = format!("'{}' stays one version: {reason}", function.name.text);
            self.sink.push(Message::warning("Q0623", attribute.span, text));
            function.body.extend(rest);
            return;
        }
        let branches = list.into_iter().map(|condition| {
            let mut body = self.known(condition, &function.params);
            body.extend(self.copy(&rest));
            (condition.clone(), body)
        });
        let branches = branches.collect();
        let kind = StmtKind::If { branches, otherwise: Some(rest) };
        function.body.push(Stmt { id: self.ids.fresh(), span: attribute.span, kind });
    }

    fn copy(&mut self, body: &Block) -> Block {
        let mut copy = body.clone();
        Renumber(self.ids).block(&mut copy);
        copy
    }

    /// Assigns the numbers that a condition implies to the parameters, if the declared type matches.
    fn known(&mut self, condition: &Expr, params: &[Param]) -> Block {
        let mut all = Vec::new();
        operands(condition, InfixOp::And, &mut all);
        let mut block = Block::new();
        for one in all {
            let ExprKind::Infix { op: InfixOp::Equal, lhs, rhs } = &one.kind else { continue };
            let (ExprKind::Name(name), ExprKind::Number(number)) = (&lhs.kind, &rhs.kind) else { continue };
            let is_declared = |param: &&Param| param.name.text == *name && declares(param, *number);
            if !params.iter().any(|param| is_declared(&param)) {
                continue;
            }
            let target = Box::new(Target::Place { place: (**lhs).clone(), annotation: None });
            let kind = ExprKind::Assign { target, op: None, value: rhs.clone() };
            let (span, id) = (one.span, self.ids.fresh());
            let expr = Expr { id, span, kind };
            block.push(Stmt { id: self.ids.fresh(), span, kind: StmtKind::Expr(expr) });
        }
        self.copy(&block)
    }
}

/// Whether a parameter is declared with the type of the number.
pub(super) fn declares(param: &Param, number: Number) -> bool {
    let ty = param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref());
    let Some(TypeExprKind::Named { name, rank: None, args, sizes }) = ty.map(|ty| &ty.kind) else {
        return false;
    };
    let wanted = match number {
        Number::Int(_) => "int",
        Number::Float(_) => "scalar",
        Number::Imaginary(_) => return false,
    };
    name.text == wanted && args.is_empty() && sizes.is_empty()
}
