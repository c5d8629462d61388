//! Errors of random programs that are caught where much has happened already: allocations, indices, assertions, errors, in
//! called functions and loops, one `try` inside of another. What was done before the error stays, and is looked at.

use super::{Counter, Generator, Kind};

/// Statements that fail always, without a text of their own: which bytes are free is no business of the program.
const FAULTS: [&str; 6] = [
    "HUGE = zeros(1000000, 1000000, 1000)",
    "HUGE = ones(1000000000, 1000000)",
    "HUGE = repmat([1, 2, 3], [1000000000, 1000000])",
    "assert(zeros[int](1)[0] > 2, \"assertion\")",
    "error \"error\"",
    "HUGE = [1, 2, 3][zeros[int](1)[0] - 1]",
];

impl Generator {
    /// A fault behind a condition.
    fn fault(&mut self) {
        let name = self.name("huge");
        let fault = self.random.pick(&FAULTS).replace("HUGE", &name);
        if self.random.chance(60) {
            let condition = self.condition(1);
            self.open(format!("if {condition}"));
            self.line(fault);
            self.close("endif");
        } else {
            self.line(fault);
        }
    }

    /// Statements without loops, so that it is certain what was done before an error.
    fn steps(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            match self.random.below(4) {
                0 => self.store_element(),
                1 => self.compound_scalar(),
                _ => self.assign_scalar(),
            }
        }
    }

    /// `try` with faults between steps, nested and repeated.
    pub(super) fn caught_faults(&mut self) {
        self.note("faults in try");
        let k = self.name("k");
        let last = self.random.between(0, 3);
        self.open(format!("for {k} = 0..{last}"));
        self.counters.push(Counter { name: k, low: 0, high: last });
        self.attempt(0);
        self.counters.pop();
        self.close("endfor");
    }

    fn attempt(&mut self, depth: usize) {
        self.open("try");
        self.steps();
        if depth < 2 && self.random.chance(40) {
            self.note("try in try");
            self.attempt(depth + 1);
        }
        self.fault();
        self.steps();
        if depth > 0 && self.random.chance(50) {
            let class = *self.random.pick(&["qmemoryexception", "qassertexception", "quserexception"]);
            self.close(&format!("catch ex : {class}"));
            self.indent += 1;
            self.line(format!("print \"{class}\""));
            if self.random.chance(30) {
                self.line("error \"again\"");
            }
        } else {
            self.close("catch ex");
            self.indent += 1;
            self.line("print \"caught\"");
        }
        self.steps();
        self.close("endtry");
    }

    /// A function with array parameters that fails after it changed some of them; the caller sees what was done.
    pub(super) fn faults_in_calls(&mut self) {
        let Some(array) = self.some_array(Some(Kind::Int)).filter(|array| array.dims.len() == 1) else {
            return;
        };
        self.note("fault in a called function");
        let (outer, inner, k) = (self.name("outer"), self.name("inner"), self.name("k"));
        let known = [("k", Kind::Int), ("n", Kind::Int)];
        let [a, b, c] = [(); 3].map(|()| self.closed_expr(&known, Kind::Int, 1));
        let fault = self.random.pick(&FAULTS).replace("HUGE", "huge");
        let limit = self.random.between(0, 5);
        let caught = self.random.chance(50);
        let inside = if caught {
            format!("    try\n        {inner}(a, k)\n    catch ex\n        a[mod({a}, n)] = -7\n    endtry\n")
        } else {
            format!("    {inner}(a, k)\n")
        };
        self.define(&format!(
            "function [] = {inner}(a : ivec, k : int)\n    n = numel(a)\n    a[mod({b}, n)] = {c}\n    if k > {limit}\n        \
             {fault}\n    endif\n    a[0] += 1\nendfunction\n\
             function [] = {outer}(a : ivec, k : int)\n    n = numel(a)\n    a[n - 1] = mod(a[n - 1] + k, 101)\n{inside}    \
             a[n - 1] = mod(a[n - 1] + 1, 101)\nendfunction"
        ));
        let last = self.random.between(1, 8);
        let seen = self.name("t");
        self.line(format!("{seen} = 0"));
        self.open(format!("for {k} = 0..{last}"));
        self.open("try");
        self.line(format!("{outer}({}, {k})", array.name));
        self.line(format!("{seen} += 1"));
        self.close("catch ex");
        self.indent += 1;
        self.line(format!("{seen} += 100 + {}[0]", array.name));
        self.close("endtry");
        self.close("endfor");
        self.scalars.push((seen, Kind::Int));
    }

    /// Allocations in branches that are not taken and behind conditions of loops: nobody sees them.
    pub(super) fn allocations_not_made(&mut self) {
        self.note("allocation that is not made");
        let (never, huge, k) = (self.name("never"), self.name("huge"), self.name("k"));
        self.define(&format!("function y : int = {never}(x : int)\n    y = mod(x, 7) + 20\nendfunction"));
        let (x, value) = (self.leaf(Kind::Int), self.leaf(Kind::Int));
        let total = self.name("t");
        self.line(format!("{total} = {value} + 0"));
        match self.random.below(3) {
            0 => {
                self.open(format!("if {never}({x}) < 0"));
                self.line(format!("{huge} = zeros(1000000, 1000000, 1000)"));
                self.line(format!("{total} += int({huge}[0, 0, 0])"));
                self.close("endif");
            }
            1 => {
                self.open(format!("for {k} = 0..3"));
                self.open(format!("if {never}({k}) < {k}"));
                self.line(format!("{huge} = ones(1000000, 1000000)"));
                self.line(format!("{total} += int(sum({huge}))"));
                self.close("endif");
                self.line(format!("{total} += {k}"));
                self.close("endfor");
            }
            _ => self
                .line(format!("{total} += {never}({x}) > 3 ? 1 : int(sum(zeros(1000000, 1000000, 1000)))")),
        }
        self.scalars.push((total, Kind::Int));
    }
}
