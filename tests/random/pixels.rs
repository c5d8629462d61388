//! Functions over images in random programs: positions with a few elements, which they read one by one, in a loop along them, as small
//! vectors or by every second column, and write in the same ways; and complex numbers that loops make of themselves.

use super::{Generator, Kind};

struct Texts {
    cube: &'static str,
    mat: &'static str,
    zeros: &'static str,
    zero: &'static str,
}

impl Generator {
    /// A function over an image, called with several numbers of channels.
    pub(super) fn pixels(&mut self) {
        self.note("pixels");
        let (name, kind) = (self.name("pixels"), self.kind());
        let texts = match kind {
            Kind::Int => Texts { cube: "cube[int]", mat: "mat[int]", zeros: "zeros[int]", zero: "0" },
            Kind::Float => Texts { cube: "cube", mat: "mat", zeros: "zeros", zero: "0.0" },
        };
        let Texts { cube, mat, zeros, zero } = &texts;
        let mode = ["", "'mirror", "'clamped", "'safe"][self.random.below(4)];
        let mut code = format!("            s = {zero}\n");
        for k in 0..1 + self.random.below(3) {
            code.push_str(&self.pixel(k, if mode.is_empty() { 0 } else { 1 }));
        }
        let written = match self.random.below(4) {
            0 => "for c = 0..size(x, 2)-1\n                z[m, n, c] = x[m, n, c] - s\n            endfor"
                .to_owned(),
            1 => "z[m, n, 0] = s\n            z[m, n, size(x, 2)-1] = 2*s - 1".to_owned(),
            2 => "z[m, n, :] = s - x[m, n, :]".to_owned(),
            _ => "z[m, n, 0] += s".to_owned(),
        };
        let columns = if self.random.chance(40) {
            "    for m = 0..size(x, 0)-1\n        for n = 0..int(size(x, 1)/2)-1\n            t = y[m, 2*n] - 2*y[m, 2*n+1]\n            \
             y[m, 2*n] = y[m, 2*n+1] + 1\n            y[m, 2*n+1] = t\n        endfor\n    endfor\n"
        } else {
            ""
        };
        self.define(&format!(
            "function [y : {mat}, z : {cube}] = {name}(x : {cube}{mode})\n    y = {zeros}(size(x, 0), size(x, 1))\n    z = {zeros}(size(x))\n    \
             for m = 0..size(x, 0)-1\n        for n = 0..size(x, 1)-1\n{code}            y[m, n] = s\n            {written}\n        \
             endfor\n    endfor\n{columns}endfunction"
        ));
        for _ in 0..2 {
            let channels = [1, 2, 3, 3, 3, 4, 5][self.random.below(7)];
            let (m, n) = (self.random.between(1, 4), self.random.between(1, 75));
            let x = self.image(&format!("{zeros}({m}, {n}, {channels})"), kind);
            let (y, z) = (self.name("Y"), self.name("Z"));
            self.open("try");
            self.line(format!("[{y}, {z}] = {name}({x})"));
            self.line(format!(
                "print sum({y}), sum({y}, 0), sum({z}, 0), {z}[size({z}, 0)-1, size({z}, 1)-1, :]"
            ));
            self.told();
        }
    }

    /// Statements that add to `s` what one position has.
    fn pixel(&mut self, k: usize, around: i64) -> String {
        let (i, j) = (self.random.between(-around, around), self.random.between(-around, around));
        let (a, b) = (self.random.below(3), self.random.below(3));
        let code = match self.random.below(8) {
            0 => format!("for c = 0..size(x, 2)-1\n                s += x[m+({i}), n+({j}), c]*(c + 1)\n            endfor"),
            1 => format!("s += max(x[m, n, 0..2]) - {b}*min(x[m, n, 0..2])"),
            2 => format!("v{k} = x[m+({i}), n+({j}), 0..2]\n            s += sum(v{k} .* [1, {a}, {b}]) - v{k}[{a}]"),
            3 => format!("w{k} = [[1, {a}, 0], [0, {b}, 1], [2, 1, {a}]] * x[m, n, 0..2]\n            s -= w{k}[0] + 2*w{k}[{b}]"),
            4 => "for c = 0..size(x, 2)-1\n                if x[m, n, c] > s\n                    s = x[m, n, c]\n                endif\n            endfor"
                .to_owned(),
            5 => "s += sum(x[m, n, :])".to_owned(),
            6 => format!("s = abs(x[m, n, 0] - s) + {a}"),
            _ => format!("s += x[m+({i}), n+({j}), {a}] - {b}*x[m, n, 0]"),
        };
        format!("            {code}\n")
    }

