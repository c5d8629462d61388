//! Control flow of random programs: jumps out of labelled loops, errors that are caught, enums.

use super::{Counter, Generator, Kind};

impl Generator {
    /// Jumps out of, and to the next round of, an outer loop.
    pub(super) fn labelled_loops(&mut self) {
        let Some(target) = self.scalar(Kind::Int) else { return };
        self.note("labelled loops");
        let (label, m, n) = (self.name("outer"), self.name("k"), self.name("k"));
        self.line(format!("{label}:"));
        self.open(format!("for {m} = 0..4"));
        self.open(format!("for {n} = 0..3"));
        let depth = self.counters.len();
        self.counters.push(Counter { name: m, low: 0, high: 4 });
        self.counters.push(Counter { name: n, low: 0, high: 3 });
        for word in ["continue", "break"] {
            let condition = self.condition(1);
            self.open(format!("if {condition}"));
            self.line(format!("{word} {label}"));
            self.close("endif");
        }
        let value = self.expr(Kind::Int, 2);
        self.line(format!("{target} += {value}"));
        self.counters.truncate(depth);
        self.close("endfor");
        self.close("endfor");
    }

    /// A search that leaves two loops, of which the outer one counts by itself.
    pub(super) fn labelled_search(&mut self) {
        self.note("labelled search");
        let (label, found, count, k) =
            (self.name("scan"), self.name("found"), self.name("count"), self.name("k"));
        let repeat = self.random.chance(50);
        self.line(format!("{found} = -1"));
        self.line(format!("{count} = 0"));
        self.line(format!("{label}:"));
        let last = self.random.between(3, 20);
        self.open(if repeat { "repeat".to_string() } else { format!("while {count} < {last}") });
        self.line(format!("{count} += 1"));
        self.open(format!("for {k} = 0..3"));
        let depth = self.counters.len();
        self.counters.push(Counter { name: k.clone(), low: 0, high: 3 });
        self.counters.push(Counter { name: count.clone(), low: 1, high: 20 });
        let (value, condition) = (self.expr(Kind::Int, 2), self.condition(1));
        self.counters.truncate(depth);
        self.open(format!("if mod({value}, 7) == 3"));
        self.line(format!("{found} = 10*{count} + {k}"));
        self.line(format!("break {label}"));
        self.close("endif");
        self.open(format!("if {condition}"));
        self.line(format!("continue {label}"));
        self.close("endif");
        self.line(format!("{found} -= 1"));
        self.close("endfor");
        self.close(&if repeat { format!("until {count} >= {last}") } else { "endwhile".to_string() });
        self.scalars.extend([(found, Kind::Int), (count, Kind::Int)]);
    }

    /// Errors of several classes, told apart, from a function or a kernel.
    pub(super) fn caught_errors(&mut self) {
        let (risky, total, k) = (self.name("risky"), self.name("total"), self.name("k"));
        self.define(&format!(
            "function r : int = {risky}(k : int, a : int)\n    x = zeros(4)\n    r = 0\n    match mod(k, 5) with\n    \
             | 0 -> error \"stop \", a\n    | 1 -> x[a] = 1\n    | 2 ->\n        small : uint8 = 100*a\n        \
             r = int(small)\n    | 3 -> assert(a < 4, \"at most three\")\n    | _ -> r = a\n    endmatch\n    \
             r += 1\nendfunction"
        ));
        self.note("errors of several classes");
        self.line(format!("{total} = 0"));
        let last = self.random.between(4, 9);
        self.open(format!("for {k} = 0..{last}"));
        self.open("try");
        self.counters.push(Counter { name: k.clone(), low: 0, high: last });
        let argument = self.expr(Kind::Int, 2);
        let condition = self.condition(1);
        self.counters.pop();
        if self.random.chance(50) {
            let word = *self.random.pick(&["break", "continue"]);
            self.open(format!("if {condition} && {k} > 2"));
            self.line(word);
            self.close("endif");
        }
        self.line(format!("{total} += {risky}({k}, mod({argument}, 9))"));
        for class in ["qindexexception", "quserexception"] {
            if self.random.chance(60) {
                self.close(&format!("catch ex : {class}"));
                self.indent += 1;
                self.line(format!("print \"{class} \", ex.message"));
                self.line(format!("{total} -= {k}"));
            }
        }
        self.close("catch ex");
        self.indent += 1;
        self.line("print ex.message");
        self.close("endtry");
        self.close("endfor");
        self.scalars.push((total, Kind::Int));
        if self.random.chance(40) {
            self.kernel_error();
        }
    }

