//! `match` of random programs with many arms: numbers, lists of patterns, strings, enums, conditions, one inside of another.

use super::{Counter, Generator, Kind};

/// Texts that are matched; one begins another, and two differ by letter case.
const TEXTS: [&str; 10] = ["", "a", "ab", "abc", "Ab", "on", "off", "on ", "-1", "ä"];

impl Generator {
    /// The body of an arm: a value for `target`, or a block with a branch or another `match` in it.
    fn arm(&mut self, pattern: &str, target: &str, depth: usize) {
        match self.random.below(6) {
            0 if depth < 2 => {
                self.line(format!("| {pattern} ->"));
                self.indent += 1;
                self.many_arms(target, depth + 1);
                self.indent -= 1;
            }
            1 => {
                let (condition, value) = (self.condition(1), self.expr(Kind::Int, 1));
                self.line(format!("| {pattern} ->"));
                self.indent += 1;
                self.open(format!("if {condition}"));
                self.line(format!("{target} += {value}"));
                self.close("endif");
                self.line(format!("{target} ^^= 1000"));
                self.indent -= 1;
            }
            _ => {
                let (op, value) = (*self.random.pick(&["=", "+=", "-="]), self.expr(Kind::Int, 1));
                self.line(format!("| {pattern} -> {target} {op} {value}"));
            }
        }
    }

    /// A number or a list of some, the same one more than once at times.
    fn int_pattern(&mut self, k: i64) -> String {
        match self.random.below(8) {
            0 => format!("({k}, {}, {})", k + 1, self.random.between(-3, 40)),
            1 => format!("({k} + 0)"),
            2 => format!("(-{}, {k})", k + 1),
            3 => format!("{k}.0"),
            4 => {
                let name = self.leaf(Kind::Int);
                format!("({k}, {name})")
            }
            _ => k.to_string(),
        }
    }

    /// A `match` with up to 24 arms over a small number.
    fn many_arms(&mut self, target: &str, depth: usize) {
        let count = if depth == 0 { self.random.between(4, 24) } else { self.random.between(1, 4) };
        let subject = self.expr(Kind::Int, 1);
        let base = self.random.between(-3, 3).max(0);
        self.open(format!("match mod({subject}, {}) with", count + 2));
        self.indent -= 1;
        for k in base..count {
            let pattern = self.int_pattern(k);
            self.arm(&pattern, target, depth);
        }
        if self.random.chance(60) {
            self.arm("_", target, depth);
        }
        self.line("endmatch");
    }

    pub(super) fn match_of_numbers(&mut self) {
        self.note("match with many arms");
        let (target, k) = (self.name("t"), self.name("k"));
        let (start, last) = (self.leaf(Kind::Int), self.random.between(1, 6));
        self.line(format!("{target} = {start} + 0"));
        self.open(format!("for {k} = 0..{last}"));
        self.counters.push(Counter { name: k, low: 0, high: last });
        self.scalars.push((target.clone(), Kind::Int));
        self.many_arms(&target, 0);
        self.counters.pop();
        self.close("endfor");
    }

    /// A function from text to number, called for texts that fit and others, by a loop over a cell.
    pub(super) fn match_of_texts(&mut self) {
        self.note("match of texts");
        let (name, word, total) = (self.name("worth"), self.name("e"), self.name("t"));
        let known = [("k", Kind::Int)];
        let count = 2 + self.random.below(7);
        let arms: String = (0..count)
            .map(|_| {
                let value = self.closed_expr(&known, Kind::Int, 1);
                let (a, b) = (*self.random.pick(&TEXTS), *self.random.pick(&TEXTS));
                match self.random.below(4) {
                    0 => format!("    | (\"{a}\", \"{b}\") -> r += {value}\n"),
                    1 => format!("    | \"{a}\" + \"{b}\" -> r -= {value}\n"),
                    _ => format!("    | \"{a}\" -> r = {value}\n"),
                }
            })
            .collect();
        let otherwise = if self.random.chance(50) { "    | _ -> r = -1\n" } else { "" };
        self.define(&format!(
            "function r : int = {name}(text : string, k : int)\n    r = 0\n    match text with\n{arms}{otherwise}    \
             endmatch\nendfunction"
        ));
        let words: Vec<String> = (0..4).map(|_| format!("\"{}\"", self.random.pick(&TEXTS))).collect();
        let argument = self.leaf(Kind::Int);
        self.line(format!("{total} = 0"));
        self.open(format!("for {word} = {{{}}}", words.join(", ")));
        self.line(format!("{total} = 3*{total} + {name}({word}, {argument})"));
        self.close("endfor");
        self.line(format!("print {name}({} + {}, 2)", words[0], words[1]));
        self.scalars.push((total, Kind::Int));
    }

