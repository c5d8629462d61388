//! Operators on values whose meaning is not that of one scalar row: products of matrices, types known at run time.

use super::{Call, Function, function};
use crate::element::{Element, Overflow, Scalar};
use crate::value::array::{self, DataMut, for_elements};
use crate::value::convert::convert_scalar;
use crate::value::elementwise::operator;
use crate::value::gemm::Turned;
use crate::value::index::{Access, assign_all};
use crate::value::matmul::turned_product_by;
use crate::value::workers::Caller;
use crate::value::{Value, ValueError};

pub(super) static FUNCTIONS: &[Function] = &[
    function("assign_all", 3, 3, |c| {
        let overflow = Overflow::from_name(c.text(2)?).unwrap_or_default();
        assign_all(&c.args[0], &c.args[1], Access { name: "array", overflow, ..Access::default() })?;
        Ok(Vec::new())
    }),
    function("copy_back", 4, 4, copy_back),
    function("updated", 2, 2, updated),
    function("matmul", 2, 2, |c| infix(c, "*")),
    function("matmul_turned", 3, 3, |c| {
        let turned = turned(&c.args[2]);
        Ok(vec![turned_product_by(&Caller, &c.args[0], &c.args[1], turned)?])
    }),
    function("matpow", 2, 2, |c| infix(c, "^")),
    function("multiply_values", 2, 2, |c| infix(c, "*")),
    function("divide_values", 2, 2, |c| infix(c, "/")),
    function("power_values", 2, 2, |c| infix(c, "^")),
    function("type_value", 1, 1, |c| {
        Ok(vec![Value::TypeName(crate::value::format::print(&c.args[0]).into())])
    }),
];

/// Which factors of a product are the transposes of what is passed, as one number: 1 for the first, 2 for the second, 3 for both.
pub fn turned(which: &Value) -> Turned {
    let which = which.as_scalar().map_or(0, |which| which.as_f64() as u8);
    [which & 1 != 0, which & 2 != 0]
}

fn infix(c: &mut Call<'_>, symbol: &str) -> Result<Vec<Value>, ValueError> {
    let working = c.working();
    Ok(vec![operator(symbol, c.args, working)?])
}

/// `updated(old, new)`: where both are arrays of one shape with elements of one type, the old array with the elements of the new
/// one; otherwise the new value.
fn updated(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let [old, new] = c.args else { return Err(c.wrong(1, "a value")) };
    let stays = old.as_array().is_some()
        && new.as_array().is_some()
        && old.dims() == new.dims()
        && old.element_type() == new.element_type()
        && old.is_cell() == new.is_cell()
        && old.is_mask() == new.is_mask();
    if !stays {
        return Ok(vec![new.clone()]);
    }
    assign_all(old, new, Access { name: "array", ..Access::default() })?;
    Ok(vec![old.clone()])
}

/// `copy_back(x, converted, there, back)`: the elements that differ from those of `x` in the other type are converted
/// and written to `x`, also in arrays of arrays; `there` and `back` are the overflow rules of both conversions.
fn copy_back(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let there = Overflow::from_name(c.text(2)?).unwrap_or_default();
    let back = Overflow::from_name(c.text(3)?).unwrap_or_default();
    copy_array_back(c, &c.args[0], &c.args[1], [there, back])?;
    Ok(Vec::new())
}

fn copy_array_back(c: &Call<'_>, to: &Value, from: &Value, rules: [Overflow; 2]) -> Result<(), ValueError> {
    let (Value::Array(target), Value::Array(copy)) = (to, from) else {
        return Err(c.wrong(0, "an array"));
    };
    if target.storage() == copy.storage() {
        return Ok(());
    }
    if let (Some(targets), Some(copies)) = (to.cell_items()?, from.cell_items()?)
        && targets.iter().chain(&copies).any(|item| item.as_array().is_some())
    {
        let both = targets
            .iter()
            .zip(&copies)
            .filter(|(to, from)| to.as_array().is_some() && from.as_array().is_some());
        return both.into_iter().try_for_each(|(to, from)| copy_array_back(c, to, from, rules));
    }
    let [there, back] = rules;
    let changed = array::read_both(&**target, &**copy, |old, new| {
        let mut changed = Vec::new();
        for k in 0..new.data.len() {
            let Some(written) = new.data.scalar(k) else { return Err(c.wrong(1, "an array of numbers")) };
            let before = old.data.value(k).and_then(|x| x.as_scalar());
            let passed = before.map(|x| convert_scalar(x, written.element_type(), there)).transpose()?;
            let is_nan = |x: Scalar| x.as_f64().is_nan();
            if passed != Some(written) && !(is_nan(written) && passed.is_some_and(is_nan)) {
                let element = old.data.element_type().or(before.map(Scalar::element_type));
                let to = element.unwrap_or(written.element_type());
                changed.push((k, convert_scalar(written, to, back)?));
            }
        }
        Ok(changed)
    })?;
    target.check_changeable()?;
    array::write(&**target, |view| {
        for_elements!(view.data, DataMut, v => changed.iter().for_each(|(k, x)| set(v, *k, *x)), v => {
            changed.iter().for_each(|(k, x)| v[*k] = Value::Scalar(*x))
        });
    });
    Ok(())
}

fn set<T: Element>(elements: &mut [T], k: usize, x: Scalar) {
    if let (Some(element), Some(x)) = (elements.get_mut(k), T::from_scalar(x)) {
        *element = x;
    }
}