    /// A kernel that fails at one position, or at none.
    fn kernel_error(&mut self) {
        self.note("error in a kernel");
        let (name, n) = (self.name("fails"), self.random.between(1, 6));
        self.define(&format!(
            "function [] = __kernel__ {name}(x : ivec, bad : int, pos : int)\n    if pos == bad\n        \
             error \"position \", pos\n    endif\n    x[pos] = pos\nendfunction"
        ));
        let bad = self.leaf(Kind::Int);
        self.open("try");
        self.line(format!("parallel_do({n}, zeros[int]({n}), mod({bad}, 8), {name})"));
        self.line("print \"no error\"");
        self.close("catch ex");
        self.indent += 1;
        self.line("print ex.message");
        self.close("endtry");
    }

    /// An enum: chosen, matched in host and device code, compared and printed.
    pub(super) fn enumeration(&mut self) {
        self.note("enum");
        let (ty, worth, e, total) = (self.name("Mode"), self.name("worth"), self.name("e"), self.name("t"));
        let second = self.random.between(1, 9);
        self.define(&format!("type {ty} : enum\n    Slow\n    Even = {second}\n    Fast\nendtype"));
        let known = [("k", Kind::Int)];
        let values: Vec<String> = (0..3).map(|_| self.closed_expr(&known, Kind::Int, 2)).collect();
        self.define(&format!(
            "function r : int = __device__ {worth}(m : {ty}, k : int)\n    r = 0\n    match m with\n    \
             | Slow -> r = {}\n    | (Even, Fast) -> r = {}\n    endmatch\n    if m == {ty}.Fast\n        \
             r += {}\n    endif\nendfunction",
            values[0], values[1], values[2]
        ));
        let (condition, member) = (self.condition(1), *self.random.pick(&["Slow", "Even", "Fast"]));
        self.line(format!("{e} = {ty}.{member}"));
        self.open(format!("if {condition}"));
        self.line(format!("{e} = {ty}.Fast"));
        self.close("endif");
        let argument = self.leaf(Kind::Int);
        self.line(format!("{total} = {worth}({e}, {argument})"));
        self.open(format!("match {e} with"));
        self.line(format!("| Slow -> {total} += 1"));
        self.line(format!("| _ -> {total} += int({e})"));
        self.close("endmatch");
        self.line(format!("print {e}, \" \", {e} == {ty}.Even, {e} == {second}, \" \", int({e})"));
        self.scalars.push((total, Kind::Int));
        if self.random.chance(50) {
            self.enum_in_kernel(&ty, &worth, &e);
        }
    }

    fn enum_in_kernel(&mut self, ty: &str, worth: &str, e: &str) {
        self.note("enum in a kernel");
        let (kernel, n) = (self.name("sorted"), self.random.between(1, 9));
        self.define(&format!(
            "function [] = __kernel__ {kernel}(dst : ivec, m : {ty}, pos : int)\n    own = m\n    \
             if mod(pos, 3) == 1\n        own = {ty}.Slow\n    endif\n    match own with\n    \
             | Slow -> dst[pos] = pos\n    | Even -> dst[pos] = {worth}(own, pos)\n    \
             | _ -> dst[pos] = int(own) - pos\n    endmatch\nendfunction"
        ));
        let dst = self.output(Kind::Int, &[n]);
        self.line(format!("parallel_do({n}, {}, {e}, {kernel})", dst.name));
        self.arrays.push(dst);
    }
}
