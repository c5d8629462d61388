//! Which statements and expressions a loop may hold to become a kernel, with a reason for each refusal.

use crate::analysis::access_pattern::DEPTH;
use crate::analysis::heap;
use crate::ids::Arena;
use crate::ir::print::type_text;
use crate::ir::rewrite::{children, operands, visit, visit_stmts};
use crate::ir::small_calls::{divides_by_pivots, small_call};
use crate::ir::{Block, Expr, ExprKind, Function, Index, Stmt, StmtKind};
use crate::source::Span;
use crate::types::known::{array_element, fixed};
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

/// Tests the body of a loop; `functions` are those of the program.
pub fn block_allowed(block: &Block, functions: &Arena<Function>) -> Verdict {
    block_in_loops(block, functions, 0)
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

/// `depth` counts the loops inside the kernel around the block.
fn block_in_loops(block: &Block, functions: &Arena<Function>, depth: u32) -> Verdict {
    block.iter().try_for_each(|stmt| stmt_allowed(stmt, functions, depth))
}

fn stmt_allowed(stmt: &Stmt, functions: &Arena<Function>, depth: u32) -> Verdict {
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
        _ => operands(stmt, &mut |expr| {
            if verdict.is_ok() {
                verdict = expr_allowed(expr);
            }
        }),
    }
    verdict?;
    match &stmt.kind {
        StmtKind::Assign { value, .. } => value_allowed(value),
        StmtKind::Store { array, index, value, .. } | StmtKind::Update { array, index, value, .. } => {
            place_allowed(array, index)?;
            if matches!(value.ty, Type::Scalar(..) | Type::Enum(_)) {
                Ok(())
            } else {
                refuse(stmt.span, "stores a slice")
            }
        }
        StmtKind::Exchange { .. } => refuse(stmt.span, "exchanges a value atomically"),
        StmtKind::Call { function, .. } => match &functions[*function] {
            callee if callee.device => Ok(()),
            callee => refuse(stmt.span, format!("calls the host function '{}'", callee.source_name)),
        },
        StmtKind::If { then, otherwise, .. } => {
            block_in_loops(then, functions, depth)?;
            block_in_loops(otherwise, functions, depth)
        }
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
            block_in_loops(body, functions, depth + 1)
        }
        StmtKind::Repeat { body, test, .. } => {
            block_in_loops(body, functions, depth + 1)?;
            block_in_loops(test, functions, depth + 1)
        }
        StmtKind::Break { levels } if *levels >= depth => refuse(stmt.span, "leaves the loop with `break`"),
        StmtKind::Continue { levels } if *levels >= depth => {
            refuse(stmt.span, "goes on with the next iteration by `continue`")
        }
        StmtKind::Break { .. } | StmtKind::Continue { .. } => Ok(()),
        StmtKind::Assert { message, .. } | StmtKind::Fail { message, .. } => {
            if message.iter().all(|part| matches!(part.kind, ExprKind::Text(_) | ExprKind::Constant(_))) {
                Ok(())
            } else {
                refuse(stmt.span, "prints values in an error message")
            }
        }
        StmtKind::ForEach { .. } => refuse(stmt.span, "loops over the elements of a vector"),
        StmtKind::Library { name, .. } => refuse(stmt.span, format!("calls '{name}'")),
        StmtKind::Launch { .. } | StmtKind::Strips { .. } => refuse(stmt.span, "launches a kernel"),
        StmtKind::CallValue { .. } => refuse(stmt.span, "calls a function that is known at run time only"),
        StmtKind::AssignGlobal { .. } => refuse(stmt.span, "assigns a module-level variable"),
        StmtKind::SetMember { .. } => refuse(stmt.span, "changes an object"),
        StmtKind::Try { .. } => refuse(stmt.span, "catches errors"),
        StmtKind::Shared { .. } | StmtKind::Barrier(_) | StmtKind::Fence(_) => {
            refuse(stmt.span, "does what only a kernel can do")
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
