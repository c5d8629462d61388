//! What both sides of a comparison were that an assertion expected.

use crate::debug::debuggee::{Debuggee, shown, variables};
use quasar_core::interp::{Moment, Next, RunError, RunErrorKind, Watcher};
use quasar_core::sema::walk::{self, Visitor};
use quasar_core::source::Span;
use quasar_core::syntax::ast::{CallArg, Expr, ExprKind, InfixOp, Stmt, StmtKind};

/// The sides of a comparison, as they were written.
pub(super) struct Sides {
    assertion: Span,
    sides: Vec<String>,
}

/// The sides of the comparison that failed; `None` if it is none, or both sides say what they are.
pub(super) fn of(error: &RunError, debuggee: &Debuggee) -> Option<Sides> {
    if error.kind != RunErrorKind::Assertion {
        return None;
    }
    let mut wanted = Assertion { span: error.span, condition: None };
    let compilation = &debuggee.compilation;
    compilation.unit.modules.iter().for_each(|each| walk::block(&each.module.items, &mut wanted));
    let ExprKind::Infix { op, lhs, rhs } = &unwrapped(wanted.condition?).kind else { return None };
    let compares = matches!(
        op,
        InfixOp::Equal
            | InfixOp::NotEqual
            | InfixOp::Less
            | InfixOp::LessEqual
            | InfixOp::Greater
            | InfixOp::GreaterEqual
    );
    let sides = [lhs, rhs].into_iter().filter(|side| !says_itself(side));
    let sides: Vec<String> = sides.map(|side| compilation.sources.text(side.span).to_owned()).collect();
    (compares && !sides.is_empty()).then_some(Sides { assertion: error.span, sides })
}

fn unwrapped(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => unwrapped(inner),
        _ => expr,
    }
}

/// Whether the text of an expression is its value.
fn says_itself(expr: &Expr) -> bool {
    match &unwrapped(expr).kind {
        ExprKind::Number(_) | ExprKind::Text(_) => true,
        ExprKind::Prefix { operand, .. } => says_itself(operand),
        ExprKind::Name(name) => ["true", "false"].contains(&&name[..]),
        _ => false,
    }
}

/// Finds the condition of an assertion.
struct Assertion<'a> {
    span: Span,
    condition: Option<&'a Expr>,
}

impl<'a> Visitor<'a> for Assertion<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if stmt.span == self.span
            && let StmtKind::Expr(Expr { kind: ExprKind::Call { args, .. }, .. }) = &stmt.kind
            && let Some(CallArg::Positional(condition)) = args.first()
        {
            self.condition = Some(condition);
        }
        true
    }
}

/// Finds the last time that the program comes to an assertion.
pub(super) struct Last<'a> {
    pub(super) sides: &'a Sides,
    pub(super) number: u64,
}

impl Watcher for Last<'_> {
    fn look(&mut self, moment: &Moment<'_>) -> Next {
        if moment.span() == self.sides.assertion {
            self.number = moment.number();
        }
        Next::At(0)
    }
}

/// Computes the sides where the program stands at an instruction.
pub(super) struct Values<'a> {
    pub(super) sides: &'a Sides,
    pub(super) debuggee: &'a Debuggee,
    pub(super) number: u64,
    /// A line for each side.
    pub(super) lines: Vec<String>,
}

impl Watcher for Values<'_> {
    fn look(&mut self, moment: &Moment<'_>) -> Next {
        if moment.number() < self.number {
            return Next::At(self.number);
        }
        let (own, globals) = (variables(moment, Some(0)), moment.globals().into_iter());
        let globals: Vec<_> = globals.map(|(name, value)| (name.to_owned(), value.clone())).collect();
        for side in &self.sides.sides {
            if let Ok(value) = self.debuggee.evaluate(side, &own, &globals) {
                self.lines.push(format!("{side} is {}\n", shown(&value)));
            }
        }
        Next::Stop(String::new())
    }
}
