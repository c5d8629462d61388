//! Loops in order of random programs whose elements come from sums and extremes of slices of what is there already: substitutions,
//! filters, and windows behind the position, with lengths that the loop tells, and now and then one too many.

use super::{Generator, Kind};

impl Generator {
    /// A function that fills an array from its own slices, and a call.
    pub(super) fn sums_of_slices_in_order(&mut self) {
        self.note("sums of slices in order");
        let name = self.name("recurrence");
        let backwards = self.random.chance(30);
        let part = match (backwards, self.random.below(4)) {
            (false, 0) => "0..i-1",
            (false, 1) => "max(i-r, 0)..i-1",
            (false, 2) => "i-r..i-1",
            (false, _) => "i%2..2..i-1",
            (true, 0) => "i+1..numel(x)-1",
            (true, 1) => "i+1..min(i+r, numel(x)-1)",
            (true, 2) => "i+1..i+r",
            (true, _) => "i+2..numel(x)-1",
        }
        .replace("i%2", "mod(i, 2)");
        let value = match self.random.below(6) {
            0 => format!("sum(x[{part}])"),
            1 => format!("sum(u[i, {part}] .* x[{part}]) - sum(x[{part}])"),
            2 => format!("dotprod(u[i, {part}], x[{part}])"),
            3 => format!("max(x[{part}]) - 1"),
            // Only windows of `r` have as many elements.
            4 => format!("sum(w .* x[{part}])"),
            _ => format!("sum(abs(u[{part}, i] - 2))"),
        };
        let rows = if backwards { "for i = numel(x)-1-s..-1..0" } else { "for i = s..numel(x)-1" };
        // Rounded, so that sums in any order are exact.
        let store = match self.random.below(3) {
            0 => format!("        x[i] = mod(round({value}) + x[i], 11)\n"),
            1 => format!("        t = {value}\n        x[i] = mod(round(t) + i, 7) - 2\n"),
            _ => format!("        t += {value}\n        x[i] += mod(round(t), 5)\n"),
        };
        self.define(&format!(
            "function x : vec = {name}(x0 : vec, u : mat, w : vec, r : int, s : int)\n    x = copy(x0)\n    t = 0.0\n    \
             {rows}\n{store}    endfor\nendfunction"
        ));
        let n = self.random.between(1, 40);
        let r = self.random.between(1, 5).min(n);
        let s = if self.random.chance(80) { r } else { self.random.between(0, 3) };
        let x = self.filled(&format!("zeros({n})"), Kind::Float);
        let rows = if self.random.chance(6) { (n - 1).max(1) } else { n };
        let u = self.filled(&format!("zeros({rows}, {n})"), Kind::Float);
        let w = self.filled(&format!("zeros({r})"), Kind::Float);
        let z = self.name("Z");
        self.open("try");
        self.line(format!("{z} = {name}({x}, {u}, {w}, {r}, {s})"));
        self.line(format!("print {z}"));
        self.told();
    }
}
