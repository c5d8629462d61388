//! Loops in order of random programs whose arrays get new values as a whole: integrators, filters and iterations that keep one array or
//! two from step to step, with names for what was there before, stores between, and now and then sizes that do not fit.

use super::{Generator, Kind};

impl Generator {
    /// A function with such a loop, and a call.
    pub(super) fn arrays_in_order(&mut self) {
        self.note("arrays in order");
        let name = self.name("steps");
        let mut body = String::new();
        let named_before = self.random.chance(40);
        if named_before {
            body.push_str("        old = x\n");
        }
        for _ in 0..self.random.between(1, 4) {
            let line = self.array_step(named_before);
            match self.random.below(8) {
                0 => {
                    body.push_str(&format!("        if mod(k, 2) == 0\n            {line}\n        endif\n"))
                }
                _ => body.push_str(&format!("        {line}\n")),
            }
        }
        if self.random.chance(50) {
            body.push_str("        out[mod(k, 3), :] = x\n");
        }
        if self.random.chance(30) {
            body.push_str("        if x[0] > 9\n            break\n        endif\n");
        }
        let (head, tail) = match self.random.below(4) {
            0 => ("k = 0\n    while k < n && x[0] < 12", "        k += 1\n    endwhile"),
            _ => ("for k = 0..n-1", "    endfor"),
        };
        let start = ["x0", "copy(x0)", "zeros(numel(x0))", "out[0, :]"];
        let start = start[self.random.below(4)];
        let second = ["x0", "x", "2 * x0"][self.random.below(3)];
        let end = ["", "    x[0] = 77\n", "    y[0] = 55\n"][self.random.below(3)];
        self.define(&format!(
            "function [x : vec, y : vec] = {name}(x0 : vec, a : mat, out : mat, n : int)\n    x = {start}\n    y = {second}\n    \
             t = 0.0\n    {head}\n{body}{tail}\n{end}endfunction"
        ));
        let n = self.random.between(1, 9);
        let x0 = self.filled(&format!("zeros({n})"), Kind::Float);
        let side = if self.random.chance(6) { n + 1 } else { n };
        let a = self.filled(&format!("zeros({n}, {side})"), Kind::Float);
        let out = self.filled(&format!("zeros(3, {n})"), Kind::Float);
        let steps = self.random.between(0, 4);
        let z = self.name("Z");
        self.open("try");
        self.line(format!("[{z}, {z}b] = {name}({x0}, {a}, {out}, {steps})"));
        self.line(format!("print {z}, {z}b, {x0}, {out}"));
        self.told();
    }

    /// A statement of an iteration. Numbers stay small integers, so that sums in any order are exact.
    fn array_step(&mut self, named_before: bool) -> String {
        let old = if named_before { "old" } else { "y" };
        match self.random.below(13) {
            0 => "x = mod(x + y, 17)".to_string(),
            1 => format!("x = mod(2 * x - {old}, 13) + k"),
            2 => "x = mod(round(transpose(a * transpose(x))), 11)".to_string(),
            3 => "y = mod(round(x * a) + y, 9)".to_string(),
            4 => "y = x".to_string(),
            5 => format!("t = round(sum(x .* {old}))"),
            6 => "x = mod(x + mod(round(t), 5) * y, 7)".to_string(),
            7 => "x[mod(k, numel(x))] = y[0] - k".to_string(),
            8 => "y[0] += 1".to_string(),
            9 => "z = mod(round(a[mod(k, size(a, 0)), :]), 8)\n        x = x + z - max(z)".to_string(),
            10 => "z = zeros(numel(x))\n        z[0..numel(x)-1] = fliplr(y)\n        x = mod(z + x, 6)"
                .to_string(),
            11 => format!("y = horzcat(x[1..numel(x)-1], {old}[0..0])"),
            _ => "x = zeros(numel(x0)) + mod(x, 4)".to_string(),
        }
    }
}
