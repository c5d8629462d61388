//! Random numbers: counter based, so that a seed gives the same numbers on every device.

use super::creation::{constructed, element_named};
use super::{ANY, Call, Function, find, function};
use crate::element::{ElementType, Overflow};
use crate::isa::{self, Body, Isa};
use crate::random::{integer, normal, uniform};
use crate::value::array::{self, ArrayData, ArrayElement};
use crate::value::convert::convert_data;
use crate::value::workers::{Workers, each, share};
use crate::value::{ArrayBuf, Host, Value, ValueError, shape};

pub(super) static FUNCTIONS: &[Function] = &[
    function("rand", 0, ANY, drawn),
    function("randn", 0, ANY, drawn),
    function("randi", 1, ANY, drawn),
    function("seed", 0, 1, seed),
    function("undraw", 1, 1, undraw),
];

/// How numbers are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Evenly over `[0, 1)`.
    Uniform,
    /// By the normal distribution with mean 0 and variance 1.
    Normal,
    /// Integers from 0 up to a limit, each equally likely.
    Below(u32),
}

/// Numbers that a call draws from the program's sequence, before they are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draw {
    /// How they are spread.
    pub distribution: Distribution,
    /// Their type.
    pub ty: ElementType,
    /// The extents of their array; nothing for a single number.
    pub dims: Option<Vec<usize>>,
    /// How many there are.
    pub count: usize,
    /// The sequence.
    pub seed: u64,
    /// Their place in it.
    pub first: u64,
}

impl Draw {
    /// What a call draws; nothing if its function does not draw, or is called with too little.
    pub fn of(name: &str, args: &[Value], host: &mut dyn Host) -> Option<Result<Draw, ValueError>> {
        let drawing = matches!(name, "rand" | "randn" | "randi");
        let found = find(name).filter(|found| drawing && found.min <= args.len())?;
        Some(Draw::new(&mut Call { name: found.name, args, results: 1, host }))
    }

    fn new(c: &mut Call<'_>) -> Result<Draw, ValueError> {
        let (distribution, ty, sizes) = match c.name {
            "randi" => (Distribution::Below(c.limit()?), ElementType::Int32, 1),
            name => {
                let (ty, sizes) = c.float_type()?;
                (if name == "rand" { Distribution::Uniform } else { Distribution::Normal }, ty, sizes)
            }
        };
        let dims = if c.args.len() > sizes { Some(constructed(c.sizes(sizes)?)) } else { None };
        let count = shape::count(dims.as_deref().unwrap_or(&[1]))?;
        let state = c.host.state();
        Ok(Draw { distribution, ty, dims, count, seed: state.seed, first: state.counter })
    }

    fn numbers(&self, workers: &dyn Workers) -> Result<ArrayData, ValueError> {
        match (self.distribution, self.ty) {
            (Distribution::Below(n), _) => self.each(workers, |seed, index| integer(seed, index, n) as i32),
            (Distribution::Uniform, ElementType::Double) => self.each(workers, uniform::<f64>),
            (Distribution::Uniform, _) => self.each(workers, uniform::<f32>),
            (Distribution::Normal, ElementType::Double) => self.each(workers, normal::<f64>),
            (Distribution::Normal, _) => self.each(workers, normal::<f32>),
        }
    }

    /// Numbers are a function of their place, so that threads draw parts of them.
    fn each<T: ArrayElement + Send + Sync>(
        &self,
        workers: &dyn Workers,
        one: impl Fn(u64, u64) -> T + Copy + Sync,
    ) -> Result<ArrayData, ValueError> {
        if self.count < GRAIN {
            let indices = (0..self.count as u64).map(|k| self.first.wrapping_add(k));
            return Ok(T::wrap(array::collect(self.count, indices.map(|index| one(self.seed, index)))?));
        }
        let mut numbers = array::collect(self.count, (0..self.count).map(|_| T::default()))?;
        let size = share(workers, self.count, GRAIN);
        let parts = numbers.chunks_mut(size).enumerate().collect();
        each(workers, parts, &|(k, part)| {
            let first = self.first.wrapping_add((k * size) as u64);
            isa::dispatch(Numbers { part, seed: self.seed, first, one });
        });
        Ok(T::wrap(numbers))
    }

    /// The numbers are drawn: the sequence goes on behind them.
    pub fn done(&self, host: &mut dyn Host) {
        host.state().counter = self.first.wrapping_add(self.count as u64);
    }
}

/// Operations for a number, as placement counts them: about what the processor takes.
pub const OPERATIONS: usize = 48;
/// Numbers that a thread draws at least.
const GRAIN: usize = 1 << 14;

/// A part of the numbers, drawn by vectors.
struct Numbers<'a, T, F> {
    part: &'a mut [T],
    seed: u64,
    first: u64,
    one: F,
}

impl<T, F: Fn(u64, u64) -> T> Body for Numbers<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        for (k, number) in self.part.iter_mut().enumerate() {
            *number = (self.one)(self.seed, self.first.wrapping_add(k as u64));
        }
    }
}

/// `rand(d..)`, `randn(d..)` and `randi(n, d..)`: a number if there are no sizes, an array otherwise.
fn drawn(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let draw = Draw::new(c)?;
    let mut data = draw.numbers(c.workers(draw.count.saturating_mul(OPERATIONS)))?;
    if draw.ty == ElementType::Half {
        data = convert_data(data.view(), draw.ty, Overflow::Wrap)?;
    }
    draw.done(c.host);
    Ok(vec![match draw.dims {
        None => data.view().value(0).unwrap_or_default(),
        Some(dims) => ArrayBuf::new(dims, data)?.into(),
    }])
}

impl Call<'_> {
    /// The floating-point type that is asked for, and the place of the sizes.
    fn float_type(&mut self) -> Result<(ElementType, usize), ValueError> {
        let working = self.working();
        let (ty, sizes) = match self.args.first() {
            Some(Value::TypeName(name)) => (element_named(name, working), 1),
            _ => (Some(working), 0),
        };
        let ty = ty.filter(|ty| ty.is_float()).ok_or_else(|| self.wrong(0, "a floating-point type"))?;
        Ok((ty, sizes))
    }

    /// The limit of random integers.
    fn limit(&self) -> Result<u32, ValueError> {
        let limit = self.integer(0)?;
        let n = u32::try_from(limit).ok().filter(|&n| n > 0 && n <= 1 << 31);
        n.ok_or_else(|| self.error(format!("the limit must lie in 1..2147483648, found {limit}")))
    }
}

/// `seed(n)` starts the sequence n; `seed()` one that depends on the time.
fn seed(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let seed = if c.args.is_empty() { c.host.now_ms().to_bits() } else { c.integer(0)? as u64 };
    let state = c.host.state();
    state.seed = seed;
    state.counter = 0;
    Ok(Vec::new())
}

/// Gives the last numbers that were drawn back: they are drawn again. Programs cannot call it; loops whose numbers are drawn before
/// them do.
fn undraw(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let count = c.integer(0)?;
    let state = c.host.state();
    state.counter = state.counter.wrapping_sub(count as u64);
    Ok(Vec::new())
}
