//! Cells, tuples and dynamic objects of random programs.

use super::{Generator, Kind};

impl Generator {
    pub(super) fn cell(&mut self) {
        let name = self.name("c");
        match self.random.below(4) {
            0 => {
                self.note("mixed cell");
                let (i, s) = (self.leaf(Kind::Int), self.leaf(Kind::Float));
                self.line(format!("{name} = {{{i}, \"text\", [1,2,{i}], {s}}}"));
                self.line(format!(
                    "print {name}, \" \", numel({name}), {name}[0], {name}[1], {name}[2], {name}[3]"
                ));
                let (a, b) = (self.name("e"), self.name("e"));
                self.line(format!("[{a}, _, _, {b}] = {name}"));
                self.line(format!("print {a}, \" \", {b}"));
            }
            1 => {
                self.note("cell of vectors");
                let parts = [self.list_of(Kind::Float, 2), self.list_of(Kind::Float, 3)];
                self.line(format!("{name} = vec[vec](2)"));
                for (k, part) in parts.iter().enumerate() {
                    self.line(format!("{name}[{k}] = [{part}]"));
                }
                let total = self.name("t");
                self.line(format!("{total} = sum({name}[0]) + {name}[1][2] - numel({name}[1])"));
                self.line(format!("{name}[0][1] = {total}"));
                self.line(format!("print {name}"));
                self.bound(&total, Kind::Float);
                self.scalars.push((total, Kind::Float));
            }
            2 => {
                self.note("arithmetic of cells");
                let (s, v) = (self.literal(Kind::Float), self.list_of(Kind::Float, 3));
                self.line(format!("{name} = {{{s}, [{v}]}}"));
                self.line(format!("print {name} + {name}, {name}*2, -{name}, max({name}, 2)"));
            }
            _ => {
                self.note("loop over a cell");
                let (item, parts) =
                    (self.name("e"), [self.list_of(Kind::Float, 2), self.list_of(Kind::Float, 2)]);
                self.line(format!("{name} = {{[{}], [{}]}}", parts[0], parts[1]));
                self.open(format!("for {item} = {name}"));
                self.line(format!("print {item}, sum({item})"));
                self.close("endfor");
            }
        }
    }

    /// Tuples of an integer and a float: taken apart, replaced, and visited by a function.
    pub(super) fn tuples(&mut self) {
        self.note("tuples");
        let (items, item, number, weight, visit) =
            (self.name("c"), self.name("e"), self.name("n"), self.name("w"), self.name("visit"));
        self.define(&format!(
            "function [n : int, w : scalar] = {visit}(items : vec[vec[{{int, scalar}}]])\n    n = 0\n    w = 0.0\n    \
             for k = 0..numel(items)-1\n        [a, b] = items[k]\n        n = 3*n + a\n        w = max(w, b)\n    \
             endfor\nendfunction"
        ));
        let list: Vec<String> = (0..1 + self.random.below(3))
            .map(|_| format!("{{{}, {}}}", self.expr(Kind::Int, 1), self.element_value(Kind::Float, 1)))
            .collect();
        self.line(format!("{items} = {{{}}}", list.join(", ")));
        if self.random.chance(50) {
            let (a, b) = (self.expr(Kind::Int, 1), self.literal(Kind::Float));
            self.line(format!("{items}[{}] = {{{a}, {b}}}", list.len() - 1));
        }
        self.line(format!("[{number}, {weight}] = {visit}({items})"));
        self.open(format!("for {item} = {items}"));
        self.line(format!("{number} += {item}[0]"));
        self.line(format!("print {item}[1] - 1, \" \", {item}"));
        self.close("endfor");
        self.bound(&weight, Kind::Float);
        self.scalars.extend([(number, Kind::Int), (weight, Kind::Float)]);
    }

    /// An object whose fields are known when the program runs.
    pub(super) fn dynamic_object(&mut self) {
        self.note("dynamic object");
        let (o, p, k, total) = (self.name("o"), self.name("o"), self.name("k"), self.name("t"));
        let (a, b, c) = (self.expr(Kind::Int, 2), self.leaf(Kind::Float), self.leaf(Kind::Int));
        self.line(format!("{o} = object()"));
        self.line(format!("{o}.a = {a}"));
        self.line(format!("{o}.v = [1, {c}, 2]"));
        self.line(format!("{p} = {{width := {c}, height := {b}, inner := {o}}}"));
        let (at, last) = (self.index_within(3), self.random.between(-1, 3));
        self.line(format!("{o}.v[{at}] = 7"));
        self.open(format!("for {k} = 0..{last}"));
        self.line(format!("{o}.a += {k}"));
        self.line(format!("{p}.width = {p}.width + {o}.v[1]"));
        self.close("endfor");
        let same = self.random.pick(&[p.clone(), format!("copy({p})"), format!("{p}.inner")]).clone();
        self.line(format!("print {o}, {p}.inner.v, {p}.height, {p} == {same}"));
        self.open("try");
        let missing = *self.random.pick(&["depth", "width"]);
        self.line(format!("print {p}.{missing}"));
        self.close("catch ex");
        self.indent += 1;
        self.line("print ex.message");
        self.close("endtry");
        self.line(format!("{total} : int = {p}.width"));
        self.scalars.push((total, Kind::Int));
    }
}
