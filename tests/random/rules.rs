//! Rewrite rules and macros of random programs. Where a rule keeps the value of an expression, or the value is known, the
//! program compares both and fails if they differ.

use super::{Generator, Kind, type_name};

/// A text with something else in the place of a name.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let ends = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
    let words = text.split_inclusive(ends);
    let change = |word: &str| match word.strip_prefix(name) {
        Some(rest) if rest.is_empty() || rest.starts_with(ends) => format!("{by}{rest}"),
        _ => word.to_string(),
    };
    words.map(change).collect()
}

impl Generator {
    /// Stops the program if two expressions differ, which must not be.
    fn check_equal(&mut self, a: &str, b: &str) {
        self.open(format!("if {a} != {b}"));
        self.line("error \"a rule gives another value\"");
        self.close("endif");
    }

    /// Rules for several types, with conditions that are decided when the program runs, and a function for the rest.
    pub(super) fn conditional_rules(&mut self) {
        self.note("rule with a condition");
        let (name, kind, result) = (self.name("base"), self.kind(), self.name("t"));
        let (ty, other) = (type_name(kind), if kind == Kind::Int { "vec" } else { "int" });
        let known = [("x", kind)];
        let values: Vec<String> = (0..3).map(|_| self.closed_expr(&known, kind, 1)).collect();
        let limit = self.literal(kind);
        self.define_first(&format!(
            "function y : {ty} = __device__ {name}(x : {ty})\n    y = {}\nendfunction\n\
             reduction (x : {ty}) -> {name}(x) = {} where x > {limit}\n\
             reduction (x : {ty}) -> {name}(x) = {} where x < {limit} - 3\n\
             reduction (x : {other}) -> {name}(x) = 5",
            values[0], values[1], values[2]
        ));
        let argument = self.scalar(kind).unwrap_or_else(|| "2".into());
        self.line(format!("{result} = {name}({argument})"));
        let [rest, first, second] = [0, 1, 2].map(|k| replaced(&values[k], "x", &argument));
        let direct =
            format!("({argument} > {limit} ? {first} : {argument} < {limit} - 3 ? {second} : {rest})");
        self.check_equal(&result, &direct);
        let known = *self.random.pick(if kind == Kind::Int { &["7", "-20"] } else { &["7.5", "-20.0"] });
        self.line(format!("print {name}({known})"));
        if let Some(array) = self.some_array(Some(kind)) {
            self.note("rule in a loop");
            self.for_each_position(&array, |this, at| {
                let at = at.join(", ");
                this.line(format!("{0}[{at}] = {name}({0}[{at}])", array.name));
            });
        }
        self.bound(&result, kind);
        self.scalars.push((result, kind));
    }

    /// Rules for sums and for expressions of a variable, which keep the value.
    pub(super) fn algebraic_rule(&mut self) {
        let (name, result) = (self.name("rule"), self.name("t"));
        match self.random.below(3) {
            0 => {
                self.note("rule for a sum");
                self.define_first(&format!(
                    "function y : int = __device__ {name}(x : int)\n    y = 3*x\nendfunction\n\
                     reduction (x : int, y : int) -> {name}(x) + {name}(y) = {name}(x + y)"
                ));
                let (a, b, c) = (self.leaf(Kind::Int), self.leaf(Kind::Int), self.leaf(Kind::Int));
                self.line(format!("{result} = {name}({a}) + {c} + {name}({b})"));
                self.check_equal(&result, &format!("3*{a} + 3*{b} + {c}"));
                self.scalars.push((result, Kind::Int));
            }
            1 => {
                self.note("rule that captures an expression");
                self.define_first(&format!(
                    "reduction (f, x : scalar) -> {name}(f(x), x) = f(x + 0.5) - f(x - 0.5)"
                ));
                // Fields are no names.
                let plain =
                    self.scalars.iter().filter(|(name, kind)| *kind == Kind::Float && !name.contains('.'));
                let plain: Vec<String> = plain.map(|(name, _)| name.clone()).collect();
                let v = self.random.pick(&plain).clone();
                let factor = self.random.between(1, 3);
                self.line(format!("{result} = {name}({v}*{factor} + 1, {v})"));
                self.check_equal(&result, &format!("0.0 + {factor}"));
                self.scalars.push((result, Kind::Float));
            }
            _ => {
                self.note("local rule");
                let rule = self.name("local");
                let k = self.random.between(1, 9);
                self.define_first(&format!(
                    "function y : int = {name}(x : int)\n    y = x\nendfunction\n\
                     function y : int = {rule}(x : int, n : int)\n    k = {k}\n    y = {name}(x)\n    \
                     for j = 0..n\n        reduction (v : int) -> {name}(v) = v*k + j\n        \
                     y = y + {name}(x)\n    endfor\n    k = 100\n    f = (t : int) -> {name}(t) + k\n    y = y - f(x)\nendfunction"
                ));
                let (a, n) = (self.leaf(Kind::Int), self.random.between(0, 3));
                self.line(format!("{result} = {rule}({a}, {n})"));
                self.scalars.push((result, Kind::Int));
            }
        }
    }

