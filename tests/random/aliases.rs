//! Arrays under two names in random programs: through calls, fields, cells, captures and other dimensions, and loops that
//! read by one name what they write by the other.

use super::orders::limited;
use super::{Generator, Kind};

/// The names of one statement.
struct Names {
    kind: Kind,
    /// `vec` or `ivec`.
    vector: &'static str,
    /// Two arrays, and what may be another name for one of them.
    a: String,
    other: String,
    b: String,
    count: i64,
}

impl Generator {
    pub(super) fn aliases(&mut self) {
        self.note("array under two names");
        let kind = self.kind();
        let vector = if kind == Kind::Int { "ivec" } else { "vec" };
        let count = self.random.between(3, 9);
        let (a, other, b) = (self.name("a"), self.name("a"), self.name("b"));
        for name in [&a, &other] {
            let list = self.list_of(kind, count as usize);
            self.line(format!("{name} : {vector} = [{list}]"));
        }
        let names = Names { kind, vector, a, other, b, count };
        self.second_name(&names);
        let rounds = if self.random.chance(30) { 2 } else { 1 };
        for _ in 0..rounds {
            if self.random.chance(45) {
                self.loop_in_function(&names);
            } else {
                let (a, b) = (names.a.clone(), names.b.clone());
                let text = self.loop_over(&names, &a, &b);
                text.lines().for_each(|line| self.line(line));
            }
        }
        self.line(format!("print {}, {}, {}", names.a, names.other, names.b));
    }

    /// Sets `b` to what may be `a` or the other array, or neither.
    fn second_name(&mut self, names: &Names) {
        let Names { vector, a, other, b, count, .. } = names;
        let (f, g, c) = (self.name("same"), self.name("again"), self.name("c"));
        let at = self.random.below(2);
        match self.random.below(14) {
            0 => {
                self.define(&format!(
                    "function y : {vector} = {f}(x : {vector})\n    x[0] = 1\n    y = x\nendfunction"
                ));
                self.line(format!("{b} = {f}({a})"));
            }
            1 => {
                self.define(&format!("function y = {f}(x)\n    t = x\n    y = t\nendfunction"));
                self.define(&format!("function y = {g}(x)\n    y = {f}({f}(x))\nendfunction"));
                self.line(format!("{b} = {g}({a})"));
            }
            2 => {
                self.define(&format!(
                    "function y : {vector} = {f}(x : {vector}, z : {vector}, k : int)\n    if k > 0\n        y = x\n    \
                     else\n        y = z\n    endif\nendfunction"
                ));
                self.line(format!("{b} = {f}({a}, {other}, {at})"));
            }
            3 => {
                self.define(&format!(
                    "function [p : {vector}, q : {vector}] = {f}(x : {vector}, z : {vector})\n    p = z\n    q = x\nendfunction"
                ));
                self.line(format!("[_, {b}] = {f}({a}, {other})"));
            }
            4 => {
                self.line(format!("{f} = () -> {a}"));
                self.line(format!("{b} = {f}()"));
            }
            5 => {
                self.line(format!("{f} = x -> x"));
                self.line(format!("{g} = x -> {f}(x)"));
                self.line(format!("{b} = {g}({a})"));
            }
            6 => {
                self.define_first(&format!("type {f} : mutable class\n    data : {vector}\nendtype"));
                self.define(&format!("function y : {vector} = {g}(h : {f})\n    y = h.data\nendfunction"));
                self.line(format!("{c} = {f}(data:={})", if at == 0 { a } else { other }));
                match self.random.below(3) {
                    0 => self.line(format!("{b} = {c}.data")),
                    1 => self.line(format!("{b} = {g}({c})")),
                    _ => {
                        self.line(format!("{c}.data = {a}"));
                        self.line(format!("{b} = {c}.data"));
                    }
                }
            }
            7 => {
                self.line(format!("{c} : vec[{vector}] = {{{a}, {other}}}"));
                self.line(format!("{b} = {c}[{at}]"));
            }
            8 => {
                self.line(format!("{c} : vec[{vector}] = {{{other}, {other}}}"));
                self.line(format!("{f} : vec[vec[{vector}]] = {{{c}, {{{a}, {a}}}}}"));
                self.line(format!("{b} = {f}[1][{at}]"));
            }
            9 => {
                self.define(&format!(
                    "function y : {vector} = {f}(x : {vector}, k : int)\n    if k == 0\n        y = x\n    else\n        \
                     y = {f}(x, k - 1)\n    endif\nendfunction"
                ));
                self.line(format!("{b} = {f}({a}, {})", 2 + at));
            }
            10 => self.line(format!("{b} = reshape({a}, {count})")),
            11 => self.line(format!("{b} = copy({a})")),
            12 => {
                self.define(&format!(
                    "function [p : {vector}, q : {vector}] = {f}(n : int)\n    p = {vector}(n)\n    q = p\nendfunction"
                ));
                self.line(format!("[{a}, {b}] = {f}({count})"));
            }
            _ => self.line(format!("{b} = {other}")),
        }
    }

