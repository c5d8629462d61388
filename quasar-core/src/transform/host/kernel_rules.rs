//! Which statements and expressions a loop may hold to become a kernel, with a reason for each refusal.

use crate::analysis::access_pattern::DEPTH;
use crate::analysis::heap;
use crate::ids::Arena;
use crate::ir::print::type_text;
use crate::ir::rewrite::{children, operands, visit, visit_stmts};
use crate::ir::small_calls::{divides_by_pivots, small_call};
use crate::ir::{Block, Expr, ExprKind, Failure, Function, Index, Stmt, StmtKind, VarSet};
use crate::source::Span;
use crate::types::known::{array_element, fixed, is_kept};
use crate::types::{ElementType, Type};

/// Why something cannot stand in a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Where.
    pub span: Span,
    /// What it does, as the end of "it ..".
    pub what: String,
}

type Verdict = Result<(), Refusal>;

fn refuse(span: Span, what: impl Into<String>) -> Verdict {
    Err(Refusal { span, what: what.into() })
}

/// What a loop may hold.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The functions of the program.
    pub functions: &'a Arena<Function>,
    /// The variables for arrays in memory that an iteration makes before it uses them, where the kernel may make such.
    pub own: Option<&'a VarSet>,
}

/// Tests that the functions which a loop calls make no arrays of unknown sizes.
pub fn calls_make_nothing(block: &[Stmt], functions: &Arena<Function>) -> Verdict {
    let mut verdict = Ok(());
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind
            && verdict.is_ok()
            && heap::calls(functions, std::slice::from_ref(stmt), DEPTH)
        {
            let name = &functions[*function].source_name;
            verdict =
                refuse(stmt.span, format!("calls '{name}', which makes arrays whose sizes are not known"));
        }
    });
    verdict
}

impl Rules<'_> {
    /// Tests the body of a loop.
    pub fn block(&self, block: &Block) -> Verdict {
        self.block_in_loops(block, 0)
    }

    /// `depth` counts the loops inside the kernel around the block.
    fn block_in_loops(&self, block: &Block, depth: u32) -> Verdict {
        block.iter().try_for_each(|stmt| self.stmt(stmt, depth))
    }

    fn stmt(&self, stmt: &Stmt, depth: u32) -> Verdict {
        let mut verdict = Ok(());
        match &stmt.kind {
            // The written array itself is judged as a place, not as a value.
            StmtKind::Store { index, value, .. } | StmtKind::Update { index, value, .. } => {
                expr_allowed(value)?;
                for each in index {
                    if let Index::At(position) = each {
                        expr_allowed(position)?;
                    }
                }
            }
            StmtKind::Assert { condition, .. } => expr_allowed(condition)?,
            StmtKind::While { condition, .. } | StmtKind::Repeat { until: condition, .. } => {
                always(condition)?;
                expr_allowed(condition)?;
            }
            StmtKind::Fail { .. } | StmtKind::Library { .. } => {}
            StmtKind::Assign { value, .. } if self.is_median(value) => {}
            StmtKind::Assign { value, .. } if self.makes_array(value) => {
                let parts: &[Expr] =
                    if let ExprKind::Library { args, .. } = &value.kind { args } else { &[] };
                parts.iter().filter(|arg| !is_kept(&arg.ty)).try_for_each(expr_allowed)?;
            }
            _ => operands(stmt, &mut |expr| {
                if verdict.is_ok() {
                    verdict = expr_allowed(expr);
                }
            }),
        }
        verdict?;
        match &stmt.kind {
            StmtKind::Assign { variable, value } => match self.own {
                Some(own) if is_kept(&value.ty) => {
                    let known = self.makes_array(value) && own.contains(variable);
                    if known { Ok(()) } else { value_allowed(value) }
                }
                Some(_) if fixed(&value.ty).is_some() => Ok(()),
                _ => value_allowed(value),
            },
            StmtKind::Store { array, index, value, .. } | StmtKind::Update { array, index, value, .. } => {
                place_allowed(array, index)?;
                if matches!(value.ty, Type::Scalar(..) | Type::Enum(_)) {
                    Ok(())
                } else {
                    refuse(stmt.span, "stores a slice")
                }
            }
            StmtKind::Exchange { .. } => refuse(stmt.span, "exchanges a value atomically"),
            StmtKind::Call { function, .. } => match &self.functions[*function] {
                callee if callee.device => Ok(()),
                callee => refuse(stmt.span, format!("calls the host function '{}'", callee.source_name)),
            },
            StmtKind::If { then, otherwise, .. } => {
                self.block_in_loops(then, depth)?;
                self.block_in_loops(otherwise, depth)
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => self.block_in_loops(body, depth + 1),
            StmtKind::Repeat { body, test, .. } => {
                self.block_in_loops(body, depth + 1)?;
                self.block_in_loops(test, depth + 1)
            }
            StmtKind::Break { levels } if *levels >= depth => {
                refuse(stmt.span, "leaves the loop with `break`")
            }
            StmtKind::Continue { levels } if *levels >= depth => {
                refuse(stmt.span, "goes on with the next iteration by `continue`")
            }
            StmtKind::Break { .. } | StmtKind::Continue { .. } => Ok(()),
            StmtKind::Assert { message, .. } | StmtKind::Fail { message, .. } => {
                // Those that slices and functions of arrays bring along.
                let sizes =
                    matches!(&stmt.kind, StmtKind::Fail { failure: Failure::Size | Failure::Argument, .. });
                let shown = |part: &Expr| {
                    let number = self.own.is_some() && sizes && matches!(part.ty, Type::Scalar(..));
                    number || matches!(part.kind, ExprKind::Text(_) | ExprKind::Constant(_))
                };
                if message.iter().all(shown) {
                    Ok(())
                } else {
                    refuse(stmt.span, "prints values in an error message")
                }
            }
            StmtKind::ForEach { .. } => refuse(stmt.span, "loops over the elements of a vector"),
            StmtKind::Library { name, .. } => refuse(stmt.span, format!("calls '{name}'")),
            StmtKind::Launch { .. } | StmtKind::Strips { .. } => refuse(stmt.span, "launches a kernel"),
            StmtKind::CallValue { .. } => {
                refuse(stmt.span, "calls a function that is known at run time only")
            }
            StmtKind::AssignGlobal { .. } => refuse(stmt.span, "assigns a module-level variable"),
            StmtKind::SetMember { .. } => refuse(stmt.span, "changes an object"),
            StmtKind::Try { .. } => refuse(stmt.span, "catches errors"),
            StmtKind::Shared { .. } | StmtKind::Barrier(_) | StmtKind::Fence(_) => {
                refuse(stmt.span, "does what only a kernel can do")
            }
        }
    }

    /// Whether a value is the median of an array that the iteration has made.
    fn is_median(&self, value: &Expr) -> bool {
        let (Some(own), ExprKind::Library { name: "median", args }) = (self.own, &value.kind) else {
            return false;
        };
        matches!(args.as_slice(), [Expr { kind: ExprKind::Local(v), .. }] if own.contains(v))
    }

    /// Whether a value is a new array in memory, or one that the iteration has made.
    fn makes_array(&self, value: &Expr) -> bool {
        let Some(own) = self.own.filter(|_| is_kept(&value.ty)) else { return false };
        let is_own = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if own.contains(&v));
        match &value.kind {
            ExprKind::Library { name: "zeros" | "uninit", .. } => true,
            ExprKind::Library { name: "reshape" | "sort", args } => args.first().is_some_and(is_own),
            _ => is_own(value),
        }
    }
}

