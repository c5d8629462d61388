//! What a device is given to do, how its results are checked, and the values that cross over.

use half::f16;
use num_complex::Complex;
use quasar_devicelib::device_text::Dialect;
use quasar_devicelib::element::{ElementType, Scalar};

/// One launch of a kernel named `run`, whose parameters are the buffers.
pub(crate) struct Job {
    /// The text of the kernel, without the library.
    pub text: String,
    pub buffers: Vec<Vec<u8>>,
    pub threads: usize,
}

/// Judges the buffers after the launch.
pub(crate) type Check = Box<dyn Fn(&[Vec<u8>], Dialect) -> Result<(), String> + Send>;

pub(crate) struct Case {
    pub name: String,
    pub job: Job,
    pub check: Check,
}

/// Threads of a block.
pub(crate) const BLOCK: usize = 64;

/// Several cases in one kernel, since drivers take longer to begin with a program than to compile it. The threads of each
/// case guard themselves.
pub(crate) fn merged(name: &str, cases: Vec<Case>) -> Case {
    let (mut functions, mut parameters, mut calls) = (String::new(), Vec::new(), String::new());
    let mut job = Job { text: String::new(), buffers: Vec::new(), threads: 0 };
    let mut checks = Vec::new();
    for (k, case) in cases.into_iter().enumerate() {
        let text = case.job.text.replace("Q_KERNEL void run(", &format!("Q_FN void part{k}("));
        let start = text.find(&format!("part{k}(")).expect("the kernel is named run");
        let list = text[start..].split(['(', ')']).nth(1).unwrap_or_default();
        let mut names = Vec::new();
        for (n, parameter) in list.split(',').enumerate() {
            let ty = parameter.trim().rsplit_once('*').expect("parameters are pointers").0;
            names.push(format!("p{k}_{n}"));
            parameters.push(format!("{ty}*p{k}_{n}"));
        }
        calls += &format!("    part{k}({});\n", names.join(", "));
        functions += &text;
        let first = job.buffers.len();
        job.buffers.extend(case.job.buffers);
        job.threads = job.threads.max(case.job.threads);
        checks.push((first..job.buffers.len(), case.check));
    }
    job.text = format!("{functions}Q_KERNEL void run({}) {{\n{calls}}}\n", parameters.join(", "));
    let check = Box::new(move |buffers: &[Vec<u8>], dialect| {
        let results = checks.iter().map(|(range, check)| check(&buffers[range.clone()], dialect));
        let errors: Vec<_> = results.filter_map(Result::err).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
    });
    Case { name: name.to_owned(), job, check }
}

/// A device on which jobs run.
pub(crate) trait Executor: Sized {
    const NAME: &'static str;
    const DIALECT: Dialect;

    /// Why there is no such device here.
    fn missing() -> Option<String>;
    /// The first device.
    fn open() -> Result<Self, String>;
    /// Compiles the text, which is complete, runs it and gives the buffers back.
    fn run(&self, text: &str, job: &Job) -> Result<Vec<Vec<u8>>, String>;
}

/// The ending of names of functions on a type.
pub(crate) fn suffix(ty: ElementType) -> &'static str {
    match ty {
        ElementType::Int8 => "i8",
        ElementType::Int16 => "i16",
        ElementType::Int32 => "i32",
        ElementType::Int64 => "i64",
        ElementType::UInt8 => "u8",
        ElementType::UInt16 => "u16",
        ElementType::UInt32 => "u32",
        ElementType::UInt64 => "u64",
        ElementType::Half => "f16",
        ElementType::Single => "f32",
        ElementType::Double => "f64",
        ElementType::ComplexSingle => "c32",
        ElementType::ComplexDouble => "c64",
    }
}

/// The values as a device stores them, filled up to whole words.
pub(crate) fn encode(values: &[Scalar]) -> Vec<u8> {
    let mut bytes = bytes_of(values);
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    bytes
}

