//! Typed random programs: well-defined, terminating, and exact, so that every engine must print the same text.
//!
//! Integers wrap, so any integer expression is exact. Floats are multiples of 1/8 of moderate size: sums, products with
//! small factors, minima and selections of them are exact in single precision, and are brought back into range before
//! they grow. Indices are in range or go through a boundary mode. Conditions compare exact values only.

mod designated;
mod kernels;
mod objects;
mod random;
mod values;

use random::Random;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Float,
}

#[derive(Clone, Debug)]
struct Array {
    name: String,
    kind: Kind,
    /// One or two extents, known to the generator so that indices can be kept in range.
    dims: Vec<i64>,
    /// The boundary mode it was declared with, if any.
    mode: Option<&'static str>,
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    /// Whether device functions may call it.
    device: bool,
    params: Vec<Kind>,
    result: Kind,
}

/// An index variable with the range of its values.
#[derive(Clone, Debug)]
struct Counter {
    name: String,
    low: i64,
    high: i64,
}

/// Writes one program.
pub(crate) struct Generator {
    random: Random,
    text: String,
    indent: usize,
    scalars: Vec<(String, Kind)>,
    arrays: Vec<Array>,
    counters: Vec<Counter>,
    functions: Vec<Function>,
    names: usize,
    /// Statements left to write.
    budget: usize,
    /// Kernels and functions that statements of `main` need.
    definitions: String,
    /// Whether the text is that of a kernel, which calls device functions only and does not write arrays as it likes.
    in_kernel: bool,
    /// What the program has, and how often.
    constructs: BTreeMap<&'static str, usize>,
}

/// The program for a seed.
pub(crate) fn program(seed: u64) -> String {
    write_program(seed).0
}

/// The program for a seed, and how often it has which construct.
pub(crate) fn write_program(seed: u64) -> (String, BTreeMap<&'static str, usize>) {
    let mut generator = Generator {
        random: Random::new(seed),
        text: String::new(),
        indent: 0,
        scalars: Vec::new(),
        arrays: Vec::new(),
        counters: Vec::new(),
        functions: Vec::new(),
        names: 0,
        budget: 0,
        definitions: String::new(),
        in_kernel: false,
        constructs: BTreeMap::new(),
    };
    generator.unit();
    (generator.text, generator.constructs)
}

