//! The elements of an array for which a condition holds.

use super::{Call, Function, function};
use crate::element::{ElementType, Overflow};
use crate::value::array::{self, ArrayData, ArrayElement, ArrayRef, for_elements};
use crate::value::convert::convert_data;
use crate::value::offload::Work;
use crate::value::workers;
use crate::value::{ArrayBuf, DataRef, Value, ValueError, shape};

pub(super) static FUNCTIONS: &[Function] = &[function("selected", 2, 2, selected)];

/// Elements that are worth a part of their own.
const GRAIN: usize = 1 << 15;

/// `x[condition]`: the elements of `x` at the places where the condition is not 0, in their order, as a vec.
fn selected(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (Some(x), Some(condition)) = (c.args[0].as_array(), c.args[1].as_array()) else {
        return Err(c.wrong(usize::from(c.args[0].as_array().is_some()), "an array"));
    };
    let work = Work::Selected { source: &c.args[0], condition: &c.args[1] };
    if shape::same(&x.dims(), &condition.dims())
        && let Some(found) = c.host.on_device(&work)?
    {
        return Ok(vec![found]);
    }
    let value = array::read_both(x, condition, |x, condition| {
        if !shape::same(x.dims, condition.dims) {
            return Err(ValueError::dimensions(x.dims, condition.dims));
        }
        match condition.data {
            DataRef::I32(truths) => of_type(c, x, truths),
            other => match convert_data(other, ElementType::Int32, Overflow::Truth)? {
                ArrayData::I32(truths) => of_type(c, x, &truths),
                _ => Err(c.wrong(1, "numbers")),
            },
        }
    })?;
    Ok(vec![value])
}

fn of_type(c: &Call<'_>, x: ArrayRef<'_>, truths: &[i32]) -> Result<Value, ValueError> {
    for_elements!(x.data, DataRef, x => gathered(c, x, truths), x => {
        let chosen = x.iter().zip(truths).filter(|(_, truth)| **truth != 0).map(|(x, _)| x.clone());
        let count = truths.iter().filter(|truth| **truth != 0).count();
        Ok(ArrayBuf::new(vec![count], ArrayData::Values(array::collect(count, chosen)?))?.into())
    })
}

/// Each part counts what it has, and then knows where it begins.
fn gathered<T: ArrayElement>(c: &Call<'_>, x: &[T], truths: &[i32]) -> Result<Value, ValueError> {
    let workers = c.workers(x.len().saturating_mul(2));
    let size = workers::share(workers, x.len(), GRAIN);
    let mut counts = array::filled(0_usize, x.len().div_ceil(size))?;
    workers::each(
        workers,
        array::collect(counts.len(), counts.iter_mut().zip(truths.chunks(size)))?,
        &|(n, t)| {
            *n = t.iter().filter(|truth| **truth != 0).count();
        },
    );
    c.made(vec![counts.iter().sum()], &mut |y: &mut [T]| {
        let mut parts = array::reserve(counts.len())?;
        let mut rest = y;
        for ((x, truths), count) in x.chunks(size).zip(truths.chunks(size)).zip(&counts) {
            let (y, behind) = std::mem::take(&mut rest).split_at_mut(*count);
            rest = behind;
            parts.push((x, truths, y));
        }
        workers::each(workers, parts, &|(x, truths, y)| fill(x, truths, y));
        Ok(())
    })
}

/// Without a branch that depends on the elements: each is written where the next one belongs, and stays if it is chosen.
fn fill<T: Copy>(x: &[T], truths: &[i32], y: &mut [T]) {
    let mut next = 0;
    for (&x, &truth) in x.iter().zip(truths) {
        let Some(y) = y.get_mut(next) else { return };
        *y = x;
        next += usize::from(truth != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::BufferHost;
    use crate::value::library::call;

    fn of(x: Value, condition: Value) -> Result<Value, ValueError> {
        let mut host = BufferHost::default();
        Ok(call("selected", &[x, condition], 1, &mut host)?.remove(0))
    }

    #[test]
    fn chosen_elements_come_in_their_order() {
        for n in [0, 1, 2, 17, 200_003] {
            let x: Vec<f32> = (0..n).map(|i| if i % 5 == 0 { f32::NAN } else { -(i as f32) }).collect();
            let truths: Vec<i32> = (0..n).map(|i| i32::from(i % 3 == 1) * (i + 1)).collect();
            let expected: Vec<u32> =
                x.iter().zip(&truths).filter(|(_, t)| **t != 0).map(|(x, _)| x.to_bits()).collect();
            let found = of(ArrayBuf::vec(x).into(), ArrayBuf::vec(truths).into()).unwrap();
            let buf = found.to_buf().unwrap().unwrap();
            let DataRef::F32(found) = buf.data.view() else { panic!("floats") };
            assert_eq!(buf.dims, [expected.len()]);
            assert!(found.iter().map(|x| x.to_bits()).eq(expected), "{n}");
        }
    }

    #[test]
    fn conditions_of_any_type_and_of_one_shape() {
        let x = || ArrayBuf::vec(vec![1_u8, 2, 3]).into();
        let found = of(x(), ArrayBuf::vec(vec![-0.0, f64::NAN, 0.5]).into()).unwrap();
        assert_eq!(format!("{found}"), "[2,3]");
        assert!(of(x(), ArrayBuf::vec(vec![1, 1]).into()).is_err());
        assert!(of(x(), Value::int(1)).is_err());
    }
}
