//! Contractions in functions of random programs: sums that grow by a factor of their row and one of their column, in all orders of
//! loops, as slices or numbers, with several components of the position for rows or columns, and results that callers give.

use super::{Generator, Kind};

/// The text for the element type of arrays, and their constructor.
struct Texts {
    mat: &'static str,
    cube: &'static str,
    zeros: &'static str,
    zero: &'static str,
}

impl Generator {
    /// A function that is a contraction, and calls of it.
    pub(super) fn contraction(&mut self) {
        self.note("contraction");
        let kind = self.kind();
        let texts = match kind {
            Kind::Int => Texts { mat: "mat[int]", cube: "cube[int]", zeros: "zeros[int]", zero: "0" },
            Kind::Float => Texts { mat: "mat", cube: "cube", zeros: "zeros", zero: "0.0" },
        };
        match self.random.below(6) {
            0 => self.layer(&texts, kind),
            1 => self.batch(&texts, kind),
            _ => self.product(&texts, kind),
        }
    }

    /// What the sum gets from `a` and `b`.
    fn step(&mut self, sum: &str, a: &str, b: &str) -> String {
        match self.random.below(6) {
            0 => format!("{sum} = max({sum}, {a} - {b})"),
            1 => format!("{sum} += abs({a} - {b})"),
            2 => format!("{sum} -= 2 * {a} * {b}"),
            _ => format!("{sum} += {a} * {b}"),
        }
    }

    /// Something like a product of matrices.
    fn product(&mut self, Texts { mat, zeros, zero, .. }: &Texts, kind: Kind) {
        let name = self.name("product");
        let (a, rows, inner) = match self.random.chance(70) {
            true => ("a[i, k]", "size(a, 0)", "size(a, 1)"),
            false => ("a[k, i]", "size(a, 1)", "size(a, 0)"),
        };
        let (b, cols) = match self.random.chance(70) {
            true => ("b[k, j]", "size(b, 1)"),
            false => ("b[j, k]", "size(b, 0)"),
        };
        let step = self.step("s", a, b);
        let into = self.step("c[i, j]", a, b);
        let after = ["s", "max(s, 1)", "2 * s + i", "c[i, j] + s"][self.random.below(4)];
        let nest = |order: [(&str, &str); 3], code: &str| {
            let [first, second, third] =
                order.map(|(variable, end)| format!("for {variable} = 0..{end}-1\n"));
            format!(
                "    {first}        {second}            {third}                {code}\n            endfor\n        endfor\n    endfor\n"
            )
        };
        let (i, j, k) = (("i", rows), ("j", cols), ("k", inner));
        let body = match self.random.below(7) {
            0 => nest([i, j, k], &into),
            1 => nest([i, k, j], &into),
            2 => nest([k, i, j], &into),
            3 => nest([j, k, i], &into),
            // Slices have one form only, whatever the step is.
            4 => format!(
                "    for i = 0..{rows}-1\n        for j = 0..{cols}-1\n            c[i, j] += sum({} .* {})\n        endfor\n    endfor\n",
                a.replace('k', ":"),
                b.replace('k', ":")
            ),
            5 => format!(
                "    for i = 0..{rows}-1\n        for k = 0..{inner}-1\n            c[i, :] += {a} * {}\n        endfor\n    endfor\n",
                b.replace('j', ":")
            ),
            _ => format!(
                "    for i = 0..{rows}-1\n        for j = 0..{cols}-1\n            s = {zero}\n            for k = 0..{inner}-1\n                \
                 {step}\n            endfor\n            c[i, j] = {after}\n        endfor\n    endfor\n"
            ),
        };
        let given = self.random.chance(40);
        if given {
            self.define(&format!("function [] = {name}(c : {mat}, a : {mat}, b : {mat})\n{body}endfunction"));
        } else {
            self.define(&format!(
                "function c : {mat} = {name}(a : {mat}, b : {mat})\n    c = {zeros}({rows}, {cols})\n{body}endfunction"
            ));
        }
        let [m, n] = [(); 2].map(|()| self.random.between(1, 45));
        let p = self.random.between(1, 9);
        // Now and then the factors do not fit.
        let q = if self.random.chance(5) { p + 1 } else { p };
        let (first, second) = match (a.contains("[i"), b.contains("[k")) {
            (true, true) => ((m, p), (q, n)),
            (true, false) => ((m, p), (n, q)),
            (false, true) => ((p, m), (q, n)),
            (false, false) => ((p, m), (n, q)),
        };
        let x = self.filled(&format!("{zeros}({}, {})", first.0, first.1), kind);
        let y = self.filled(&format!("{zeros}({}, {})", second.0, second.1), kind);
        let z = self.name("Z");
        self.open("try");
        if given {
            let more = i64::from(self.random.chance(10));
            // The result may be one of the factors.
            let result = if m == n && self.random.chance(30) { y.clone() } else { z };
            if result != y {
                self.line(format!("{result} = {zeros}({}, {n})", (m - more).max(1)));
            }
            self.line(format!("{name}({result}, {x}, {y})"));
            self.line(format!(
                "print {result}[0, 0], sum(sum({result}, 0)), {result}[size({result}, 0)-1, :]"
            ));
        } else {
            self.line(format!("{z} = {name}({x}, {y})"));
            self.line(format!("print {z}[0, 0], sum(sum({z}, 0)), {z}[size({z}, 0)-1, :]"));
        }
        self.told();
    }