    /// Rules for any number of arguments, and for those whose value they do not need.
    pub(super) fn variadic_rule(&mut self) {
        self.note("rule for any number of arguments");
        let (name, result) = (self.name("total"), self.name("t"));
        let (fold, direct) = *self.random.pick(&[("sum", "+"), ("max", "^^="), ("prod", "*")]);
        self.define_first(&format!(
            "reduction (first : int, ...others) -> {name}(first, ...others) = {fold}([first, ...others])\n\
             reduction (text : string, ...others) -> {name}(text, ...others) = numel({{...others}})"
        ));
        let values: Vec<String> = (0..1 + self.random.below(4)).map(|_| self.leaf(Kind::Int)).collect();
        self.line(format!("{result} = {name}({})", values.join(", ")));
        if direct != "^^=" {
            self.check_equal(&result, &values.join(&format!(" {direct} ")));
        }
        self.line(format!("print {name}(\"text\", {})", values.join(", ")));
        self.scalars.push((result, Kind::Int));
    }

    /// Macros that exchange, repeat, choose by a word, and give attributes.
    pub(super) fn macros(&mut self) {
        let name = self.name("macro");
        match self.random.below(4) {
            0 => {
                self.note("macro that exchanges");
                let kind = self.kind();
                let (Some(a), Some(b)) = (self.scalar(kind), self.scalar(kind)) else { return };
                self.define_first(&format!(
                    "macro [] = {name}(a, b)\n    t = a\n    a = b\n    b = t\nendmacro"
                ));
                self.line(format!("!{name} {a}, {b}"));
            }
            1 => {
                self.note("macro with a loop");
                let Some(target) = self.scalar(Kind::Int) else { return };
                let step = self.closed_expr(&[("x", Kind::Int), ("k", Kind::Int)], Kind::Int, 2);
                self.define_first(&format!(
                    "macro [] = {name}(x, times=2)\n    for k = 1..times\n        x = {step}\n    endfor\nendmacro"
                ));
                let times = if self.random.chance(50) {
                    format!(", {}", self.random.below(5))
                } else {
                    String::new()
                };
                self.line(format!("{{!{name} {target}{times}}}"));
            }
            2 => {
                self.note("macro that chooses");
                let Some(target) = self.scalar(Kind::Int) else { return };
                self.define_first(&format!(
                    "macro [] = {name}(x, kind)\n    if kind == \"fast\"\n        x = mod(x, 100)\n    \
                     elseif kind == \"slow\"\n        reduction (v : int) -> {name}_step(v) = v*2 + x\n        \
                     x = {name}_step(x) + {name}_step(1)\n    endif\nendmacro"
                ));
                let kind = *self.random.pick(&["fast", "slow", "none"]);
                self.line(format!("{{!{name} {target}, \"{kind}\"}}"));
            }
            _ => {
                self.note("macro of attributes");
                let how = *self.random.pick(&["{!parallel for}", "{!serial for}", "{!unroll times=2}"]);
                self.define_first(&format!(
                    "macro [] = {name}(k)\n    if k > 3\n        {how}\n    endif\nendmacro"
                ));
                let output = self.output(Kind::Int, &[5]);
                let choice = self.random.between(1, 6);
                self.line(format!("{{!{name} {choice}}}"));
                let k = self.name("k");
                self.open(format!("for {k} = 0..4"));
                self.line(format!("{}[{k}] = 2*{k}*{k}", output.name));
                self.close("endfor");
                self.arrays.push(output);
            }
        }
    }
}