impl Generator {
    fn line(&mut self, text: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn note(&mut self, construct: &'static str) {
        *self.constructs.entry(construct).or_insert(0) += 1;
    }

    fn unit(&mut self) {
        self.line("import \"inttypes.q\"");
        for _ in 0..self.random.below(3) {
            self.function();
        }
        if self.random.chance(40) {
            self.kernel_program();
        }
        self.open("function [] = main()");
        for kind in [Kind::Int, Kind::Float] {
            for _ in 0..2 {
                self.new_scalar(kind);
            }
        }
        for _ in 0..2 + self.random.below(2) {
            self.new_array();
        }
        self.budget = 6 + self.random.below(8);
        self.statements(0);
        self.report();
        self.close("endfunction");
        self.text.push_str(&self.definitions);
    }

    // ---- functions

    fn function(&mut self) {
        // A device function may call device functions only, so no host function comes before one.
        let is_device = self.random.chance(60) && self.functions.iter().all(|function| function.device);
        let device = if is_device { "__device__ " } else { "" };
        let result = self.kind();
        let params: Vec<Kind> = (0..1 + self.random.below(3)).map(|_| self.kind()).collect();
        let name = self.name("f");
        let written: Vec<String> =
            params.iter().enumerate().map(|(k, kind)| format!("p{k} : {}", type_name(*kind))).collect();
        let head = format!("function y : {} = {device}{name}({})", type_name(result), written.join(", "));
        self.open(head);
        let outer = std::mem::take(&mut self.scalars);
        self.scalars = params.iter().enumerate().map(|(k, kind)| (format!("p{k}"), *kind)).collect();
        let expr = self.expr(result, 2);
        self.line(format!("y = {expr}"));
        if self.random.chance(50) {
            let condition = self.condition(1);
            let expr = self.expr(result, 1);
            self.open(format!("if {condition}"));
            self.line(format!("y = {expr}"));
            self.close("endif");
        }
        self.bound("y", result);
        self.scalars = outer;
        self.close("endfunction");
        self.functions.push(Function { name, device: is_device, params, result });
    }

    /// A kernel with one array to read through a boundary mode and one to write, to be launched by `main`.
    fn kernel_program(&mut self) {
        let mode = *self.random.pick(&["mirror", "circular", "clamped", "safe"]);
        let offset = [self.random.between(-2, 2), self.random.between(-2, 2)];
        self.open(format!(
            "function [] = __kernel__ shade(src : mat'{mode}, dst : mat, k : scalar, pos : ivec2)"
        ));
        self.line("total = 0.0");
        self.open("for dy = -1..1");
        self.line(format!("total += src[pos + [dy + {}, {}]]", offset[0], offset[1]));
        self.close("endfor");
        self.line("dst[pos] = min(max(total + k, -64.0), 64.0)");
        self.close("endfunction");
        self.functions.push(Function {
            name: "shade".into(),
            device: true,
            params: Vec::new(),
            result: Kind::Float,
        });
    }

    // ---- declarations

    fn kind(&mut self) -> Kind {
        if self.random.chance(50) { Kind::Int } else { Kind::Float }
    }

    fn new_scalar(&mut self, kind: Kind) {
        let name = self.name(if kind == Kind::Int { "i" } else { "s" });
        let value = self.literal(kind);
        self.line(format!("{name} = {value}"));
        self.scalars.push((name, kind));
    }

    fn new_array(&mut self) {
        let kind = if self.random.chance(35) { Kind::Int } else { Kind::Float };
        let rank = 1 + self.random.below(2);
        let dims: Vec<i64> = (0..rank).map(|_| self.random.between(1, 9)).collect();
        let mode =
            self.random.chance(60).then(|| *self.random.pick(&["mirror", "circular", "clamped", "safe"]));
        let name = self.name(if kind == Kind::Int { "I" } else { "A" });
        let sizes = dims.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let maker = if kind == Kind::Int { "zeros[int]" } else { "zeros" };
        let annotation = mode.map_or(String::new(), |mode| format!(" : '{mode}"));
        self.line(format!("{name}{annotation} = {maker}({sizes})"));
        let array = Array { name, kind, dims, mode };
        let (a, b, c) = (self.random.between(1, 7), self.random.between(1, 5), self.random.between(-4, 4));
        self.for_each_position(&array, |this, at| {
            let sum = match at {
                [m] => format!("{a}*{m} + {c}"),
                [m, n] => format!("{a}*{m} + {b}*{n} + {c}"),
                _ => String::from("0"),
            };
            let value = match array.kind {
                Kind::Int => format!("mod({sum}, 13)"),
                Kind::Float => format!("mod({sum}, 13)/4"),
            };
            this.line(format!("{}[{}] = {value}", array.name, at.join(", ")));
        });
        self.arrays.push(array);
    }

    /// A nest over all positions of an array.
    fn for_each_position(&mut self, array: &Array, body: impl FnOnce(&mut Self, &[String])) {
        let depth = self.counters.len();
        let mut at = Vec::new();
        for (axis, extent) in array.dims.iter().enumerate() {
            let name = self.name("n");
            let last = if self.random.chance(70) {
                format!("size({},{axis})-1", array.name)
            } else {
                (extent - 1).to_string()
            };
            self.open(format!("for {name} = 0..{last}"));
            self.counters.push(Counter { name: name.clone(), low: 0, high: extent - 1 });
            at.push(name);
        }
        body(self, &at);
        for _ in &array.dims {
            self.close("endfor");
        }
        self.counters.truncate(depth);
    }

    // ---- statements

    fn statements(&mut self, depth: usize) {
        while self.budget > 0 {
            self.budget -= 1;
            self.statement(depth);
            if depth > 0 && self.random.chance(40) {
                return;
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        if depth == 0 && self.random.chance(45) {
            return self.special_statement();
        }
        let choice = self.random.below(if depth == 0 { 15 } else { 10 });
        match choice {
            9 if depth > 0 => self.small_array(),
            0 | 1 => self.assign_scalar(),
            2 => self.compound_scalar(),
            3 => self.store_element(),
            4 if depth < 3 => self.branch(depth),
            5 if depth < 2 => self.counted_loop(depth),
            6 if depth < 2 => self.conditional_loop(depth),
            7 => self.choose(),
            8 => self.swap(),
            9 | 10 => self.map_nest(),
            11 => self.reduction_nest(),
            12 => self.array_expression(),
            13 => self.histogram(),
            14 => self.launch_or_slice(),
            _ => self.assign_scalar(),
        }
    }

    fn special_statement(&mut self) {
        match self.random.below(24) {
            0 => self.flat_kernel(),
            1 => self.block_kernel(),
            2 => self.shared_table(),
            3 => self.global_atomics(),
            4 => self.kernel_result(),
            5 => self.kernel_lambda(),
            6 => self.function_argument(),
            7 => self.host_lambda(),
            8 => self.small_array(),
            9 => self.sized_integers(),
            10 => self.refused_store(),
            11 => self.cell(),
            12 => self.text_and_format(),
            13 => self.slice_store(),
            14 => self.masked_store(),
            15 => self.library_call(),
            16 => self.objects(),
            17 => self.linked_list(),
            18 => self.methods(),
            19 => self.parametric_class(),
            20 => self.shared_designator(),
            21 => self.shared_values(),
            22 => self.tiled_kernel(),
            _ => self.labelled_loops(),
        }
    }

    fn scalar(&mut self, kind: Kind) -> Option<String> {
        // Fields of objects are for the host.
        let usable = |name: &str| !self.in_kernel || !name.contains('.');
        let fitting = self.scalars.iter().filter(|(name, k)| *k == kind && usable(name));
        let of_kind: Vec<String> = fitting.map(|(name, _)| name.clone()).collect();
        (!of_kind.is_empty()).then(|| self.random.pick(&of_kind).clone())
    }

    fn assign_scalar(&mut self) {
        let kind = self.kind();
        let Some(name) = self.scalar(kind) else { return };
        let value = self.expr(kind, 3);
        self.line(format!("{name} = {value}"));
        self.bound(&name, kind);
    }

    fn compound_scalar(&mut self) {
        let kind = self.kind();
        let Some(name) = self.scalar(kind) else { return };
        let op = *self.random.pick(match kind {
            Kind::Int => &["+=", "-=", "*=", "&=", "|=", "~=", "^^=", "__="][..],
            Kind::Float => &["+=", "-=", "^^=", "__="][..],
        });
        let value = self.expr(kind, 2);
        self.line(format!("{name} {op} {value}"));
        self.bound(&name, kind);
    }

    /// Brings a float back into the range in which arithmetic stays exact.
    fn bound(&mut self, name: &str, kind: Kind) {
        if kind == Kind::Float {
            self.line(format!("{name} = floor(8*min(max({name}, -60.0), 60.0))/8"));
        }
    }

    fn store_element(&mut self) {
        if self.in_kernel {
            return self.assign_scalar();
        }
        let Some(array) = self.some_array(None) else { return };
        let at: Vec<String> = array.dims.iter().map(|extent| self.index_within(*extent)).collect();
        let value = self.element_value(array.kind, 2);
        self.line(format!("{}[{}] = {value}", array.name, at.join(", ")));
    }

    fn branch(&mut self, depth: usize) {
        self.note("if");
        let condition = self.condition(2);
        self.open(format!("if {condition}"));
        self.statements(depth + 1);
        if self.random.chance(30) {
            let condition = self.condition(1);
            self.indent -= 1;
            self.line(format!("elseif {condition}"));
            self.indent += 1;
            self.assign_scalar();
        }
        if self.random.chance(60) {
            self.indent -= 1;
            self.line("else");
            self.indent += 1;
            self.assign_scalar();
            self.compound_scalar();
        }
        self.close("endif");
    }

    fn counted_loop(&mut self, depth: usize) {
        self.note("for loop");
        let name = self.name("k");
        let (low, count) = (self.random.between(-3, 3), self.random.between(0, 6));
        let header = match self.random.below(3) {
            0 => format!("for {name} = {low}..{}", low + count - 1),
            1 => format!("for {name} = {low}..2..{}", low + count),
            _ => format!("for {name} = {}..-1..{low}", low + count - 1),
        };
        self.open(header);
        self.counters.push(Counter { name: name.clone(), low, high: low + count });
        self.statements(depth + 1);
        if self.random.chance(30) {
            let word = *self.random.pick(&["break", "continue"]);
            self.note(word);
            self.open(format!("if {name} == {}", low + 1));
            self.line(word);
            self.close("endif");
        }
        self.compound_scalar();
        self.counters.pop();
        self.close("endfor");
    }

    fn conditional_loop(&mut self, depth: usize) {
        let name = self.name("w");
        self.line(format!("{name} = {}", self.names % 4));
        if self.random.chance(50) {
            self.note("while");
            self.open(format!("while {name} > 0"));
            self.line(format!("{name} -= 1"));
            self.statements(depth + 1);
            self.close("endwhile");
        } else {
            self.note("repeat");
            self.open("repeat");
            self.line(format!("{name} -= 1"));
            self.statements(depth + 1);
            self.close(&format!("until {name} <= 0"));
        }
    }

    fn choose(&mut self) {
        self.note("match");
        let (Some(subject), Some(target)) = (self.scalar(Kind::Int), self.scalar(Kind::Int)) else { return };
        self.open(format!("match mod({subject}, 4) with"));
        self.line(format!("| 0 -> {target} = {}", self.names));
        let value = self.expr(Kind::Int, 1);
        self.line(format!("| (1, 2) -> {target} = {value}"));
        if self.random.chance(60) {
            let value = self.expr(Kind::Int, 1);
            self.line(format!("| _ -> {target} = {value}"));
        }
        self.close("endmatch");
    }

    fn swap(&mut self) {
        self.note("exchange");
        let kind = self.kind();
        if let (Some(a), Some(b)) = (self.scalar(kind), self.scalar(kind))
            && a != b
        {
            self.line(format!("[{a}, {b}] = [{b}, {a}]"));
        }
    }

    /// Each position of one array from values of others: independent iterations, unless it reads itself.
    fn map_nest(&mut self) {
        self.note("loop over an array");
        let Some(array) = self.some_array(None) else { return };
        self.for_each_position(&array, |this, at| {
            let local = this.name("v");
            let value = this.element_value(array.kind, 3);
            this.line(format!("{local} = {value}"));
            if this.random.chance(40) {
                let condition = this.condition(1);
                let other = this.element_value(array.kind, 1);
                this.open(format!("if {condition}"));
                this.line(format!("{local} = {other}"));
                this.close("endif");
            }
            let op = if array.kind == Kind::Int && this.random.chance(25) { "+=" } else { "=" };
            this.line(format!("{}[{}] {op} {local}", array.name, at.join(", ")));
        });
    }

    /// A fold over all positions, with an operation whose order does not matter.
    fn reduction_nest(&mut self) {
        self.note("reduction in a loop");
        let Some(array) = self.some_array(None) else { return };
        let name = self.name("r");
        let (start, ops): (&str, &[&str]) = match array.kind {
            Kind::Int => ("0", &["+=", "-=", "^^=", "__=", "~=", "|="]),
            Kind::Float => ("0.0", &["+=", "-=", "^^=", "__="]),
        };
        let op = *self.random.pick(ops);
        self.line(format!("{name} = {start}"));
        self.for_each_position(&array, |this, at| {
            if this.random.chance(30) {
                let condition = this.condition(1);
                this.open(format!("if {condition}"));
                this.line(format!("{name} {op} {}[{}]", array.name, at.join(", ")));
                this.close("endif");
            } else {
                this.line(format!("{name} {op} {}[{}]", array.name, at.join(", ")));
            }
        });
        self.bound(&name, array.kind);
        self.scalars.push((name, array.kind));
    }

    fn array_expression(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        let name = self.name("X");
        let factor = self.random.between(1, 3);
        let expr = match self.random.below(5) {
            0 => format!("{0} + {factor}*{0}", array.name),
            1 => format!("{0}.*{0} - {factor}", array.name),
            2 => format!("max({}, {factor})", array.name),
            3 => format!("abs({} - {factor})", array.name),
            _ => format!("min({0}, {factor}) + ({0} > {factor})", array.name),
        };
        match array.kind {
            Kind::Int => self.line(format!("{name} = {expr}")),
            Kind::Float => self.line(format!("{name} = floor(min(max({expr}, -60.0), 60.0)*4)/4")),
        }
        let total = self.name("t");
        let fold = *self.random.pick(&["sum", "max", "min"]);
        self.note("array expression");
        self.line(format!("{total} = {fold}({name})"));
        self.bound(&total, array.kind);
        self.arrays.push(Array { name, mode: None, ..array.clone() });
        self.scalars.push((total, array.kind));
    }

    fn histogram(&mut self) {
        self.note("histogram in a loop");
        let Some(source) = self.some_array(Some(Kind::Int)) else { return };
        let name = self.name("H");
        let bins = self.random.between(2, 6);
        self.line(format!("{name} = zeros[int]({bins})"));
        self.for_each_position(&source, |this, at| {
            this.line(format!("{name}[mod({}[{}], {bins})] += 1", source.name, at.join(", ")));
        });
        self.arrays.push(Array { name, kind: Kind::Int, dims: vec![bins], mode: None });
    }

    fn launch_or_slice(&mut self) {
        let Some(array) = self.some_array(Some(Kind::Float)) else { return };
        let has_kernel = self.functions.iter().any(|f| f.name == "shade");
        let name = self.name("L");
        match array.dims.as_slice() {
            [rows, columns] if has_kernel && self.random.chance(70) => {
                let k = self.random.between(-3, 3);
                self.line(format!("{name} = zeros({rows}, {columns})"));
                self.line(format!("parallel_do([{rows}, {columns}], {}, {name}, {k}.0, shade)", array.name));
                self.arrays.push(Array { name, mode: None, ..array.clone() });
            }
            [rows, columns] => {
                let row = self.random.between(0, rows - 1);
                self.note("slice");
                self.line(format!("{name} = {}[{row}, :]", array.name));
                self.arrays.push(Array { name, kind: Kind::Float, dims: vec![*columns], mode: None });
            }
            [extent] => {
                let (low, high) = (self.random.between(0, extent - 1), extent - 1);
                self.note("slice");
                self.line(format!("{name} = {}[{low}..{high}]", array.name));
                self.arrays.push(Array { name, kind: Kind::Float, dims: vec![high - low + 1], mode: None });
            }
            _ => {}
        }
    }

    fn some_array(&mut self, kind: Option<Kind>) -> Option<Array> {
        let fitting: Vec<Array> =
            self.arrays.iter().filter(|a| kind.is_none_or(|kind| a.kind == kind)).cloned().collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting).clone())
    }

    // ---- expressions

    fn literal(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Int => self.random.between(-9, 20).to_string(),
            Kind::Float => format!("{:?}", self.random.between(-40, 40) as f64 / 4.0),
        }
    }

