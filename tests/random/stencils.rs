//! Chains of stencils in functions of random programs: loops that read around their position what the loop before has written, with all
//! boundary modes, in functions of their own or not, between array expressions. Such launches may go strip by strip, with arrays between
//! them of which only some rows are there.

use super::{Generator, Kind};

/// The array of a step, and its boundary mode; nothing where indices are tested.
struct Step {
    name: String,
    mode: &'static str,
}

/// The modes of arrays that programs declare; none, which tests indices, twice as often as each.
const MODES: [&str; 6] = ["'mirror", "'clamped", "'safe", "'circular", "", ""];

impl Generator {
    /// A function of several stencils, which gives the last array or two.
    pub(super) fn chain_of_stencils(&mut self) {
        self.note("chain of stencils");
        let (name, kind) = (self.name("steps"), self.kind());
        let (array, zeros) = match kind {
            Kind::Int => ("mat[int]", "zeros[int]"),
            Kind::Float => ("mat", "zeros"),
        };
        let blur = self.name("blur");
        self.define(&format!(
            "function y : {array} = {blur}(x : {array}'mirror)\n    y = {zeros}(size(x, 0), size(x, 1))\n    for m = 0..size(x, 0)-1\n        \
             for n = 0..size(x, 1)-1\n            y[m, n] = x[m-1, n] - x[m+1, n+1] + x[m, n]\n        endfor\n    endfor\nendfunction"
        ));
        let mut steps = vec![Step { name: "x".into(), mode: "'clamped" }];
        let mut body = String::new();
        let count = 2 + self.random.below(4);
        for k in 0..count {
            let step = Step { name: format!("t{k}"), mode: self.mode() };
            body.push_str(&self.stencil(&steps, &step, (array, zeros), &blur));
            steps.push(step);
        }
        let last = steps.len() - 1;
        let other = if self.random.chance(30) { 1 + self.random.below(last) } else { last };
        self.define(&format!(
            "function [y : {array}, z : {array}] = {name}(x : {array}'clamped, u : {array}, r : int)\n    [M, N] = size(x)\n{body}    y = {}\n    \
             z = {}\nendfunction",
            steps[last].name, steps[other].name
        ));
        self.call_steps(&name, zeros, kind);
    }