    /// A variable with an array of these zeros, which gets small numbers.
    fn image(&mut self, zeros: &str, kind: Kind) -> String {
        let (array, m, n, c) = (self.name("X"), self.name("m"), self.name("n"), self.name("c"));
        let divisor = if kind == Kind::Int { "" } else { "/4" };
        let (p, q) = (self.random.between(1, 9), self.random.between(0, 12));
        self.line(format!("{array} = {zeros}"));
        self.open(format!("for {m} = 0..size({array}, 0)-1"));
        self.open(format!("for {n} = 0..size({array}, 1)-1"));
        self.open(format!("for {c} = 0..size({array}, 2)-1"));
        self.line(format!(
            "{array}[{m}, {n}, {c}] = (mod({p}*{n} + {q}*{m} + {n}*{c} + {c}, 13) - 5){divisor}"
        ));
        (0..3).for_each(|_| self.close("endfor"));
        array
    }

    /// A function with numbers that loops iterate; parts stay small integers, so that all ways to compute them agree.
    pub(super) fn iterated_complex(&mut self) {
        self.note("iterated complex numbers");
        let name = self.name("iterated");
        let (a, b) = (self.random.between(-2, 2), self.random.between(-2, 2));
        let constant = format!("complex({a}.0, {b}.0)");
        let mut steps = String::new();
        for _ in 0..1 + self.random.below(3) {
            let step = match self.random.below(8) {
                0 => format!("z = z*z + {constant}"),
                1 => format!("z = z^2 - w*{constant}"),
                2 => "w = conj(z)*w - z".to_owned(),
                3 => format!("z = mod(k, 2) == 0 ? z*{constant} : w - z"),
                4 => "if real(z) > imag(w)\n                    z = -z*w\n                else\n                    w = w*1i + z\n                endif"
                    .to_owned(),
                5 => "t = z\n                z = w + 1\n                w = t*z".to_owned(),
                6 => "w = w - (z*w + 2*z)".to_owned(),
                _ => "s = s + z*w\n                z = z*1i".to_owned(),
            };
            steps.push_str(&format!("                {step}\n"));
        }
        let stop = if self.random.chance(50) { "k < r && real(z)^2 + imag(z)^2 <= 60" } else { "k < r" };
        self.define(&format!(
            "function y : cmat = {name}(x : cmat, r : int)\n    y = czeros(size(x))\n    for m = 0..size(x, 0)-1\n        for n = 0..size(x, 1)-1\n            \
             z = x[m, n]\n            w = complex(n - 3.0, m)\n            s = complex(0.0, 0.0)\n            k = 0\n            while {stop}\n{steps}                \
             z = complex(mod(int(real(z)), 7) - 3.0, mod(int(imag(z)), 5) - 2.0)\n                \
             w = complex(mod(int(real(w)), 5) - 2.0, mod(int(imag(w)), 3))\n                \
             k += 1\n            endwhile\n            y[m, n] = s + 10*z + 100*w + k\n        endfor\n    endfor\nendfunction"
        ));
        let (x, m, n) = (self.name("X"), self.name("m"), self.name("n"));
        let (rows, columns) = (self.random.between(1, 3), self.random.between(1, 40));
        self.line(format!("{x} = czeros({rows}, {columns})"));
        self.open(format!("for {m} = 0..{rows}-1"));
        self.open(format!("for {n} = 0..{columns}-1"));
        self.line(format!("{x}[{m}, {n}] = complex(mod(3*{n} + {m}, 7) - 3, mod({n}*{m}, 5) - 2)"));
        (0..2).for_each(|_| self.close("endfor"));
        let y = self.name("Y");
        let times = self.random.between(0, 5);
        self.line(format!("{y} = {name}({x}, {times})"));
        self.line(format!("print sum({y}), {y}[{rows}-1, {columns}-1]"));
    }
}