    /// A value fit to be stored in an array: small, and exact for floats.
    fn element_value(&mut self, kind: Kind, depth: usize) -> String {
        let value = self.expr(kind, depth);
        match kind {
            Kind::Int => format!("mod({value}, 101)"),
            Kind::Float => format!("floor(8*min(max({value}, -60.0), 60.0))/8"),
        }
    }

    fn expr(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.random.chance(20) {
            return self.leaf(kind);
        }
        let d = depth - 1;
        match (kind, self.random.below(9)) {
            (_, 0) => {
                let (c, a, b) = (self.condition(1), self.expr(kind, d), self.expr(kind, d));
                format!("({c} ? {a} : {b})")
            }
            (_, 1) => self.call(kind, d),
            (_, 2) => self.element(kind),
            (Kind::Int, 3) => {
                let (a, b) = (self.expr(kind, d), self.literal(kind));
                let function = *self.random.pick(&["mod", "min", "max", "and", "or", "xor", "rem"]);
                format!("{function}({a}, {b})")
            }
            (Kind::Int, 4) => format!("abs({})", self.expr(kind, d)),
            (Kind::Int, _) => {
                let (a, b) = (self.expr(kind, d), self.expr(kind, d));
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("({a} {op} {b})")
            }
            (Kind::Float, 3) => {
                let (a, b) = (self.expr(kind, d), self.expr(kind, d));
                let function = *self.random.pick(&["min", "max"]);
                format!("{function}({a}, {b})")
            }
            (Kind::Float, 4) => {
                let function = *self.random.pick(&["abs", "floor", "ceil", "round", "-"]);
                format!("{function}({})", self.expr(kind, d))
            }
            (Kind::Float, 5) => {
                let (factor, a) = (self.random.between(-3, 3), self.leaf(kind));
                format!("({factor}*{a})")
            }
            (Kind::Float, 6) => format!("float(mod({}, 16))", self.expr(Kind::Int, d)),
            (Kind::Float, _) => {
                let (a, b) = (self.expr(kind, d), self.expr(kind, d));
                let op = *self.random.pick(&["+", "-"]);
                format!("({a} {op} {b})")
            }
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if kind == Kind::Int && self.random.chance(40) && !self.counters.is_empty() {
            return self.random.pick(&self.counters.clone()).name.clone();
        }
        match self.scalar(kind) {
            Some(name) if self.random.chance(70) => name,
            _ => {
                let text = self.literal(kind);
                if text.starts_with('-') { format!("({text})") } else { text }
            }
        }
    }

    fn call(&mut self, kind: Kind, depth: usize) -> String {
        let fitting: Vec<Function> =
            self.functions.iter().filter(|f| f.result == kind && !f.params.is_empty()).cloned().collect();
        let fitting: Vec<Function> = fitting.into_iter().filter(|f| f.device || !self.in_kernel).collect();
        if fitting.is_empty() {
            return self.leaf(kind);
        }
        let function = self.random.pick(&fitting).clone();
        self.note(if function.device { "call of a device function" } else { "call of a host function" });
        let args: Vec<String> = function.params.iter().map(|kind| self.expr(*kind, depth)).collect();
        format!("{}({})", function.name, args.join(", "))
    }

    /// An element of some array: in range, or anywhere through a boundary mode.
    fn element(&mut self, kind: Kind) -> String {
        let Some(array) = self.some_array(Some(kind)) else { return self.leaf(kind) };
        let at: Vec<String> = array
            .dims
            .iter()
            .map(|extent| match array.mode {
                Some(_) if self.random.chance(60) => {
                    let offset = self.random.between(-3, 3);
                    self.note(array.mode.unwrap_or("checked"));
                    match self.counters.last().cloned() {
                        Some(counter) => format!("{} + {offset}", counter.name),
                        None => (extent + offset).to_string(),
                    }
                }
                _ => self.index_within(*extent),
            })
            .collect();
        format!("{}[{}]", array.name, at.join(", "))
    }

    fn index_within(&mut self, extent: i64) -> String {
        let fitting: Vec<Counter> =
            self.counters.iter().filter(|c| c.low >= 0 && c.high < extent).cloned().collect();
        if !fitting.is_empty() && self.random.chance(60) {
            return self.random.pick(&fitting).name.clone();
        }
        if self.random.chance(30) {
            let inner = self.leaf(Kind::Int);
            return format!("mod({inner}, {extent})");
        }
        self.random.between(0, extent - 1).to_string()
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 1 && self.random.chance(40) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let op = *self.random.pick(&["&&", "||"]);
            return format!("({a} {op} {b})");
        }
        let kind = self.kind();
        let (a, b) = (self.expr(kind, 1), self.leaf(kind));
        let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        if self.random.chance(15) { format!("!({a} {op} {b})") } else { format!("{a} {op} {b}") }
    }

    /// Prints everything that was computed.
    fn report(&mut self) {
        for (name, _) in self.scalars.clone() {
            self.line(format!("print \"{name} = \", {name}"));
        }
        for array in self.arrays.clone() {
            self.line(format!("print \"{0} = \", {0}", array.name));
        }
        let mut seen = String::new();
        let _ = write!(seen, "print \"done\"");
        self.line(seen);
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "int",
        Kind::Float => "scalar",
    }
}
