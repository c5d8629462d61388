//! Loops of random programs over triangles and boxes of pairs: products of rows and columns, sums that several loops share, mirrored
//! stores. The arrays may be one under two names, or differ in size, so that an index is outside.

use super::{Generator, Kind};

/// Ranges of the second index of a pair whose first one is `i`.
const RANGES: &[&str] = &[
    "0..i", "0..i", "i..n-1", "i..n-1", "i+1..n-1", "0..i-1", "1..i", "i-1..n-1", "0..i+1", "0..n-1",
    "i..i+2", "0..n-1-i", "w..i", "i..n-1-w",
];

impl Generator {
    /// A function that goes over pairs of rows or columns, called with different arrays, with one twice, with sizes that differ.
    pub(super) fn loop_over_triangle(&mut self) {
        self.note("loop over a triangle");
        let (name, kind) = (self.name("pairs"), self.kind());
        let matrix = if kind == Kind::Int { "imat" } else { "mat" };
        let body = self.pairs(kind);
        let first = *self.random.pick(&["0", "0", "0", "1", "w"]);
        let last = *self.random.pick(&["n-1", "n-1", "size(c,0)-1", "n-2"]);
        self.define(&format!(
            "function [] = {name}(a : {matrix}, b : {matrix}, c : {matrix}, w : int)\n    n = size(c, 1)\n    \
             for i = {first}..{last}\n{body}    endfor\nendfunction"
        ));
        self.call_pairs(&name, kind);
    }

    /// The range of the second of a pair.
    fn second(&mut self) -> &'static str {
        self.random.pick::<&str>(RANGES)
    }

    /// What is added for a pair and a third index.
    fn term(&mut self, kind: Kind) -> String {
        let (x, y) = *self.random.pick(&[
            ("a[k,i]", "b[k,j]"),
            ("a[i,k]", "b[j,k]"),
            ("a[i,k]", "b[k,j]"),
            ("a[k,i]", "a[k,j]"),
            ("a[i,k]", "a[j,k]"),
        ]);
        match self.random.below(4) {
            0 => format!("abs({x} - {y})"),
            1 => format!("({x} - {y})*({x} - {y})"),
            2 if kind == Kind::Float => format!("({x} + {y})/2"),
            _ => format!("{x}*{y}"),
        }
    }

    fn pairs(&mut self, kind: Kind) -> String {
        let (range, term, zero) =
            (self.second(), self.term(kind), if kind == Kind::Int { "0" } else { "0.0" });
        let third =
            *self.random.pick(&["0..size(a,0)-1", "0..size(a,1)-1", "0..size(a,1)-1", "0..i", "0..w"]);
        let mirrored = self.random.chance(40);
        let other = if self.random.chance(20) { self.second() } else { range };
        match self.random.below(4) {
            0 => {
                let mirror = if mirrored { "            c[j,i] = s\n" } else { "" };
                format!(
                    "        for j = {range}\n            s = {zero}\n            for k = {third}\n                s += {term}\n            \
                     endfor\n            c[i,j] = s\n{mirror}        endfor\n"
                )
            }
            1 => {
                let mirror = if mirrored { "            c[j,i] = c[i,j]\n" } else { "" };
                format!(
                    "        for j = {range}\n            c[i,j] = {zero}\n            for k = {third}\n                c[i,j] += {term}\n            \
                     endfor\n            c[i,j] -= w\n{mirror}        endfor\n"
                )
            }
            2 => format!(
                "        for k = {third}\n            for j = {range}\n                c[i,j] += {term}\n            endfor\n        endfor\n"
            ),
            _ => format!(
                "        for j = {other}\n            c[i,j] = c[i,j]*2 - 1\n        endfor\n        for k = {third}\n            \
                 for j = {range}\n                c[i,j] += {term}\n            endfor\n        endfor\n"
            ),
        }
    }

    fn call_pairs(&mut self, name: &str, kind: Kind) {
        let (a, b, c) = (self.name("M"), self.name("M"), self.name("M"));
        let maker = if kind == Kind::Int { "zeros[int]" } else { "zeros" };
        let n = if self.random.chance(15) { self.random.between(64, 70) } else { self.random.between(1, 24) };
        let thick = self.random.between(1, 5);
        let of = if self.random.chance(50) { [n, thick] } else { [thick, n] };
        let mut other = of;
        if self.random.chance(20) {
            self.note("pairs of two sizes");
            other[self.random.below(2)] += self.random.between(-1, 1).max(1 - thick.min(n));
        }
        for (array, [rows, cols]) in [(&a, of), (&b, other), (&c, [n, n])] {
            let (p, q, r) =
                (self.random.between(1, 7), self.random.between(1, 5), self.random.between(-4, 4));
            let (m, k) = (self.name("m"), self.name("n"));
            self.line(format!("{array} = {maker}({rows}, {cols})"));
            self.open(format!("for {m} = 0..{}", rows - 1));
            self.open(format!("for {k} = 0..{}", cols - 1));
            self.line(format!("{array}[{m}, {k}] = mod({p}*{m} + {q}*{k}, 11) + {r}"));
            self.close("endfor");
            self.close("endfor");
        }
        let w = self.random.between(0, 2);
        let (first, second) = match self.random.below(6) {
            0 => (&a, &a),
            // Numbers would grow beyond what floats hold.
            1 if kind == Kind::Int => {
                self.note("pairs of one array under two names");
                (&c, &b)
            }
            _ => (&a, &b),
        };
        self.open("try");
        self.line(format!("{name}({first}, {second}, {c}, {w})"));
        self.line(format!("print {c}"));
        self.close("catch ex");
        self.indent += 1;
        self.line("print \"caught\"");
        self.close("endtry");
    }
}