    /// A loop in a function of two parameters, which is called once or twice.
    fn loop_in_function(&mut self, names: &Names) {
        let Names { vector, a, other, b, .. } = names;
        let work = self.name("work");
        let text: String =
            self.loop_over(names, "p", "q").lines().map(|line| format!("    {line}\n")).collect();
        self.define(&format!("function [] = {work}(p : {vector}, q : {vector})\n{text}endfunction"));
        let pairs = [(a, b), (b, a), (a, a), (a, other), (other, b)];
        for _ in 0..1 + self.random.below(2) {
            let (p, q) = *self.random.pick(&pairs);
            self.line(format!("{work}({p}, {q})"));
        }
    }

    /// A loop that writes to `p` and reads from `q`, or writes to both.
    fn loop_over(&mut self, names: &Names, p: &str, q: &str) -> String {
        let (kind, last) = (names.kind, names.count - 1);
        let (k, t) = (self.name("k"), self.name("t"));
        let amount = self.literal(kind);
        let value = |text: String| limited(kind, &text);
        match self.random.below(10) {
            0 => format!(
                "for {k} = 1..{last}\n    {p}[{k}] = {}\nendfor",
                value(format!("{q}[{k} - 1] + {amount}"))
            ),
            1 => format!(
                "for {k} = {}..-1..0\n    {p}[{k}] = {}\nendfor",
                last - 1,
                value(format!("{q}[{k} + 1] - {amount}"))
            ),
            2 => format!(
                "for {k} = 1..{}\n    {p}[{k}] = {}\nendfor",
                last - 1,
                value(format!("{q}[{k} - 1] + {p}[{k}] - {q}[{k} + 1]"))
            ),
            3 => format!(
                "for {k} = 0..{last}\n    {p}[{k}] = {}\n    {q}[{last} - {k}] = {}\nendfor",
                value(format!("{p}[{k}] + {amount}")),
                value(format!("{q}[{k}] - {amount}"))
            ),
            4 => format!(
                "for {k} = 0..{last}\n    {p}[{k}] = {amount}\n    {t} = {q}[{k}]\n    {p}[{k}] = {}\nendfor",
                value(format!("{t} + {q}[{last} - {k}]"))
            ),
            5 => format!(
                "for {k} = 0..{last}\n    {p}[{k}] = {}\nendfor",
                value(format!("2 * {q}[{k}] + {amount}"))
            ),
            6 => format!(
                "for {k} = 0..{last}\n    {p}[{k}] = {}\nendfor",
                value(format!("{q}[{last} - {k}] + {amount}"))
            ),
            7 => format!("{p}[1..{last}] = {q}[0..{}]", last - 1),
            8 => format!(
                "{k} = 1\nwhile {k} <= {last}\n    {p}[{k}] = {}\n    {k} += 1\nendwhile",
                value(format!("{q}[{k} - 1] + {amount}"))
            ),
            _ => format!(
                "{t} = {}\nfor {k} = 1..{last}\n    {t} = {}\n    {p}[{k}] = {t}\nendfor",
                if kind == Kind::Int { "0" } else { "0.0" },
                value(format!("{t} + {q}[{k} - 1]"))
            ),
        }
    }
}