    /// A product for each of several planes.
    fn batch(&mut self, Texts { cube, zeros, zero, .. }: &Texts, kind: Kind) {
        let name = self.name("batch");
        let step = self.step("s", "a[z, i, k]", "b[z, k, j]");
        self.define(&format!(
            "function c : {cube} = {name}(a : {cube}, b : {cube})\n    c = {zeros}(size(a, 0), size(a, 1), size(b, 2))\n    \
             for z = 0..size(a, 0)-1\n        for i = 0..size(a, 1)-1\n            for j = 0..size(b, 2)-1\n                s = {zero}\n                \
             for k = 0..size(a, 2)-1\n                    {step}\n                endfor\n                c[z, i, j] = s\n            \
             endfor\n        endfor\n    endfor\nendfunction"
        ));
        let (z, m, p, n) = (
            self.random.between(1, 3),
            self.random.between(1, 38),
            self.random.between(1, 8),
            self.random.between(1, 38),
        );
        let x = self.filled(&format!("{zeros}({z}, {m}, {p})"), kind);
        let y = self.filled(&format!("{zeros}({z}, {p}, {n})"), kind);
        self.called(&name, &format!("{x}, {y}"));
    }

    /// A layer of a convolution, with channels first or last.
    fn layer(&mut self, Texts { cube, zeros, zero, .. }: &Texts, kind: Kind) {
        let name = self.name("layer");
        let mode = ["'safe", "'mirror", "'clamped", "'circular"][self.random.below(4)];
        let first = self.random.chance(50);
        let (x, at, out) = match first {
            true => ("x[c, m+i-1, n+j-1]", "y[o, m, n]", "size(w, 0), M, N"),
            false => ("x[m+i-1, n+j-1, c]", "y[m, n, o]", "M, N, size(w, 0)"),
        };
        let sizes = if first { "[C, M, N]" } else { "[M, N, C]" };
        let w = "w[o, c, 3*i + j]";
        let step = self.step("s", w, x);
        let loops = match self.random.below(3) {
            0 => ["for c = 0..C-1", "for i = 0..2", "for j = 0..2"],
            1 => ["for i = 0..2", "for j = 0..2", "for c = 0..C-1"],
            _ => ["for i = 0..2", "for c = 0..C-1", "for j = 0..2"],
        };
        let outer = match first {
            true => ["for o = 0..size(w, 0)-1", "for m = 0..M-1", "for n = 0..N-1"],
            false => ["for m = 0..M-1", "for n = 0..N-1", "for o = 0..size(w, 0)-1"],
        };
        self.define(&format!(
            "function y : {cube} = {name}(x : {cube}{mode}, w : {cube})\n    {sizes} = size(x)\n    y = {zeros}({out})\n    {}\n        {}\n            \
             {}\n                s = {zero}\n                {}\n                    {}\n                        {}\n                            \
             {step}\n                        endfor\n                    endfor\n                endfor\n                {at} = s\n            \
             endfor\n        endfor\n    endfor\nendfunction",
            outer[0], outer[1], outer[2], loops[0], loops[1], loops[2]
        ));
        let (c, o) = (self.random.between(1, 4), self.random.between(1, 36));
        let (m, n) = (self.random.between(1, 9), self.random.between(1, 9));
        let dims = if first { [c, m, n] } else { [m, n, c] }.map(|n| n.to_string()).join(", ");
        let x = self.filled(&format!("{zeros}({dims})"), kind);
        let w = self.filled(&format!("{zeros}({o}, {c}, 9)"), kind);
        self.called(&name, &format!("{x}, {w}"));
    }

    /// A variable with an array of these zeros, which gets small numbers.
    pub(super) fn filled(&mut self, zeros: &str, kind: Kind) -> String {
        let (array, flat, k) = (self.name("X"), self.name("flat"), self.name("k"));
        let divisor = if kind == Kind::Int { "" } else { "/4" };
        let (p, q) = (self.random.between(1, 9), self.random.between(0, 12));
        self.line(format!("{array} = {zeros}"));
        self.line(format!("{flat} = reshape({array}, [numel({array})])"));
        self.open(format!("for {k} = 0..numel({flat})-1"));
        self.line(format!("{flat}[{k}] = (mod({p}*{k} + {q}, 13) - 5){divisor}"));
        self.close("endfor");
        self.line(format!("{array} = reshape({flat}, size({array}))"));
        array
    }

    fn called(&mut self, name: &str, args: &str) {
        let z = self.name("Z");
        self.open("try");
        self.line(format!("{z} = {name}({args})"));
        self.line(format!(
            "print sum({z}), sum({z}, 0), {z}[0, 0, :], {z}[size({z}, 0)-1, size({z}, 1)-1, :]"
        ));
        self.told();
    }

    /// The end of a `try` that tells of an error.
    pub(super) fn told(&mut self) {
        self.close("catch ex");
        self.indent += 1;
        self.line("print \"caught\"");
        self.close("endtry");
    }
}
