//! Random numbers: counter based, so that a seed gives the same numbers on every device.

use super::creation::{constructed, element_named};
use super::{ANY, Call, Function, function};
use crate::element::{ElementType, Overflow};
use crate::random::{integer, normal, uniform};
use crate::value::array::{self, ArrayData, ArrayElement};
use crate::value::convert::convert_data;
use crate::value::{ArrayBuf, Value, ValueError, shape};

pub(super) static FUNCTIONS: &[Function] = &[
    function("rand", 0, ANY, |c| c.random_floats(uniform::<f32>, uniform::<f64>)),
    function("randn", 0, ANY, |c| c.random_floats(normal::<f32>, normal::<f64>)),
    function("randi", 1, ANY, random_integers),
    function("seed", 0, 1, seed),
];

/// Draws `count` numbers, the next ones of the program's sequence.
fn draw<T: ArrayElement>(
    c: &mut Call<'_>,
    count: usize,
    one: impl Fn(u64, u64) -> T,
) -> Result<ArrayData, ValueError> {
    let state = c.host.state();
    let (seed, first) = (state.seed, state.counter);
    let numbers = array::collect(count, (0..count as u64).map(|i| one(seed, first.wrapping_add(i))))?;
    c.host.state().counter = first.wrapping_add(count as u64);
    Ok(T::wrap(numbers))
}

/// One number if there are no sizes, an array otherwise.
fn shaped(dims: Option<Vec<usize>>, data: ArrayData) -> Result<Vec<Value>, ValueError> {
    Ok(vec![match dims {
        None => data.view().value(0).unwrap_or_default(),
        Some(dims) => ArrayBuf::new(dims, data)?.into(),
    }])
}

impl Call<'_> {
    fn random_dims(&self, first: usize) -> Result<Option<Vec<usize>>, ValueError> {
        if self.args.len() > first { Ok(Some(constructed(self.sizes(first)?))) } else { Ok(None) }
    }

    fn random_floats<F, G>(&mut self, single: F, double: G) -> Result<Vec<Value>, ValueError>
    where
        F: Fn(u64, u64) -> f32,
        G: Fn(u64, u64) -> f64,
    {
        let working = self.working();
        let (ty, first) = match self.args.first() {
            Some(Value::TypeName(name)) => (element_named(name, working), 1),
            _ => (Some(working), 0),
        };
        let ty = ty.filter(|ty| ty.is_float()).ok_or_else(|| self.wrong(0, "a floating-point type"))?;
        let dims = self.random_dims(first)?;
        let count = shape::count(dims.as_deref().unwrap_or(&[1]))?;
        let data =
            if ty == ElementType::Double { draw(self, count, double)? } else { draw(self, count, single)? };
        let data =
            if ty == ElementType::Half { convert_data(data.view(), ty, Overflow::Wrap)? } else { data };
        shaped(dims, data)
    }
}

/// `randi(n, d..)`: integers from 0 to n - 1.
fn random_integers(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let limit = c.integer(0)?;
    let n = u32::try_from(limit).ok().filter(|&n| n > 0 && n <= 1 << 31);
    let n = n.ok_or_else(|| c.error(format!("the limit must lie in 1..2147483648, found {limit}")))?;
    let dims = c.random_dims(1)?;
    let count = shape::count(dims.as_deref().unwrap_or(&[1]))?;
    let data = draw(c, count, |seed, index| integer(seed, index, n) as i32)?;
    shaped(dims, data)
}

/// `seed(n)` starts the sequence n; `seed()` one that depends on the time.
fn seed(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let seed = if c.args.is_empty() { c.host.now_ms().to_bits() } else { c.integer(0)? as u64 };
    let state = c.host.state();
    state.seed = seed;
    state.counter = 0;
    Ok(Vec::new())
}
