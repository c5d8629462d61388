//! Products of slices in loops of random programs: of few and many small matrices, of sides that have one element or none, turned, as
//! sums, by a table of places; and rows whose lengths depend on the loop.

use super::{Generator, Kind};

impl Generator {
    /// A function that multiplies slices of its arguments, and a call.
    pub(super) fn products_of_slices(&mut self) {
        self.note("products of slices");
        if self.random.chance(25) {
            return self.rows_of_a_triangle();
        }
        let name = self.name("products");
        let take = |array: &str, at: &str, squeeze: bool| match squeeze {
            true => format!("squeeze({array}[{at}, :, :])"),
            false => format!("{array}[{at}, :, :]"),
        };
        let table = self.random.chance(40);
        let (first, second) = match table {
            true => ("place[k, t]", "t"),
            false => ("k", "k"),
        };
        let squeeze = self.random.chance(60);
        let (a, b) = (take("a", first, squeeze), take("b", second, squeeze));
        let square = self.random.chance(40);
        let value = match self.random.below(if square { 7 } else { 4 }) {
            0 => format!("2 * {a} * {b}"),
            1 => format!("{a} * {b} - {a} * {b} .* 2"),
            2 => format!("transpose(transpose({b}) * transpose({a}))"),
            4 => format!("{a} * {b} * {a}"),
            5 => format!("{a} * transpose({b}) + c[k, :, :]"),
            6 => format!("{a} * {b} + {a}"),
            _ => format!("{a} * {b}"),
        };
        let op = if table || self.random.chance(30) { "+=" } else { "=" };
        let inner = match table {
            true => format!(
                "        for t = 0..size(place, 1)-1\n            c[k, :, :] {op} {value}\n        endfor\n"
            ),
            false => format!("        c[k, :, :] {op} {value}\n"),
        };
        self.define(&format!(
            "function c : cube = {name}(a : cube, b : cube, place : mat[int])\n    c = zeros(size(place, 0), size(a, 1), size(b, 2))\n    \
             for k = 0..size(place, 0)-1\n{inner}    endfor\nendfunction"
        ));
        let count =
            if self.random.chance(50) { self.random.between(64, 90) } else { self.random.between(1, 5) };
        let long = if count > 5 { 7 } else { 12 };
        let least = i64::from(!self.random.chance(8));
        let [m, p, n] = [(); 3].map(|()| self.random.between(least, long));
        let (m, n) = if square { (p, p) } else { (m, n) };
        let q = if self.random.chance(5) { p + 1 } else { p };
        let steps = if table { self.random.between(1, 3) } else { 1 };
        let (planes, others) = if table { (6, steps) } else { (count, count) };
        let x = self.filled(&format!("zeros({planes}, {m}, {p})"), Kind::Float);
        let y = self.filled(&format!("zeros({others}, {q}, {n})"), Kind::Float);
        let place = self.name("place");
        // Now and then there is no such matrix.
        let most = if self.random.chance(6) { 7 } else { 6 };
        self.line(format!("{place} = zeros[int]({count}, {steps})"));
        let k = self.name("k");
        self.open(format!("for {k} = 0..{count}-1"));
        self.line(format!("{place}[{k}, 0] = mod(5*{k} + 1, {most})"));
        self.line(format!("{place}[{k}, {steps}-1] = mod(3*{k} + 2, {most})"));
        self.close("endfor");
        self.sums(&name, &format!("{x}, {y}, {place}"));
    }

    /// A triangle that grows row by row, by slices whose lengths the loop tells.
    fn rows_of_a_triangle(&mut self) {
        let name = self.name("triangle");
        let part = ["0..i", "i..size(c, 1)-1", "0..i-1", "i+1..size(c, 1)-1", "1..i"][self.random.below(5)];
        let factor = ["3 * a[i, k]", "a[i, k]", "a[i, k] * b[k, i]"][self.random.below(3)];
        let row = match self.random.chance(50) {
            true => format!("b[k, {part}]"),
            false => format!("transpose(a[{part}, k])"),
        };
        let before = match self.random.below(3) {
            0 => format!("        c[i, {part}] = 2 * c[i, {part}]\n"),
            1 => "        f = a[i, 0]\n".to_string(),
            _ => String::new(),
        };
        let factor = if before.contains("f =") { format!("f * {factor}") } else { factor.to_string() };
        let op = *self.random.pick(&["+=", "-="]);
        self.define(&format!(
            "function y : cube = {name}(a : mat, b : mat)\n    c = ones(size(a, 0), size(a, 0))\n    for i = 0..size(c, 0)-1\n{before}        \
             for k = 0..size(a, 1)-1\n            c[i, {part}] {op} {factor} * {row}\n        endfor\n    endfor\n    \
             y = reshape(c, [1, size(c, 0), size(c, 1)])\nendfunction"
        ));
        let (n, p) = (self.random.between(1, 40), self.random.between(1, 7));
        let x = self.filled(&format!("zeros({n}, {p})"), Kind::Float);
        let y = self.filled(&format!("zeros({p}, {n})"), Kind::Float);
        self.sums(&name, &format!("{x}, {y}"));
    }

    /// Calls the function, and prints sums that tell which element was wrong.
    fn sums(&mut self, name: &str, args: &str) {
        let z = self.name("Z");
        self.open("try");
        self.line(format!("{z} = {name}({args})"));
        self.line(format!("print size({z}), sum({z}), sum({z}, 0), sum({z}, 1)"));
        self.told();
    }
}
