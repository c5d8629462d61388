//! Chains of array statements in functions of random programs, whose arrays share elements, sizes or nothing: values that later
//! statements read, parts of arrays that are assigned one after the other, sums between them, tests of sizes, branches, a
//! `try` around. Such statements are launches that may become one.

use super::orders::limited;
use super::{Generator, Kind};

/// What the statements of a chain may use.
struct Chain {
    kind: Kind,
    matrix: bool,
    /// Arrays with the sizes of the parameters.
    arrays: Vec<String>,
    /// Variables that hold numbers.
    numbers: Vec<String>,
    names: usize,
}

impl Chain {
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// A part of an array: `n` is half of the last extent, `w` a number.
    fn part(&self, array: &str, range: &str) -> String {
        if self.matrix { format!("{array}[:, {range}]") } else { format!("{array}[{range}]") }
    }
}

impl Generator {
    /// A function of several array statements, called with different arrays, with one twice, with sizes that differ.
    pub(super) fn chain_of_arrays(&mut self) {
        self.note("chain of arrays");
        let (name, kind) = (self.name("chain"), self.kind());
        let mut chain =
            Chain { kind, matrix: self.random.chance(50), arrays: vec![], numbers: vec![], names: 0 };
        chain.arrays.extend(["a", "b", "c"].map(String::from));
        chain.numbers.push("w".into());
        let count = 3 + self.random.below(6);
        let mut body = String::new();
        for _ in 0..count {
            for line in self.chain_statement(&mut chain, 1).lines() {
                body.push_str(&format!("    {line}\n"));
            }
        }
        let (array, number) = match kind {
            Kind::Int => (if chain.matrix { "imat" } else { "ivec" }, "int"),
            Kind::Float => (if chain.matrix { "mat" } else { "vec" }, "scalar"),
        };
        let axis = usize::from(chain.matrix);
        self.define(&format!(
            "function [] = {name}(a : {array}, b : {array}, c : {array}, w : int, f : {number})\n    n = int(size(a, {axis})/2)\n{body}    \
             print {}, {}\nendfunction",
            chain.arrays.join(", "),
            chain.numbers.join(", ")
        ));
        self.call_chain(&name, &chain);
    }

    fn call_chain(&mut self, name: &str, chain: &Chain) {
        let (rows, cols) = (self.random.between(1, 5), self.random.between(1, 24));
        let maker = if chain.kind == Kind::Int { "zeros[int]" } else { "zeros" };
        let divisor = if chain.kind == Kind::Int { "" } else { "/4" };
        let mut arrays: Vec<String> = Vec::new();
        for _ in 0..3 {
            let array = self.name("C");
            let cols = if self.random.chance(6) { cols + 1 } else { cols };
            let (p, r, k) = (self.random.between(1, 7), self.random.between(-4, 4), self.name("k"));
            if chain.matrix {
                let m = self.name("m");
                self.line(format!("{array} = {maker}({rows}, {cols})"));
                self.open(format!("for {m} = 0..{}", rows - 1));
                self.open(format!("for {k} = 0..{}", cols - 1));
                self.line(format!("{array}[{m}, {k}] = (mod({p}*{k} + {m}, 13) + {r}){divisor}"));
                self.close("endfor");
                self.close("endfor");
            } else {
                self.line(format!("{array} = {maker}({cols})"));
                self.open(format!("for {k} = 0..{}", cols - 1));
                self.line(format!("{array}[{k}] = (mod({p}*{k}, 13) + {r}){divisor}"));
                self.close("endfor");
            }
            if !arrays.is_empty() && self.random.chance(15) {
                self.note("chain over one array twice");
                let twice = self.random.pick(&arrays).clone();
                arrays.push(twice);
            } else {
                arrays.push(array);
            }
        }
        let (w, f) = (self.random.between(0, cols), self.literal(chain.kind));
        self.open("try");
        self.line(format!("{name}({}, {w}, {f})", arrays.join(", ")));
        self.close("catch ex");
        self.indent += 1;
        self.line("print \"caught\"");
        self.close("endtry");
        self.line(format!("print {}", arrays.join(", ")));
    }