    fn mode(&mut self) -> &'static str {
        MODES[self.random.below(MODES.len())]
    }

    /// The statements of a step.
    fn stencil(&mut self, steps: &[Step], step: &Step, (array, zeros): (&str, &str), blur: &str) -> String {
        let source = &steps[steps.len() - 1 - self.random.below(steps.len().min(2))];
        let again = &steps[self.random.below(steps.len())];
        let (t, mode, x) = (&step.name, step.mode, &source.name);
        let made = |rows: &str| format!("    {t} : {array}{mode} = {zeros}({rows}, N)\n");
        let [a, b, c, d] = [(); 4].map(|()| self.random.between(-2, 2));
        let near = |k: i64, mode: &str| if mode.is_empty() { 0 } else { k };
        let (a, b) = (near(a, source.mode), near(b, source.mode));
        let (c, d) = (near(c, again.mode), near(d, again.mode));
        let w = self.random.between(1, 2);
        match self.random.below(8) {
            0 => format!("    {t} : {array}{mode} = {blur}({x}) + {}\n", again.name),
            // An array of the caller, which may have other sizes.
            1 => {
                let other = if self.random.chance(50) { "u" } else { &again.name };
                format!("    {t} : {array}{mode} = {x} + {other} .* {w}\n")
            }
            // Borders stay zero.
            2 => format!(
                "{}    for m = 1..M-2\n        for n = 1..N-2\n            {t}[m, n] = {x}[m-1, n] + {x}[m+1, n] - {w} * {}[m, n-1]\n        \
                 endfor\n    endfor\n",
                made("M"),
                again.name
            ),
            // A window whose size is an argument.
            3 if !source.mode.is_empty() => format!(
                "{}    for m = 0..M-1\n        for n = 0..N-1\n            s = {x}[m, n]\n            for i = -r..r\n                \
                 s += {x}[m+i, n+({b})]\n            endfor\n            {t}[m, n] = s\n        endfor\n    endfor\n",
                made("M")
            ),
            // Every second row, each of which is there twice then.
            4 => format!(
                "    h{t} = {zeros}(int((M+1)/2), N)\n    for m = 0..int((M+1)/2)-1\n        for n = 0..N-1\n            h{t}[m, n] = \
                 {x}[min(2*m+1, M-1), n] + {x}[2*m, n]\n        endfor\n    endfor\n{}    for m = 0..M-1\n        for n = 0..N-1\n            \
                 {t}[m, n] = h{t}[int(m/2), n]\n        endfor\n    endfor\n",
                made("M")
            ),
            // An array that was there before.
            5 if steps.len() > 1 => format!(
                "    {t} : {array}{mode} = copy({x})\n    for m = 0..M-1\n        for n = 0..N-1\n            {t}[m, n] += {}[m+({c}), n+({d})]\n        \
                 endfor\n    endfor\n",
                again.name
            ),
            6 => {
                self.note("boundary by hand");
                let (row, column) = (self.by_hand("m", "M"), self.by_hand("n", "N"));
                let read = match self.random.chance(50) {
                    true => {
                        format!("            {t}[m, n] = {w} * {x}[{row}, {column}] - {}[m, n]\n", again.name)
                    }
                    false => format!(
                        "            p = {row}\n            q = {column}\n            {t}[m, n] = {x}[p, q] - {}[p, n] + {x}[m, n]\n",
                        again.name
                    ),
                };
                format!(
                    "{}    for m = 0..M-1\n        for n = 0..N-1\n{read}        endfor\n    endfor\n",
                    made("M")
                )
            }
            _ => format!(
                "{}    for m = 0..M-1\n        for n = 0..N-1\n            {t}[m, n] = {w} * {x}[m+({a}), n+({b})] - {}[m+({c}), n+({d})]\n        \
                 endfor\n    endfor\n",
                made("M"),
                again.name
            ),
        }
    }

    /// An index that stays inside of an extent, mostly as one of the boundary modes would.
    fn by_hand(&mut self, index: &str, extent: &str) -> String {
        let i = format!("{index}+({})", self.random.between(-3, 3));
        match self.random.below(9) {
            0 => format!("max(0, min({i}, {extent}-1))"),
            1 => format!("min({extent}-1, max({i}, 0))"),
            2 => format!("clamp({i}, {extent}-1)"),
            3 => format!("mod({i}, {extent})"),
            4 => format!("periodize({i}, {extent})"),
            5 => format!("mirror_ext({i}, {extent})"),
            6 => format!("max({index}-1, 0)"),
            7 => format!("min({index}+1, {extent}-1)"),
            _ => format!("max(0, min({i}, {extent}-2))"),
        }
    }

    fn call_steps(&mut self, name: &str, zeros: &str, kind: Kind) {
        let (rows, cols) = (self.random.between(1, 45), self.random.between(1, 20));
        let divisor = if kind == Kind::Int { "" } else { "/4" };
        let [x, u, y, z] = ["X", "U", "Y", "Z"].map(|stem| self.name(stem));
        let more = i64::from(self.random.chance(10));
        for (array, cols) in [(&x, cols), (&u, cols + more)] {
            let (m, k) = (self.name("m"), self.name("k"));
            self.line(format!("{array} = {zeros}({rows}, {cols})"));
            self.open(format!("for {m} = 0..{}", rows - 1));
            self.open(format!("for {k} = 0..{}", cols - 1));
            let (p, q) = (self.random.between(1, 7), self.random.between(1, 7));
            self.line(format!("{array}[{m}, {k}] = mod({p}*{k} + {q}*{m}, 13){divisor}"));
            self.close("endfor");
            self.close("endfor");
        }
        let u = if self.random.chance(15) { &x } else { &u };
        let r = self.random.between(0, 3);
        self.open("try");
        self.line(format!("[{y}, {z}] = {name}({x}, {u}, {r})"));
        self.line(format!("print {y}, sum(sum({z}, 0))"));
        self.close("catch ex");
        self.indent += 1;
        self.line("print \"caught\"");
        self.close("endtry");
    }
}
