//! Scalar operations: frequent operators are evaluated directly, all others through their table row.

use super::code::{Fast, Node};
use crate::types::Type;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::isa::Baseline;
use quasar_devicelib::ops::{self, Row};

/// Builds the node of an operation.
pub(super) fn apply(row: &'static Row, args: Box<[Node]>, first: Option<&Type>) -> Node {
    let fast = match first {
        Some(Type::Scalar(element, _)) => direct(row.name, *element),
        _ => None,
    };
    match <Box<[Node; 2]>>::try_from(args) {
        Ok(args) => match fast {
            Some(op) => Node::Fast { op, args },
            None => Node::Binary { eval: row.eval, args },
        },
        Err(args) if args.len() == 1 => match <Box<[Node; 1]>>::try_from(args).map(|a| *a) {
            Ok([arg]) => Node::Unary { eval: row.eval, arg: Box::new(arg) },
            Err(args) => Node::Apply { eval: row.eval, args },
        },
        Err(args) => Node::Apply { eval: row.eval, args },
    }
}

fn direct(name: &str, element: ElementType) -> Option<Fast> {
    Some(match (name, element) {
        ("add", ElementType::Int32) => Fast::AddInt,
        ("subtract", ElementType::Int32) => Fast::SubtractInt,
        ("multiply", ElementType::Int32) => Fast::MultiplyInt,
        ("less", ElementType::Int32) => Fast::LessInt,
        ("less_equal", ElementType::Int32) => Fast::LessEqualInt,
        ("equal", ElementType::Int32) => Fast::EqualInt,
        ("add", ElementType::Single) => Fast::AddSingle,
        ("subtract", ElementType::Single) => Fast::SubtractSingle,
        ("multiply", ElementType::Single) => Fast::MultiplySingle,
        ("divide", ElementType::Single) => Fast::DivideSingle,
        ("less", ElementType::Single) => Fast::LessSingle,
        ("add", ElementType::Double) => Fast::AddDouble,
        ("subtract", ElementType::Double) => Fast::SubtractDouble,
        ("multiply", ElementType::Double) => Fast::MultiplyDouble,
        _ => return None,
    })
}

/// Evaluates a direct operator; `None` if the operands do not have its type.
#[inline]
pub(super) fn evaluate(op: Fast, a: Scalar, b: Scalar) -> Option<Scalar> {
    use Fast::{
        AddDouble, AddInt, AddSingle, DivideSingle, EqualInt, LessEqualInt, LessInt, LessSingle,
        MultiplyDouble, MultiplyInt, MultiplySingle, SubtractDouble, SubtractInt, SubtractSingle,
    };
    Some(match (op, a, b) {
        (AddInt, Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(ops::add::<Baseline, _>(a, b)),
        (SubtractInt, Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(ops::subtract::<Baseline, _>(a, b)),
        (MultiplyInt, Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(ops::multiply::<Baseline, _>(a, b)),
        (LessInt, Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(ops::less::<Baseline, _>(a, b)),
        (LessEqualInt, Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(ops::less_equal::<Baseline, _>(a, b)),
        (EqualInt, Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(ops::equal::<Baseline, _>(a, b)),
        (AddSingle, Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(ops::add::<Baseline, _>(a, b)),
        (SubtractSingle, Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(ops::subtract::<Baseline, _>(a, b)),
        (MultiplySingle, Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(ops::multiply::<Baseline, _>(a, b)),
        (DivideSingle, Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(ops::divide::<Baseline, _>(a, b)),
        (LessSingle, Scalar::F32(a), Scalar::F32(b)) => Scalar::I32(ops::less::<Baseline, _>(a, b)),
        (AddDouble, Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(ops::add::<Baseline, _>(a, b)),
        (SubtractDouble, Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(ops::subtract::<Baseline, _>(a, b)),
        (MultiplyDouble, Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(ops::multiply::<Baseline, _>(a, b)),
        _ => return None,
    })
}
