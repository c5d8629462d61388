//! Slices of random programs: parts of an array as values and targets of the same array, where they overlap; slices as
//! arguments of functions, of slices, with steps; arrays in objects and cells, and their slices.

use super::kernels::array_type;
use super::{Array, Counter, Generator, Kind};

impl Generator {
    /// A range of so many indices below an extent, with any step that fits.
    fn run_of(&mut self, count: i64, extent: i64) -> String {
        let widest = if count > 1 { (extent - 1) / (count - 1) } else { 3 };
        let step = self.random.between(1, widest.max(1)).min(widest.max(1));
        let low = self.random.between(0, extent - 1 - (count - 1) * step);
        let high = low + (count - 1) * step;
        match (self.random.chance(35), step) {
            (false, 1) => format!("{low}..{high}"),
            (false, _) => format!("{low}..{step}..{high}"),
            (true, _) => format!("{high}..-{step}..{low}"),
        }
    }

    /// Elements of an array take those of another place of it, as they were before.
    pub(super) fn overlapping_slices(&mut self) {
        let Some(array) = self.some_array(None) else { return };
        self.note("slice over itself");
        let a = array.name.clone();
        for _ in 0..1 + self.random.below(3) {
            let (mut from, mut to) = (Vec::new(), Vec::new());
            for extent in &array.dims {
                let count = self.random.between(1, *extent);
                from.push(self.run_of(count, *extent));
                to.push(self.run_of(count, *extent));
            }
            // One range alone selects whole rows.
            if self.random.chance(25) {
                from.truncate(1);
                to.truncate(1);
            }
            let (from, to) = (from.join(", "), to.join(", "));
            let value = match self.random.below(6) {
                0 => format!("{a}[{from}] + {}", self.literal(array.kind)),
                1 => format!("{a}[{from}] - {a}[{to}]"),
                2 => format!("{a}[{to}] + {a}[{from}] .* 2"),
                3 => format!("max({a}[{from}], {a}[{to}]) + 0"),
                _ => format!("{a}[{from}]"),
            };
            let op = *self.random.pick(&["=", "=", "=", "+=", "-="]);
            self.line(format!("{a}[{to}] {op} {value}"));
            match array.kind {
                Kind::Int => self.line(format!("{a} = mod({a}, 101)")),
                Kind::Float => self.clamp(&array),
            }
        }
    }

    /// Variables hold slices and what is computed of them, while the arrays that they come from change, or nobody does that.
    pub(super) fn held_slices(&mut self) {
        let (Some(array), Some(other)) = (self.some_array(None), self.some_array(None)) else { return };
        if array.kind != other.kind || array.dims.len() != other.dims.len() {
            return;
        }
        self.note("slices in variables");
        let dims: Vec<(i64, i64)> = array.dims.iter().copied().zip(other.dims.iter().copied()).collect();
        let counts: Vec<i64> = dims.iter().map(|(m, n)| self.random.between(1, *m.min(n))).collect();
        let mut part = |own: bool| {
            let extents = dims.iter().map(|(m, n)| if own { *m } else { *n });
            let runs = counts.iter().zip(extents).map(|(count, extent)| self.run_of(*count, extent));
            let runs: Vec<String> = runs.collect();
            format!("{}[{}]", if own { &array.name } else { &other.name }, runs.join(", "))
        };
        let (first, second, target, last) = (part(true), part(false), part(false), part(true));
        let names: Vec<String> = (0..4).map(|_| self.name("h")).collect();
        let [p, q, r, total] = &names[..] else { return };
        self.line(format!("{p} = {first}"));
        if self.random.chance(30) {
            self.line(format!("{target} = {p} - 1"));
        }
        self.line(format!("{q} = {second}"));
        match self.random.below(4) {
            0 => self.line(format!("{r} = {p} + {q}")),
            1 => self.line(format!("{r} = {p} .* 2 - {q}")),
            2 => self.line(format!("{r} = max({p}, {q}) + 0")),
            _ => {
                let number = self.literal(array.kind);
                self.line(format!("{r} = {p} + {number}"));
            }
        }
        match self.random.below(4) {
            0 => self.line(format!("{last} = {q} - {p}")),
            1 => self.line(format!("{target} += {p}")),
            _ => {}
        }
        self.line(format!("{target} = {r} - {q}"));
        if self.random.chance(50) {
            self.line(format!("{total} = sum({r}) + numel({q})"));
            self.line(format!("print {total}"));
        }
        if self.random.chance(30) {
            let held = *self.random.pick(&[p, q, r]);
            self.line(format!("print {held}"));
        }
        for array in [&array, &other] {
            match array.kind {
                Kind::Int => self.line(format!("{0} = mod({0}, 101)", array.name)),
                Kind::Float => self.clamp(array),
            }
        }
    }