    /// A value of the size of the arrays.
    fn chain_value(&mut self, chain: &Chain, depth: usize) -> String {
        if depth == 0 || self.random.chance(25) {
            return self.random.pick(&chain.arrays).clone();
        }
        let (x, y) = (self.chain_value(chain, depth - 1), self.chain_value(chain, depth - 1));
        let number = self.chain_number(chain);
        match self.random.below(7) {
            0 => format!("({x} + {y})"),
            1 => format!("({x} - {y})"),
            2 => format!("({x} .* {number})"),
            3 => format!("(max({x}, {y}) + 0)"),
            4 => format!("({x} - {number})"),
            5 => format!("abs({x})"),
            _ => format!("(min({x}, {number}) + 0)"),
        }
    }

    fn chain_number(&mut self, chain: &Chain) -> String {
        match self.random.below(3) {
            0 => "f".into(),
            1 => self.literal(chain.kind),
            _ => match self.random.pick(&chain.numbers).as_str() {
                "w" if chain.kind == Kind::Float => "f".into(),
                number => number.to_string(),
            },
        }
    }

    fn chain_statement(&mut self, chain: &mut Chain, depth: usize) -> String {
        let kind = chain.kind;
        match self.random.below(12) {
            0..=3 => {
                let value = self.chain_value(chain, 2);
                let name = match self.random.below(4) {
                    0 if chain.arrays.len() > 3 => self.random.pick(&chain.arrays[3..]).clone(),
                    _ => chain.name("t"),
                };
                if !chain.arrays.contains(&name) {
                    chain.arrays.push(name.clone());
                }
                format!("{name} = {}", limited(kind, &value))
            }
            4 | 5 => {
                self.note("chain with parts");
                let value = self.chain_value(chain, 1);
                let array = self.random.pick(&chain.arrays).clone();
                let (to, from) = *self.random.pick(&[
                    ("0..n-1", "0..n-1"),
                    ("0..n-1", "n..2*n-1"),
                    ("n..2*n-1", "0..n-1"),
                    ("0..2..2*n-1", "0..n-1"),
                    ("1..2..2*n-1", "0..n-1"),
                    ("w..w", "0..0"),
                ]);
                let whole = self.random.pick(&chain.arrays).clone();
                let target = chain.part(&array, to);
                if self.random.chance(50) {
                    let value = format!("{} + {}", chain.part(&whole, from), self.chain_number(chain));
                    return format!("{target} = {}", limited(kind, &value));
                }
                let name = chain.name("p");
                format!("{name} = {value}\n{target} = {}", limited(kind, &chain.part(&name, from)))
            }
            6 | 7 => {
                let (value, name) = (self.chain_value(chain, 1), chain.name("s"));
                let fold = *self.random.pick(&["sum", "sum", "max", "min"]);
                chain.numbers.push(name.clone());
                let count = match self.random.chance(30) {
                    true => format!("numel({})", self.random.pick(&chain.arrays)),
                    false => "0".into(),
                };
                format!("{name} = {}", limited(kind, &format!("{fold}({value}) + {count}")))
            }
            8 => {
                let (array, value) = (self.random.pick(&chain.arrays).clone(), self.chain_value(chain, 1));
                format!("{array}[{}] = {}", if chain.matrix { ":, :" } else { ":" }, limited(kind, &value))
            }
            9 if depth > 0 => {
                let (arrays, numbers) = (chain.arrays.len(), chain.numbers.len());
                let inner = self.chain_statement(chain, 0);
                let more = self.chain_statement(chain, 0);
                chain.arrays.truncate(arrays);
                chain.numbers.truncate(numbers);
                let inner = format!("{inner}\n{more}");
                let lines: Vec<String> = inner.lines().map(|line| format!("    {line}")).collect();
                let (open, close) = *self.random.pick(&[
                    ("if w > 2", "endif"),
                    ("for r = 0..2", "endfor"),
                    ("try", "catch ex\n    print \"inside\"\nendtry"),
                ]);
                format!("{open}\n{}\n{close}", lines.join("\n"))
            }
            10 => {
                let array = self.random.pick(&chain.arrays).clone();
                let name = chain.name("u");
                chain.arrays.push(name.clone());
                format!("{name} = {array}")
            }
            _ => {
                let array = self.random.pick(&chain.arrays).clone();
                format!("print {array}")
            }
        }
    }
}
