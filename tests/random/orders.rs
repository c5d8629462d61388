//! Loops of random programs whose rounds depend on each other, and attributes that say how a loop runs; type classes and functions
//! that are values of unknown type; parameters with modifiers that change nothing.

use super::kernels::array_type;
use super::{Counter, Generator, Kind, type_name};

impl Generator {
    /// A loop whose rounds read what earlier ones wrote, in one dimension or along diagonals of two.
    pub(super) fn dependent_loop(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        let (a, kind) = (array.name.clone(), array.kind);
        let attribute = match self.random.below(4) {
            0 => "{!function_transform enable=\"imperfectloop\"}",
            1 => "{!serial for}",
            2 => "{!unroll times=3}",
            _ => "",
        };
        let (m, n) = (self.name("m"), self.name("n"));
        let earlier = self.random.between(1, 2);
        let shift = self.random.between(-1, 1);
        let depth = self.counters.len();
        match array.dims[..] {
            [rows, columns] => {
                self.note("loop along diagonals");
                self.line(attribute);
                let (low, high) = (shift.abs(), columns - 1 - shift.abs());
                self.open(format!("for {m} = {earlier}..{}", rows - 1));
                self.open(format!("for {n} = {low}..{high}"));
                self.counters.push(Counter { name: m.clone(), low: earlier, high: rows - 1 });
                self.counters.push(Counter { name: n.clone(), low, high });
                let value = self.element_value(kind, 1);
                self.line(format!(
                    "{a}[{m}, {n}] = {}",
                    limited(kind, &format!("{a}[{m}, {n}] + {a}[{m} - {earlier}, {n} + {shift}] - {value}"))
                ));
                self.close("endfor");
            }
            _ => {
                self.note("loop over earlier elements");
                self.line(attribute);
                self.open(format!("for {m} = {earlier}..{}", array.dims[0] - 1));
                self.counters.push(Counter { name: m.clone(), low: earlier, high: array.dims[0] - 1 });
                let value = self.element_value(kind, 2);
                self.line(format!(
                    "{a}[{m}] = {}",
                    limited(kind, &format!("{a}[{m} - {earlier}] - {a}[{m}] + {value}"))
                ));
            }
        }
        self.counters.truncate(depth);
        self.close("endfor");
    }

    /// A loop that an attribute runs in parallel, in order, by the host, or several rounds at a time.
    pub(super) fn loop_attribute(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        self.note("attribute of a loop");
        let attribute = *self.random.pick(&[
            "{!parallel for}",
            "{!serial for}",
            "{!interpreted for}",
            "{!unroll}",
            "{!unroll times=2}",
            "{!unroll times=4; interleave=true}",
            "{!auto_vectorize}",
        ]);
        let total = self.name("r");
        let (kind, a) = (array.kind, array.name.clone());
        self.line(format!("{total} = {}", if kind == Kind::Int { "0" } else { "0.0" }));
        self.line(attribute);
        let sums = self.random.chance(50);
        self.for_each_position(&array, |this, at| {
            let at = at.join(", ");
            let own = this.name("v");
            let value = this.closed_expr(&[(own.as_str(), kind)], kind, 2);
            this.line(format!("{own} = {a}[{at}]"));
            if sums {
                this.line(format!("{total} += {}", limited(kind, &value)));
            } else {
                this.line(format!("{a}[{at}] = {}", limited(kind, &value)));
            }
        });
        self.bound(&total, kind);
        self.scalars.push((total, kind));
    }

    /// Overloads by classes of types, and type parameters that are restricted to one.
    pub(super) fn type_classes(&mut self) {
        self.note("type class");
        let (class, function, generic, result) =
            (self.name("number"), self.name("worth"), self.name("twice"), self.name("t"));
        let kind = self.kind();
        let known = [("k", Kind::Int)];
        let values: Vec<String> = (0..3).map(|_| self.closed_expr(&known, Kind::Int, 2)).collect();
        self.define_first(&format!("type {class} : [int|scalar|cscalar]"));
        self.define(&format!(
            "function y : int = {function}(x : {class}, k : int)\n    y = {}\nendfunction\n\
             function y : int = {function}(x : [vec|mat|ivec|imat], k : int)\n    y = {} + numel(x)\nendfunction\n\
             function y : int = {function}(x : string, k : int)\n    y = {}\nendfunction\n\
             function y = {generic}[T : {class}](x : vec[T], k : int)\n    y = vec[T](numel(x))\n    \
             for n = 0..numel(x)-1\n        y[n] = 2*x[n] - cast(k, T)\n    endfor\nendfunction",
            values[0], values[1], values[2]
        ));
        let argument = match self.random.below(5) {
            0 => self.leaf(Kind::Int),
            1 => self.leaf(Kind::Float),
            2 => "complex(1.0, 2.0)".to_string(),
            3 => "\"text\"".to_string(),
            _ => self.arrays.first().map_or("[0.5, 1]".into(), |array| array.name.clone()),
        };
        let (k, element, other) = (self.leaf(Kind::Int), self.element_value(kind, 1), self.literal(kind));
        self.line(format!("{result} = {function}({argument}, {k}) - {function}(2, {k})"));
        self.line(format!("print {generic}([{element}, {other}], mod({k}, 50)), {generic}([1j, 2 + 1j], 1)"));
        self.scalars.push((result, Kind::Int));
    }

