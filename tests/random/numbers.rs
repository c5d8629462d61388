//! Numbers of random programs besides `int` and `scalar`: complex ones, and double precision beside the working precision.
//! Complex numbers have small parts that are multiples of 1/8, so that products of two are exact.

use super::{Array, Counter, Generator, Kind};

impl Generator {
    /// A complex number of two exact parts.
    fn complex(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("({} + {}j)", self.random.between(-9, 9), self.random.between(0, 9)),
            1 => "1j".to_string(),
            _ => format!(
                "complex({}, {})",
                self.element_value(Kind::Float, 1),
                self.element_value(Kind::Float, 1)
            ),
        }
    }

    pub(super) fn complex_numbers(&mut self) {
        self.note("complex numbers");
        let (z, w, k, part) = (self.name("z"), self.name("z"), self.name("k"), self.name("s"));
        let (a, b) = (self.complex(), self.complex());
        self.line(format!("{z} = {a}"));
        self.line(format!("{w} = {b}"));
        let expr = match self.random.below(6) {
            0 => format!("{z}*{w}"),
            1 => format!("conj({z}) - 2*{w}"),
            2 => format!("{z}*1j + {w}"),
            3 => format!("-{z} + {w}*{w}"),
            4 => format!("({z} == {w} ? {z} : {w})"),
            _ => format!("{z} + {}", self.leaf(Kind::Float)),
        };
        self.line(format!("print {expr}, \" \", {z} == {w}, {z} != conj({w})"));
        let last = self.random.between(-1, 4);
        self.open(format!("for {k} = 0..{last}"));
        self.counters.push(Counter { name: k.clone(), low: 0, high: last });
        let term = format!("complex({}, {k})", self.element_value(Kind::Float, 1));
        self.counters.pop();
        match self.random.below(3) {
            0 => self.line(format!("{w} += {term}")),
            1 => self.line(format!("{w} = {term} - conj({w})")),
            _ => {
                let condition = self.condition(1);
                self.open(format!("if {condition}"));
                self.line(format!("{w} = 1j*{w}"));
                self.close("endif");
            }
        }
        self.close("endfor");
        self.line(format!("{part} = real({w}) - imag({z}*{w})"));
        self.line(format!("print {w}"));
        self.bound(&part, Kind::Float);
        self.scalars.push((part, Kind::Float));
    }

    /// A complex array that a loop fills and a kernel or an expression changes.
    pub(super) fn complex_arrays(&mut self) {
        self.note("complex arrays");
        let (x, n) = (self.name("Z"), self.random.between(1, 8));
        self.line(format!("{x} = czeros({n})"));
        let like = Array { name: x.clone(), kind: Kind::Float, dims: vec![n], mode: None };
        let value = self.random.between(1, 5);
        self.for_each_position(&like, |this, at| {
            let part = this.element_value(Kind::Float, 1);
            this.line(format!("{x}[{0}] = complex(mod({0}*{value}, 7), {part})", at[0]));
        });
        match self.random.below(4) {
            0 => {
                self.note("complex kernel");
                let (y, kernel) = (self.name("Z"), self.name("turn"));
                let mode = *self.random.pick(&["'mirror", "'circular", "'clamped", "'safe"]);
                self.define(&format!(
                    "function [] = __kernel__ {kernel}(x : cvec{mode}, y : cvec, f : cscalar, pos : int)\n    \
                     z = f*x[pos] + conj(x[pos - 1])\n    if real(z) > 3\n        z = 1j*z\n    endif\n    \
                     y[pos] = z - x[pos + {value}]\nendfunction"
                ));
                self.line(format!("{y} = czeros({n})"));
                self.line(format!("parallel_do({n}, {x}, {y}, 2 - 1j, {kernel})"));
                self.line(format!("print {y}"));
            }
            1 => {
                self.note("complex sum in a loop");
                let total = self.name("z");
                self.line(format!("{total} = complex(0.0, 0.0)"));
                self.for_each_position(&like, |this, at| {
                    this.line(format!("{total} += 2*{x}[{}]", at[0]));
                });
                self.line(format!("print {total}, \" \", sum({x})"));
            }
            2 => self.line(format!("print {x} .* {x}, {x} + 1j, conj({x}), -{x}*2")),
            _ => self.line(format!("print real({x}) - imag({x}), sum({x}), {x}[0..-1..0]")),
        }
        let part = self.name("s");
        self.line(format!("{part} = imag({x}[{}])", n - 1));
        self.scalars.push((part, Kind::Float));
        self.line(format!("print {x}"));
    }

    /// Numbers that need double precision, in variables, loops and kernels, and small ones in half precision.
    pub(super) fn double_variables(&mut self) {
        self.note("double precision");
        let (d, list, k, n) = (self.name("d"), self.name("D"), self.name("k"), self.random.between(1, 6));
        let (factor, start) = (self.leaf(Kind::Int), self.leaf(Kind::Float));
        self.line(format!("{d} : scalar'double = 1000003"));
        self.line(format!("{d} = {d}*mod({factor}, 1000) + {start}"));
        self.line(format!("{list} = vec[scalar'double]({n})"));
        self.open(format!("for {k} = 0..{}", n - 1));
        self.line(format!("{list}[{k}] = {d} + {k}"));
        self.close("endfor");
        if self.random.chance(50) {
            self.note("double precision in a kernel");
            let kernel = self.name("wide");
            self.define(&format!(
                "function [] = __kernel__ {kernel}(x : vec[scalar'double], d : scalar'double, s : scalar, pos : int)\n    \
                 v = x[pos] - d\n    if v < 3\n        v = x[pos] + s\n    endif\n    x[pos] = v\nendfunction"
            ));
            self.line(format!("parallel_do({n}, {list}, {d}, 0.5, {kernel})"));
        }
        let small = self.name("h");
        let value = self.leaf(Kind::Float);
        self.line(format!("{small} : scalar'half = {value}"));
        self.line(format!("print {d}, \" \", {list}, sum({list}), \" \", {small} + 1"));
        let back = self.name("s");
        self.line(format!("{back} : scalar = {d} - {list}[0]"));
        self.bound(&back, Kind::Float);
        self.scalars.push((back, Kind::Float));
    }
}