fn place_allowed(array: &Expr, index: &[Index]) -> Verdict {
    if !matches!(array.kind, ExprKind::Local(_)) {
        return refuse(array.span, "writes to something other than a variable");
    }
    array_allowed(array)?;
    for each in index {
        match each {
            Index::At(_) => {}
            Index::Range(_) | Index::List(_) | Index::All => return refuse(array.span, "stores a slice"),
            Index::Position(_) => return refuse(array.span, "uses a position vector of unknown length"),
        }
    }
    Ok(())
}

fn array_allowed(array: &Expr) -> Verdict {
    match &array.ty {
        Type::Array(ty) if matches!(*ty.element, Type::Scalar(..) | Type::Enum(_)) => Ok(()),
        _ => refuse(array.span, "uses an array whose elements are not numbers"),
    }
}

/// Whether a value may be kept by one thread: a number or a small array of fixed size.
fn value_allowed(value: &Expr) -> Verdict {
    if is_value(&value.ty) { Ok(()) } else { refuse(value.span, "makes an array whose size is not fixed") }
}

/// Whether the type is one that a thread keeps in registers.
pub fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Scalar(..) | Type::Enum(_) => true,
        Type::Array(array) => matches!(*array.element, Type::Scalar(..)) && array.is_small(),
        Type::Tuple(parts) => parts.iter().all(is_value),
        Type::Closure(closure) => closure.captures.iter().all(|(_, ty)| is_value(ty)),
        Type::Error
        | Type::Unit
        | Type::Dynamic
        | Type::Text
        | Type::Choice(_)
        | Type::Function(_)
        | Type::TypeValue
        | Type::Null
        | Type::Class(_)
        | Type::Pointer(_)
        | Type::Group(_) => false,
    }
}