    /// Functions in fields, in places of unknown type, and of the library.
    pub(super) fn function_values(&mut self) {
        self.note("function as a value");
        let (class, o, f, total) = (self.name("Tool"), self.name("o"), self.name("f"), self.name("t"));
        let kind = self.kind();
        let ty = type_name(kind);
        self.define(&format!(
            "type {class} : mutable class\n    name : string\n    run : [{ty} -> {ty}]\nendtype\n\
             function y = {class}_applied(f, x)\n    y = f(f(x))\nendfunction"
        ));
        self.scalars.push(("x".into(), kind));
        self.in_kernel = true;
        let bodies = [0; 2].map(|_| self.element_value(kind, 2));
        self.in_kernel = false;
        self.scalars.pop();
        let lambda = |body: &str| format!("(x : {ty}) -> {body}");
        let library = if kind == Kind::Int { "abs" } else { *self.random.pick(&["floor", "abs", "ceil"]) };
        self.line(format!("{o} = {class}(\"first\", {})", lambda(&bodies[0])));
        let (x, y, condition) = (self.leaf(kind), self.leaf(kind), self.condition(1));
        self.line(format!("{total} = {o}.run({x})"));
        self.open(format!("if {condition}"));
        self.line(format!("{o}.run = {}", lambda(&bodies[1])));
        self.close("endif");
        self.assign_scalar();
        match self.random.below(4) {
            0 => {
                self.note("function of unknown type");
                self.line(format!("{f} : ?? = {}", lambda(&bodies[1])));
                self.line(format!("{total} -= {o}.run({f}({y}))"));
            }
            1 => {
                self.note("functions in a cell");
                self.line(format!("{f} = cell(3)"));
                self.line(format!("{f}[0] = {}", lambda(&bodies[1])));
                self.line(format!("{f}[1] = {o}.run"));
                self.line(format!("{f}[2] = {library}"));
                let at = self.leaf(Kind::Int);
                self.line(format!("{total} -= {f}[mod({at}, 3)]({y})"));
            }
            2 => {
                self.note("library function as a value");
                self.line(format!("{f} = {library}"));
                self.line(format!("{total} -= {f}({y}) + {class}_applied({library}, {x})"));
            }
            _ => self.line(format!("{total} -= {class}_applied({o}.run, {y})")),
        }
        self.bound(&total, kind);
        self.line(format!("print {o}.name, \" \", {o}.run({total})"));
        self.scalars.push((total, kind));
    }

    /// A kernel whose parameters have modifiers: constant memory, read only, nothing to be copied.
    pub(super) fn modified_parameters(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("parameters with modifiers");
        let (kernel, kind, rank) = (self.name("quiet"), src.kind, src.dims.len());
        let ty = array_type(kind, rank);
        let vector = if rank == 1 { "int" } else { "ivec2" };
        let modifier =
            *self.random.pick(&["'const", "'hwconst", "'hwtex_const", "'const'clamped", "'hwconst'mirror"]);
        let dst = self.output(kind, &src.dims);
        let (table, size) = (self.list_of(kind, 4), self.random.between(0, 3));
        let known = [("v", kind), ("w", kind), ("k", Kind::Int)];
        let value = self.closed_expr(&known, kind, 3);
        let at = if rank == 1 { "pos" } else { "pos[0]" };
        let taps = *self.random.pick(&["'hwconst", "'const", "'unchecked", "'circular"]);
        self.define(&format!(
            "function [] = __kernel__ {kernel}(x : {ty}{modifier}, y : {ty}'nocopy, f : {}{taps}, k : int'const, pos : {vector})\n    \
             v = x[pos]\n    w = f[mod({at} + k, 4)] - f[{size}]\n    y[pos] = {value}\nendfunction",
            array_type(kind, 1)
        ));
        let k = self.leaf(Kind::Int);
        self.line(format!(
            "parallel_do(size({0}), {0}, {1}, [{table}], mod({k}, 9), {kernel})",
            src.name, dst.name
        ));
        self.arrays.push(dst);
    }
}

/// A value in the range in which arithmetic stays exact.
pub(super) fn limited(kind: Kind, value: &str) -> String {
    match kind {
        Kind::Int => format!("mod({value}, 101)"),
        Kind::Float => format!("floor(8*min(max({value}, -60.0), 60.0))/8"),
    }
}