    /// An enum of many members, matched in a loop on the host or in a kernel, inside of it a number.
    pub(super) fn match_of_members(&mut self) {
        self.note("match of many members");
        let (ty, worth) = (self.name("Tone"), self.name("worth"));
        let count = self.random.between(5, 24);
        let members: String = (0..count).map(|k| format!("    {ty}m{k}\n")).collect();
        self.define(&format!("type {ty} : enum\n{members}endtype"));
        let known = [("k", Kind::Int)];
        let mut arms = String::new();
        for k in 0..count {
            let (a, b) = (self.closed_expr(&known, Kind::Int, 1), self.closed_expr(&known, Kind::Int, 1));
            let other = self.random.between(0, count - 1);
            arms += &match self.random.below(6) {
                0 => format!("    | ({ty}m{k}, {ty}m{other}) -> r += {a}\n"),
                1 => format!(
                    "    | {ty}m{k} ->\n        match mod(k, 3) with\n        | 0 -> r = {a}\n        | 1 -> r = {b}\n        \
                     endmatch\n"
                ),
                2 => String::new(),
                _ => format!("    | {ty}m{k} -> r = {a}\n"),
            };
        }
        let device = if self.random.chance(60) { "__device__ " } else { "" };
        self.define(&format!(
            "function r : int = {device}{worth}(m : {ty}, k : int)\n    r = 5\n    match m with\n{arms}    | _ -> r = -k\n    \
             endmatch\nendfunction"
        ));
        let (total, some) = (self.name("t"), self.random.between(0, count - 1));
        let argument = self.leaf(Kind::Int);
        self.line(format!("{total} = {worth}({ty}.{ty}m{some}, {argument}) - {worth}({ty}.{ty}m0, 1)"));
        if !device.is_empty() {
            let (kernel, n) = (self.name("tones"), self.random.between(1, 9));
            self.define(&format!(
                "function [] = __kernel__ {kernel}(dst : ivec, m : {ty}, pos : int)\n    own = m\n    \
                 if mod(pos, 2) == 1\n        own = {ty}.{ty}m{}\n    endif\n    \
                 dst[pos] = {worth}(own, pos)\nendfunction",
                count - 1
            ));
            let dst = self.output(Kind::Int, &[n]);
            self.line(format!("parallel_do({n}, {}, {ty}.{ty}m{some}, {kernel})", dst.name));
            self.arrays.push(dst);
        }
        self.scalars.push((total, Kind::Int));
    }

    /// Conditions as patterns, of which the first that holds is taken; exact floats.
    pub(super) fn match_of_conditions(&mut self) {
        self.note("match of conditions");
        let target = self.name("t");
        self.line(format!("{target} = 0"));
        self.scalars.push((target.clone(), Kind::Int));
        self.line("match true with");
        for _ in 0..2 + self.random.below(5) {
            let condition = self.condition(2);
            self.arm(&format!("({condition})"), &target, 1);
        }
        self.line("endmatch");
        let subject = self.expr(Kind::Float, 1);
        self.line(format!("match floor({subject})/4 with"));
        for _ in 0..2 + self.random.below(6) {
            let pattern = self.literal(Kind::Float);
            self.arm(&pattern, &target, 1);
        }
        self.line("endmatch");
    }
}