fn expr_allowed(expr: &Expr) -> Verdict {
    match &expr.kind {
        ExprKind::Local(_) if matches!(expr.ty, Type::Array(_)) && !is_value(&expr.ty) => {
            return refuse(expr.span, "uses a whole array");
        }
        ExprKind::Global(_) => return refuse(expr.span, "reads a module-level variable"),
        ExprKind::New(_) | ExprKind::Member(..) | ExprKind::Same(..) => {
            return refuse(expr.span, "uses an object");
        }
        ExprKind::Function { .. } => return refuse(expr.span, "uses a function as a value"),
        ExprKind::Text(_) | ExprKind::Null => return refuse(expr.span, "uses a string or nullptr"),
        // Small arrays of fixed size, which a thread keeps in registers.
        ExprKind::Library { name: "zeros" | "ones" | "uninit" | "eye" | "copy", .. }
            if is_value(&expr.ty) => {}
        ExprKind::Library { name, args } if is_same_everywhere(name, args, expr) => {}
        ExprKind::Library { name, .. } => return refuse(expr.span, format!("calls '{name}'")),
        ExprKind::BlockSize(_) => return refuse(expr.span, "asks for the size of blocks"),
        ExprKind::Sequence(_) => return refuse(expr.span, "makes a sequence"),
        ExprKind::Load { array, index, .. } => return load_allowed(expr, array, index),
        ExprKind::Extent(array, _) | ExprKind::Count(array) if matches!(array.kind, ExprKind::Local(_)) => {
            return array_allowed(array);
        }
        ExprKind::Constant(_)
        | ExprKind::Local(_)
        | ExprKind::Apply { .. }
        | ExprKind::Convert(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Select { .. }
        | ExprKind::Array(_)
        | ExprKind::Tuple(_)
        | ExprKind::Field(..)
        | ExprKind::Extent(..)
        | ExprKind::Count(_)
        | ExprKind::Reduce { .. }
        | ExprKind::Coordinate(..) => {
            if !is_value(&expr.ty) {
                return refuse(expr.span, format!("computes a value of type '{}'", type_text(&expr.ty)));
            }
        }
    }
    match &expr.kind {
        ExprKind::Select { then, otherwise, .. } => {
            always(then)?;
            always(otherwise)?;
        }
        ExprKind::And(_, second) | ExprKind::Or(_, second) => always(second)?,
        _ => {}
    }
    let mut verdict = Ok(());
    children(expr, &mut |child| {
        if verdict.is_ok() {
            verdict = expr_allowed(child);
        }
    });
    verdict
}

/// Refuses functions that divide by pivots where they are not computed exactly once: nothing in front of the statement can
/// test the pivots then.
fn always(expr: &Expr) -> Verdict {
    let mut verdict = Ok(());
    visit(expr, &mut |e| match &e.kind {
        ExprKind::Library { name, .. } if divides_by_pivots(name) => {
            verdict = refuse(e.span, format!("calls '{name}' under a condition"));
        }
        _ => {}
    });
    verdict
}

/// Whether a function of small arrays is the same everywhere, bit by bit. The pass `check_pivots` lets those that divide by
/// pivots fail as on the host.
fn is_same_everywhere(name: &str, args: &[Expr], expr: &Expr) -> bool {
    let Some(first) = args.first() else { return false };
    let count: usize = fixed(&first.ty).map_or(0, |sizes| sizes.iter().product());
    let element = array_element(&first.ty);
    // The library computes with halves in single precision.
    let float = element.is_some_and(|ty| ty.is_float() && ty != ElementType::Half);
    let same = match name {
        "transpose" => true,
        "matmul" => array_element(&expr.ty).is_some_and(ElementType::is_float),
        "dotprod" => float && count <= IN_ORDER,
        "trace" => float && count <= IN_ORDER * IN_ORDER,
        "cross" => float,
        "det" | "inv" | "solve" => float || element.is_some_and(ElementType::is_complex),
        _ => false,
    };
    same && is_value(&expr.ty) && small_call(name, args, expr).is_ok()
}

/// The most terms that the library adds one after the other.
const IN_ORDER: usize = 8;

fn load_allowed(expr: &Expr, array: &Expr, index: &[Index]) -> Verdict {
    if !matches!(expr.ty, Type::Scalar(..) | Type::Enum(_)) {
        return refuse(expr.span, "copies a slice");
    }
    if matches!(array.kind, ExprKind::Local(_)) {
        array_allowed(array)?;
    } else {
        expr_allowed(array)?;
    }
    for each in index {
        match each {
            Index::At(position) => expr_allowed(position)?,
            Index::Position(position) => {
                return refuse(position.span, "uses a position vector of unknown length");
            }
            Index::Range(_) | Index::List(_) | Index::All => return refuse(expr.span, "copies a slice"),
        }
    }
    Ok(())
}