fn bytes_of(values: &[Scalar]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        match *value {
            Scalar::I8(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::I16(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::I32(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::I64(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U8(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U16(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U32(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U64(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::F16(x) => bytes.extend(x.to_bits().to_ne_bytes()),
            Scalar::F32(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::F64(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::C32(z) => bytes.extend(bytes_of(&[Scalar::F32(z.re), Scalar::F32(z.im)])),
            Scalar::C64(z) => bytes.extend(bytes_of(&[Scalar::F64(z.re), Scalar::F64(z.im)])),
        }
    }
    bytes
}

/// The first values that a device stored.
pub(crate) fn decode(bytes: &[u8], ty: ElementType, count: usize) -> Vec<Scalar> {
    bytes.chunks_exact(ty.size()).take(count).map(|chunk| decode_one(chunk, ty)).collect()
}

fn decode_one(b: &[u8], ty: ElementType) -> Scalar {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes[..N].try_into().expect("as many bytes as the type has")
    }
    match ty {
        ElementType::Int8 => Scalar::I8(i8::from_ne_bytes(array(b))),
        ElementType::Int16 => Scalar::I16(i16::from_ne_bytes(array(b))),
        ElementType::Int32 => Scalar::I32(i32::from_ne_bytes(array(b))),
        ElementType::Int64 => Scalar::I64(i64::from_ne_bytes(array(b))),
        ElementType::UInt8 => Scalar::U8(b[0]),
        ElementType::UInt16 => Scalar::U16(u16::from_ne_bytes(array(b))),
        ElementType::UInt32 => Scalar::U32(u32::from_ne_bytes(array(b))),
        ElementType::UInt64 => Scalar::U64(u64::from_ne_bytes(array(b))),
        ElementType::Half => Scalar::F16(f16::from_bits(u16::from_ne_bytes(array(b)))),
        ElementType::Single => Scalar::F32(f32::from_ne_bytes(array(b))),
        ElementType::Double => Scalar::F64(f64::from_ne_bytes(array(b))),
        ElementType::ComplexSingle => {
            Scalar::C32(Complex::new(f32::from_ne_bytes(array(b)), f32::from_ne_bytes(array(&b[4..]))))
        }
        ElementType::ComplexDouble => {
            Scalar::C64(Complex::new(f64::from_ne_bytes(array(b)), f64::from_ne_bytes(array(&b[8..]))))
        }
    }
}

/// A kernel in which each thread reads one element of each input and writes one of each output.
pub(crate) struct Grid {
    inputs: Vec<(&'static str, ElementType, Vec<Scalar>)>,
    outputs: Vec<(ElementType, usize)>,
    statements: String,
    bytes: usize,
    count: usize,
}

impl Grid {
    pub(crate) fn new(count: usize) -> Grid {
        Grid { inputs: Vec::new(), outputs: Vec::new(), statements: String::new(), bytes: 0, count }
    }

    /// Values under a name, by which expressions call the thread's own one.
    pub(crate) fn input(&mut self, name: &'static str, ty: ElementType, values: Vec<Scalar>) {
        assert!(values.len() == self.count && values.iter().all(|x| x.element_type() == ty));
        self.inputs.push((name, ty, values));
    }

    /// An expression whose value is written.
    pub(crate) fn output(&mut self, ty: ElementType, expression: &str) {
        let (offset, t) = (self.bytes, suffix(ty));
        self.statements += &format!("    ((Q_GLOBAL q_{t} *)(out + {offset}))[i] = {expression};\n");
        self.outputs.push((ty, offset));
        self.bytes += (self.count * ty.size()).next_multiple_of(16);
    }

    pub(crate) fn job(&self) -> Job {
        let mut text = "Q_KERNEL void run(Q_GLOBAL q_u8 *out".to_owned();
        for (name, ty, _) in &self.inputs {
            text += &format!(", Q_GLOBAL const q_{} *all_{name}", suffix(*ty));
        }
        text += ") {\n    const q_i32 i = Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0);\n";
        text += &format!("    if (i >= {}) return;\n", self.count);
        for (name, ty, _) in &self.inputs {
            text += &format!("    const q_{} {name} = all_{name}[i];\n", suffix(*ty));
        }
        text += &self.statements;
        text += "}\n";
        let mut buffers = vec![vec![0xA5; self.bytes]];
        buffers.extend(self.inputs.iter().map(|(_, _, values)| encode(values)));
        Job { text, buffers, threads: self.count }
    }

    /// The values of an output.
    pub(crate) fn read(&self, buffers: &[Vec<u8>], output: usize) -> Vec<Scalar> {
        let (ty, offset) = self.outputs[output];
        decode(&buffers[0][offset..], ty, self.count)
    }
}

/// What went wrong, with the first places.
#[derive(Default)]
pub(crate) struct Mistakes {
    shown: Vec<String>,
    count: usize,
}

impl Mistakes {
    pub(crate) fn expect(&mut self, right: bool, what: impl FnOnce() -> String) {
        if !right {
            self.count += 1;
            if self.shown.len() < 40 {
                self.shown.push(what());
            }
        }
    }

    pub(crate) fn result(self) -> Result<(), String> {
        if self.count == 0 {
            return Ok(());
        }
        Err(format!("{} differences:\n  {}", self.count, self.shown.join("\n  ")))
    }
}
