//! The child of `benches/ordinary_peers.py`: it reads inputs, calls programs, times calls and writes results.

use quasar::device::select::with_device;
use quasar::{Array, Element, Result, context};
use std::cell::Cell;
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

/// An argument or a result. In files: the letter, the number of dimensions, the dimensions, the elements.
pub(crate) enum Value {
    Float(Array<f32>),
    Int(Array<i32>),
    Byte(Array<u8>),
}

/// The arguments of a call, taken one after the other.
#[derive(Default)]
pub(crate) struct Inputs {
    values: Vec<Value>,
    next: Cell<usize>,
}

type Answer<T> = std::result::Result<T, Box<dyn Error>>;

pub(crate) type Program = fn(&Inputs) -> Result<Vec<Value>>;

impl Inputs {
    fn take(&self) -> &Value {
        let at = self.next.get();
        self.next.set(at + 1);
        &self.values[at]
    }

    pub(crate) fn f(&self) -> &Array<f32> {
        match self.take() {
            Value::Float(array) => array,
            _ => panic!("argument {} has other elements", self.next.get()),
        }
    }

    pub(crate) fn i(&self) -> &Array<i32> {
        match self.take() {
            Value::Int(array) => array,
            _ => panic!("argument {} has other elements", self.next.get()),
        }
    }

    pub(crate) fn b(&self) -> &Array<u8> {
        match self.take() {
            Value::Byte(array) => array,
            _ => panic!("argument {} has other elements", self.next.get()),
        }
    }

    /// A number.
    pub(crate) fn n(&self) -> f32 {
        self.f().read()[0]
    }

    /// An integer.
    pub(crate) fn k(&self) -> i32 {
        self.i().read()[0]
    }

    fn read(path: &str) -> Answer<Inputs> {
        let bytes = std::fs::read(path)?;
        let (mut rest, mut values) = (&bytes[..], Vec::new());
        while let Some((&[kind, rank], tail)) = rest.split_first_chunk::<2>() {
            let (head, tail) = tail.split_at(4 * usize::from(rank));
            let dims: Vec<usize> = words(head).map(|w| u32::from_le_bytes(w) as usize).collect();
            let count: usize = dims.iter().product();
            let (data, tail) = tail.split_at(if kind == b'b' { count } else { 4 * count });
            rest = tail;
            values.push(match kind {
                b'f' => Value::Float(array(&dims, words(data).map(f32::from_le_bytes).collect())?),
                b'i' => Value::Int(array(&dims, words(data).map(i32::from_le_bytes).collect())?),
                _ => Value::Byte(array(&dims, data.to_vec())?),
            });
        }
        Ok(Inputs { values, next: Cell::new(0) })
    }
}

/// An array in the pool, as those that programs make.
fn array<T: Element>(dims: &[usize], data: Vec<T>) -> Result<Array<T>> {
    Array::from_vec(dims, data)?.copy()
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.chunks_exact(4).map(|w| [w[0], w[1], w[2], w[3]])
}

/// What a program returns, as values.
pub(crate) trait Results {
    fn values(self) -> Vec<Value>;
}

macro_rules! results {
    ($($type:ty, $value:ident => $made:expr;)*) => {
        $(impl Results for $type {
            fn values(self) -> Vec<Value> {
                let $value = self;
                vec![$made]
            }
        })*
    };
}

results! {
    Array<f32>, array => Value::Float(array);
    Array<i32>, array => Value::Int(array);
    Array<u8>, array => Value::Byte(array);
    f32, number => Value::Float(Array::from_vec(&[1], vec![number]).expect("one number"));
    i32, number => Value::Int(Array::from_vec(&[1], vec![number]).expect("one number"));
}

impl<A: Results, B: Results> Results for (A, B) {
    fn values(self) -> Vec<Value> {
        self.0.values().into_iter().chain(self.1.values()).collect()
    }
}

impl<A: Results, B: Results, C: Results> Results for (A, B, C) {
    fn values(self) -> Vec<Value> {
        self.0.values().into_iter().chain((self.1, self.2).values()).collect()
    }
}

fn write(values: &[Value], path: &str) -> Answer<()> {
    let mut bytes = Vec::new();
    let mut head = |kind: u8, dims: &[usize], data: Vec<u8>| {
        bytes.extend([kind, dims.len() as u8]);
        bytes.extend(dims.iter().flat_map(|&d| (d as u32).to_le_bytes()));
        bytes.extend(data);
    };
    for value in values {
        match value {
            Value::Float(a) => head(b'f', a.dims(), a.read().iter().flat_map(|x| x.to_le_bytes()).collect()),
            Value::Int(a) => head(b'i', a.dims(), a.read().iter().flat_map(|x| x.to_le_bytes()).collect()),
            Value::Byte(a) => head(b'b', a.dims(), a.read().to_vec()),
        }
    }
    Ok(std::fs::write(path, bytes)?)
}

/// Answers lines: `load FILE`, `call NAME FILE` (the results go there), `time NAME CALLS` (milliseconds of a call).
pub(crate) fn answer(find: impl Fn(&str) -> Option<Program>) -> Result<(), Box<dyn Error>> {
    let mut inputs = Inputs::default();
    for line in std::io::stdin().lock().lines() {
        let said = match obey(&line?, &find, &mut inputs) {
            Ok(said) => said,
            Err(error) => format!("error {}", error.to_string().replace('\n', " ")),
        };
        println!("{said}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn obey(line: &str, find: &impl Fn(&str) -> Option<Program>, inputs: &mut Inputs) -> Answer<String> {
    let program = |name: &str| find(name).ok_or_else(|| format!("no program '{name}'"));
    let mut said = String::from("ok");
    match line.split('\t').collect::<Vec<_>>()[..] {
        ["load", path] => *inputs = Inputs::read(path)?,
        ["call", name, path] => write(&run(program(name)?, inputs, 1)?.0, path)?,
        ["time", name, calls] => said = run(program(name)?, inputs, calls.parse()?)?.1.to_string(),
        _ => return Err("no such order".into()),
    }
    Ok(said)
}

/// The results of the last call, and the milliseconds of one.
fn run(program: Program, inputs: &Inputs, calls: usize) -> Result<(Vec<Value>, f64)> {
    with_device(None, || {
        let (start, mut values) = (Instant::now(), Vec::new());
        for _ in 0..calls {
            inputs.next.set(0);
            values = program(inputs)?;
        }
        context::synchronize()?;
        Ok((values, start.elapsed().as_secs_f64() * 1e3 / calls as f64))
    })
}
