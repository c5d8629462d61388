//! Whole arrays of random programs: nests over their positions, expressions, slices, masks, functions of the library.

use super::kernels::list;
use super::{Array, Generator, Kind};

impl Generator {
    /// Comparisons of arrays whose shapes may differ, kept and used at once.
    pub(super) fn comparison_of_shapes(&mut self) {
        self.note("comparison of shapes");
        let (f, rank) = (self.name("f"), if self.random.chance(70) { "vec" } else { "mat" });
        let (equal, other) = if self.random.chance(60) { ("==", "!=") } else { ("!=", "==") };
        let uses = [
            "    print m + 1, sum(m), size(m)\n".to_string(),
            format!("    print (a {other} b) * 2, a {equal} b\n"),
            format!("    if a {equal} b\n        print \"same\"\n    endif\n"),
            format!("    print all(m), any(a {other} b), numel(m)\n"),
            format!("    c = {{m, a {other} b}}\n    print c\n"),
        ];
        let body: String = uses.into_iter().filter(|_| self.random.chance(50)).collect();
        self.define(&format!(
            "function y = {f}(a : {rank}, b : {rank})\n    m = a {equal} b\n{body}    y = m\nendfunction"
        ));
        for _ in 0..2 {
            let mut made = || {
                let (n, k) = (self.random.between(0, 3), self.random.between(1, 2));
                let dims = if rank == "vec" { format!("{n}") } else { format!("{k}, {n}") };
                format!("{}({dims})", self.random.pick(&["zeros", "ones"]))
            };
            let (a, b) = (made(), made());
            self.line(format!("print {f}({a}, {b})"));
        }
    }

