//! Operators on values whose meaning is not that of one scalar row: products of matrices, types known at run time.

use super::{Call, Function, function};
use crate::value::elementwise::operator;
use crate::value::{Value, ValueError};

pub(super) static FUNCTIONS: &[Function] = &[
    function("matmul", 2, 2, |c| infix(c, "*")),
    function("matpow", 2, 2, |c| infix(c, "^")),
    function("multiply_values", 2, 2, |c| infix(c, "*")),
    function("divide_values", 2, 2, |c| infix(c, "/")),
    function("power_values", 2, 2, |c| infix(c, "^")),
    function("type_value", 1, 1, |c| {
        Ok(vec![Value::TypeName(crate::value::format::print(&c.args[0]).into())])
    }),
];

fn infix(c: &mut Call<'_>, symbol: &str) -> Result<Vec<Value>, ValueError> {
    let working = c.working();
    Ok(vec![operator(symbol, c.args, working)?])
}
