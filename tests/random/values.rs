//! Values of random programs besides plain numbers and arrays: small arrays in registers, integers of all sizes, cells,
//! texts; and the ways to change a part of an array.

use super::{Array, Generator, Kind};

/// Integer types with what happens to values that they cannot hold.
const SIZED: [&str; 13] = [
    "int8'sat",
    "uint8'sat",
    "int16'sat",
    "uint16'sat",
    "uint32'sat",
    "int8'unchecked",
    "uint8'unchecked",
    "int16'unchecked",
    "uint16'unchecked",
    "uint32'unchecked",
    "int64",
    "int64'sat",
    "int32'sat",
];

impl Generator {
    pub(super) fn list_of(&mut self, kind: Kind, count: usize) -> String {
        (0..count).map(|_| self.element_value(kind, 1)).collect::<Vec<_>>().join(", ")
    }

    /// Vectors and matrices of fixed size, which live in registers where this is in a kernel or a parallel loop.
    pub(super) fn small_array(&mut self) {
        let Some(target) = self.scalar(Kind::Float) else { return };
        let (v, w) = (self.name("v"), self.name("w"));
        let value = match self.random.below(4) {
            0 => {
                self.note("small matrix");
                let (a, b, c) = (
                    self.list_of(Kind::Float, 2),
                    self.list_of(Kind::Float, 2),
                    self.list_of(Kind::Float, 2),
                );
                self.line(format!("{v} : mat2x2 = [[{a}], [{b}]]"));
                self.line(format!("{w} = floor({v}) * floor([{c}])"));
                format!("{w}[0] + {w}[1] - {v}[1, 0]")
            }
            1 => {
                self.note("small vector");
                let (a, b) = (self.list_of(Kind::Float, 3), self.list_of(Kind::Float, 3));
                self.line(format!("{v} : vec3 = [{a}]"));
                self.line(format!("{w} = {v} .* [1.0, 2.0, -0.5] + 2*[{b}]"));
                let last = self.index_within(3);
                format!("sum({w}) - {v}[{last}]")
            }
            2 => {
                self.note("dot product");
                let (a, b) = (self.list_of(Kind::Float, 4), self.list_of(Kind::Float, 4));
                self.line(format!("{v} = floor([{a}])"));
                self.line(format!("{w} = floor([{b}])"));
                format!("dotprod({v}, {w}) + max({v})")
            }
            _ => {
                self.note("small array that changes");
                let a = self.list_of(Kind::Float, 3);
                let (at, value) = (self.index_within(3), self.element_value(Kind::Float, 1));
                self.line(format!("{v} = [{a}]"));
                self.line(format!("{v}[{at}] = {value}"));
                self.open(format!("for {w} = 0..1"));
                self.line(format!("{v}[{w} + 1] = {v}[{w}] - {v}[{w} + 1]"));
                self.close("endfor");
                format!("{v}[0] + {v}[1] + {v}[2]")
            }
        };
        self.line(format!("{target} = {value}"));
        self.bound(&target, Kind::Float);
    }

    /// An array of sized integers, filled and changed in loops, with values that it may not be able to hold.
    pub(super) fn sized_integers(&mut self) {
        let ty = *self.random.pick(&SIZED);
        self.note(match ty.split_once('\'') {
            _ if ty.starts_with("int64") => "wide integers",
            Some((_, "sat")) => "saturating integers",
            _ => "wrapping integers",
        });
        let (name, n) = (self.name("T"), self.random.between(1, 8));
        self.line(format!("{name} = vec[{ty}]({n})"));
        let array = Array { name: name.clone(), kind: Kind::Int, dims: vec![n], mode: None };
        self.for_each_position(&array, |this, at| {
            let value = this.expr(Kind::Int, 2);
            this.line(format!("{name}[{}] = {value}", at[0]));
        });
        let total = self.name("u");
        self.line(format!("{total} = 0"));
        // As operands these become `int`, which does not hold all of uint32.
        if !ty.starts_with("uint32") {
            self.for_each_position(&array, |this, at| {
                let op = *this.random.pick(&["+=", "-=", "="]);
                let value = this.element_value(Kind::Int, 1);
                this.line(format!("{name}[{}] {op} {value}", at[0]));
            });
            self.for_each_position(&array, |this, at| {
                this.line(format!("{total} += int(mod({name}[{}], 1000))", at[0]));
            });
        }
        let (small, value) = (self.name("b"), self.expr(Kind::Int, 2));
        self.line(format!("{small} : {ty} = {value}"));
        self.line(format!("print \"{name} \", {name}, \" \", {small}"));
        self.scalars.push((total, Kind::Int));
    }

    /// A store that is an error where the value does not fit.
    pub(super) fn refused_store(&mut self) {
        let Some(target) = self.scalar(Kind::Int) else { return };
        self.note("checked integers");
        let ty = *self.random.pick(&["int8", "uint8", "int16", "uint16"]);
        let (name, value) = (self.name("b"), self.expr(Kind::Int, 2));
        self.open("try");
        self.line(format!("{name} : {ty} = {value}"));
        self.line(format!("{target} = {target} + int({name})"));
        self.close("catch ex");
        self.indent += 1;
        self.line(format!("print \"refused\", {target}"));
        self.line(format!("{target} = mod({target}, 1000) + 7"));
        self.close("endtry");
    }

    /// Formats whose results are exact: integers, and eighths with three digits.
    pub(super) fn text_and_format(&mut self) {
        let (name, i, s) = (self.name("text"), self.leaf(Kind::Int), self.leaf(Kind::Float));
        match self.random.below(3) {
            0 => {
                self.note("sprintf");
                let flags = *self.random.pick(&["", "-", "+", "0", " "]);
                let width = self.random.between(1, 12);
                let form = *self.random.pick(&["d", "i"]);
                self.line(format!(
                    "{name} = sprintf(\"<%{flags}{width}{form}|%{flags}{width}.3f|%s>\", {i}, {s}, {i})"
                ));
            }
            1 => {
                self.note("printf");
                let form = *self.random.pick(&["x", "X", "o", "5d", "-7d"]);
                self.line(format!("printf(\"%{form} %.4f%%\", abs({i}), {s})"));
                self.line(format!("{name} = \"printed\""));
            }
            _ => {
                self.note("text");
                self.line(format!("{name} = \"i = \" + {i} + \", s = \" + {s}"));
                let change = *self.random.pick(&["upper", "lower", "strlen", "num2str"]);
                let argument = if change == "num2str" { i } else { name.clone() };
                self.line(format!("print {change}({argument})"));
            }
        }
        self.line(format!("print {name} + \".\""));
    }
}