    /// A slice is an array of its own: a function changes it, or reads it while the whole changes.
    pub(super) fn slices_as_arguments(&mut self) {
        let Some(array) = self.some_array(None).filter(|array| array.dims.len() == 1) else { return };
        self.note("slice as an argument");
        let (a, kind, extent) = (array.name.clone(), array.kind, array.dims[0]);
        let (name, part) = (self.name("part"), self.name(if kind == Kind::Int { "I" } else { "A" }));
        let known = [("e", kind), ("k", Kind::Int)];
        let value = self.closed_expr(&known, kind, 2);
        let ty = array_type(kind, 1);
        self.define(&format!(
            "function y : {ty} = {name}(x : {ty}, whole : {ty})\n    for k = 0..numel(x) - 1\n        e = x[k]\n        \
             x[k] = {value}\n    endfor\n    whole[0] = x[numel(x) - 1]\n    y = x[numel(x) - 1..-1..0]\nendfunction"
        ));
        let count = self.random.between(1, extent);
        let run = self.run_of(count, extent);
        if self.random.chance(50) {
            self.line(format!("{part} = {name}({a}[{run}], {a})"));
        } else {
            let middle = self.name("P");
            self.line(format!("{middle} = {a}[{run}]"));
            self.line(format!("{part} = {name}({middle}, {a})"));
            self.line(format!("{a}[{run}] = {middle}"));
        }
        self.arrays.push(Array { name: part.clone(), kind, dims: vec![count], mode: None });
        if count > 1 {
            self.note("slice of a slice");
            let (low, step) = (self.random.between(0, 1), self.random.between(1, 2));
            let name = self.name("t");
            self.line(format!("{name} = {a}[{run}][{low}..{step}..{}]", count - 1));
            self.line(format!("print {name}, sum({name}), {part}[{}..-1..{low}]", count - 1));
        }
    }

    /// An object whose fields are arrays: changed through the field, by slices, by a method, in a loop.
    pub(super) fn arrays_in_fields(&mut self) {
        self.note("object with array fields");
        let (class, o, k) = (self.name("Sheet"), self.name("o"), self.name("k"));
        let (n, kind) = (self.random.between(2, 6), self.kind());
        let (line, plane) = (array_type(kind, 1), array_type(kind, 2));
        let maker = if kind == Kind::Int { "zeros[int]" } else { "zeros" };
        let known = [("k", Kind::Int), ("e", kind)];
        let a = self.closed_expr(&known, kind, 2);
        self.define(&format!(
            "type {class} : mutable class\n    row : {line}\n    grid : {plane}\n    count : int\nendtype\n\
             function [] = {class}_fill(self : {class}, k : int)\n    for m = 0..numel(self.row) - 1\n        \
             e = self.row[m]\n        self.row[m] = {a}\n    endfor\n    self.count += 1\nendfunction"
        ));
        self.line(format!("{o} = {class}(row:={maker}({n}), grid:={maker}(2, {n}), count:=0)"));
        let last = self.random.between(0, 4);
        self.open(format!("for {k} = 0..{last}"));
        self.counters.push(Counter { name: k.clone(), low: 0, high: last });
        let (value, at) = (self.element_value(kind, 1), self.index_within(n));
        self.counters.pop();
        self.line(format!("{o}.row[{at}] = {value}"));
        self.line(format!("{o}.{class}_fill({k})"));
        let (from, to) = (self.run_of(n - 1, n), self.run_of(n - 1, n));
        let statement = match self.random.below(4) {
            0 => format!("{o}.row[{to}] = {o}.row[{from}]"),
            1 => format!("{o}.grid[1, :] = {o}.row"),
            2 => format!("{o}.grid[0, :] = {o}.grid[1, :] + {o}.row"),
            _ => format!("{o}.row = {o}.grid[{}, :] + 0", self.random.below(2)),
        };
        self.line(statement);
        if kind == Kind::Float {
            self.line(format!("{o}.grid = floor(8*min(max({o}.grid, -60.0), 60.0))/8"));
        }
        self.close("endfor");
        let (e, total) = (self.name("e"), self.name("t"));
        self.line(format!("{e} = {o}.row[{}] + 0", n - 1));
        self.line(format!("{total} = {o}.count + numel({o}.grid)"));
        self.line(format!("print {o}, {o}.grid[0, :], sum({o}.row)"));
        self.bound(&e, kind);
        self.scalars.extend([(total, Kind::Int), (e, kind)]);
    }

    /// A cell of arrays that grow, change places and are changed in their places.
    pub(super) fn cells_of_arrays(&mut self) {
        self.note("cell of arrays");
        let (c, k, e) = (self.name("c"), self.name("k"), self.name("e"));
        let (kind, count) = (self.kind(), self.random.between(2, 5));
        let (ty, maker) = (array_type(kind, 1), if kind == Kind::Int { "zeros[int]" } else { "zeros" });
        self.line(format!("{c} = vec[{ty}]({count})"));
        self.open(format!("for {k} = 0..{}", count - 1));
        self.line(format!("{c}[{k}] = {maker}({k} + 2)"));
        self.counters.push(Counter { name: k.clone(), low: 0, high: count - 1 });
        let value = self.element_value(kind, 2);
        self.counters.pop();
        self.line(format!("{c}[{k}][1] = {value}"));
        self.line(format!("{c}[{k}][0..1] = {c}[{k}][1..-1..0]"));
        self.close("endfor");
        let (m, n) = (self.random.between(0, count - 1), self.random.between(0, count - 1));
        match self.random.below(4) {
            0 => self.line(format!("[{c}[{m}], {c}[{n}]] = {{{c}[{n}], {c}[{m}]}}")),
            1 => self.line(format!("{c}[{m}] = {c}[{n}] + {c}[{n}]")),
            2 => self.line(format!("{c}[{m}] = [...{c}[{n}], ...{c}[0]]")),
            _ => self.line(format!("{c}[{m}][0..1] = {c}[{n}][0..1]")),
        }
        let total = self.name("t");
        self.line(format!("{total} = 0"));
        self.open(format!("for {e} = {c}"));
        self.line(format!("{total} = 3*{total} + numel({e})"));
        self.line(format!("print {e}, sum({e})"));
        self.close("endfor");
        self.scalars.push((total, Kind::Int));
    }
}