    /// Each position of one array from values of others: independent iterations, unless it reads itself.
    pub(super) fn map_nest(&mut self) {
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
    pub(super) fn reduction_nest(&mut self) {
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

    pub(super) fn array_expression(&mut self) {
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

    pub(super) fn histogram(&mut self) {
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

    pub(super) fn launch_or_slice(&mut self) {
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

    /// Several elements at once.
    pub(super) fn slice_store(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        self.note("store to a slice");
        let value = self.element_value(array.kind, 1);
        let range = |this: &mut Self, extent: i64| match this.random.below(4) {
            0 => ":".to_string(),
            1 => {
                let low = this.random.between(0, extent - 1);
                format!("{low}..{}", this.random.between(low, extent - 1))
            }
            2 => format!("0..2..{}", extent - 1),
            _ => format!("{}..-1..0", extent - 1),
        };
        let at: Vec<String> = array.dims.iter().map(|extent| range(self, *extent)).collect();
        let op = *self.random.pick(&["=", "=", "+="]);
        self.line(format!("{}[{}] {op} {value}", array.name, at.join(", ")));
        self.clamp(&array);
    }

    /// The elements for which something holds.
    pub(super) fn masked_store(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        self.note("store through a mask");
        let (limit, value) = (self.random.between(-2, 9), self.literal(array.kind));
        let comparison = *self.random.pick(&["<", ">", "==", ">=", "!="]);
        self.line(format!("{0}[{0} {comparison} {limit}] = {value}", array.name));
    }

    /// Brings the elements of an array of floats back into range.
    pub(super) fn clamp(&mut self, array: &Array) {
        if array.kind == Kind::Float {
            self.line(format!("{0} = floor(8*min(max({0}, -60.0), 60.0))/8", array.name));
        }
    }

    /// Library functions and reductions of expressions, whose results are only printed.
    pub(super) fn library_call(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        let a = &array.name;
        let whole = if array.kind == Kind::Int { a.clone() } else { format!("floor({a})") };
        let expr = match self.random.below(12) {
            0 => format!("sum({a} .* 2)"),
            1 => format!("sum({whole} .* {whole})"),
            2 => format!("max(abs({a} - 3))"),
            3 => format!("prod(mod({whole}, 2) + 1)"),
            4 => format!("sum({a}, 0)"),
            5 => format!("max({a}, -1)"),
            6 => format!("cumsum({a})"),
            7 => format!("sort({})", if array.dims.len() == 1 { a.clone() } else { format!("{a}, 0") }),
            8 => format!("fliplr({a})"),
            9 => format!("transpose({a})"),
            10 => format!("size({a})"),
            _ => format!("any({a} > 3), all({a} < 90)"),
        };
        self.note(if expr.starts_with("sum") || expr.starts_with("max") || expr.starts_with("prod") {
            "reduction of an expression"
        } else {
            "library function"
        });
        self.line(format!("print \"{a}: \", {expr}"));
    }

    /// Rows, columns and runs that take each other's elements; elements by lists of indices and by positions.
    pub(super) fn slice_exchange(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        let a = array.name.clone();
        match array.dims[..] {
            [rows, columns] => {
                self.note("slice to a slice");
                let (r, s) = (self.random.between(0, rows - 1), self.random.between(0, rows - 1));
                let (c, d) = (self.random.between(0, columns - 1), self.random.between(0, columns - 1));
                let op = if array.kind == Kind::Int { *self.random.pick(&["=", "+="]) } else { "=" };
                match self.random.below(4) {
                    0 => self.line(format!("{a}[{r}, :] {op} {a}[{s}, :]")),
                    1 => self.line(format!("{a}[:, {c}] {op} {a}[:, {d}]")),
                    2 => self.line(format!("[{a}[{r}, :], {a}[{s}, :]] = {{{a}[{s}, :], {a}[{r}, :]}}")),
                    _ => {
                        let p = self.name("p");
                        self.line(format!("{p} = [{r}, {c}]"));
                        self.line(format!("{a}[{p}] = {a}[...{p}] + {a}[{s}, {d}]"));
                        self.clamp(&array);
                    }
                }
            }
            _ => {
                self.note("elements by a list of indices");
                let n = array.dims[0];
                let list: Vec<String> = (0..n).rev().map(|k| k.to_string()).collect();
                let list = list.join(", ");
                match self.random.below(3) {
                    0 => self.line(format!("{a}[[{list}]] = {a}")),
                    1 => self.line(format!("{a}[0..{0}] = {a}[{0}..-1..0]", n - 1)),
                    _ => self.line(format!("print {a}[[{list}]], {a}[{a} > 2], sum({a}[{a} < 5])")),
                }
            }
        }
    }

    /// A second name for an array, with a boundary mode of its own.
    pub(super) fn boundary_name(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        self.note("two names of an array");
        let mode = *self.random.pick(&["mirror", "circular", "clamped", "safe"]);
        let name = self.name("N");
        self.line(format!("{name} : '{mode} = {}", array.name));
        if let [extent] = array.dims[..] {
            self.note("slice across the edge");
            let (low, high) = (self.random.between(-3, 1), extent + self.random.between(-1, 3));
            self.line(format!("print \"{name}: \", {name}[{low}..{high}], {name}[{high}..-2..{low}]"));
        }
        self.arrays.push(Array { name, mode: Some(mode), ..array });
    }

    /// An array of three dimensions: filled by a nest, sliced, folded, and changed by a kernel.
    pub(super) fn cube(&mut self) {
        self.note("cube");
        let (name, kind) = (self.name("Q"), self.kind());
        let dims: Vec<i64> = (0..3).map(|_| self.random.between(1, 4)).collect();
        let (maker, ty) = if kind == Kind::Int { ("zeros[int]", "icube") } else { ("zeros", "cube") };
        self.line(format!("{name} : {ty} = {maker}({})", list(&dims)));
        let array = Array { name: name.clone(), kind, dims: dims.clone(), mode: None };
        self.for_each_position(&array, |this, at| {
            let value = this.element_value(kind, 2);
            this.line(format!("{name}[{}] = {value}", at.join(", ")));
        });
        let at: Vec<i64> = dims.iter().map(|extent| self.random.between(0, extent - 1)).collect();
        match self.random.below(4) {
            0 => self.line(format!("{name}[:, :, {}] = {name}[:, :, {}]", at[2], dims[2] - 1)),
            1 => self.line(format!("print {name}[{}, :, :], {name}[:, {}, :]", at[0], at[1])),
            2 => self.line(format!("print sum({name}, 2), max({name}), {name}[{}, {}, :]", at[0], at[1])),
            _ => {
                self.note("kernel over a cube");
                let kernel = self.name("turn");
                let mode = *self.random.pick(&["'mirror", "'circular", "'clamped", "'safe"]);
                self.define(&format!(
                    "function [] = __kernel__ {kernel}(src : {ty}{mode}, dst : {ty}, pos : ivec3)\n    \
                     dst[pos] = src[pos + [1, -1, {}]] - src[pos[0], {}, pos[2]]\nendfunction",
                    at[2], at[1]
                ));
                let other = self.name("Q");
                self.line(format!("{other} : {ty} = {maker}({})", list(&dims)));
                self.line(format!("parallel_do(size({name}), {name}, {other}, {kernel})"));
                self.line(format!("print {other}"));
            }
        }
        let total = self.name("t");
        self.line(format!("{total} = sum({name})"));
        self.line(format!("print {name}"));
        self.bound(&total, kind);
        self.scalars.push((total, kind));
    }
}
