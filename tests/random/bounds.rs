//! Loops of random programs whose bounds are elements and variables that their bodies change: a loop keeps to the bounds that it had
//! when it began.

use super::Generator;

/// Bounds of loops, and what statements add: all between 0 and `n-1` at any time.
const BOUNDS: &[&str] = &[
    "r[0]",
    "r[1]",
    "r[w]",
    "y[0]",
    "b",
    "c",
    "r[0]",
    "floor(r[1]/2)",
    "min(r[0], b)",
    "max(b, y[1])",
    "max(r)",
    "min(y)",
];

/// Statements of a body over `J` with the bound `B`, which leave all elements and variables between 0 and `n-1`.
const STATEMENTS: &[&str] = &[
    "y[J] = mod(y[J] + 3, n)",
    "y[J] = mod(y[J] + r[w], n)",
    "y[J] = mod(J + B, n)",
    "r[0] = mod(r[0] + 1, n)",
    "r[0] = max(r[0] - 1, 0)",
    "r[1] = J",
    "r[J] = mod(r[J] + y[J], n)",
    "r[w] = B",
    "y[0] = mod(y[0] + J, n)",
    "b = mod(b + 1, n)",
    "b = max(b - 2, 0)",
    "c = B",
    "s += y[J]",
    "s = mod(s + r[0]*(J + 1), 1000)",
    "s = mod(s + B, 100)",
];

impl Generator {
    fn changed_bound(&mut self) -> &'static str {
        self.random.pick::<&str>(BOUNDS)
    }

    /// Statements of a loop, perhaps with a loop inside.
    fn changing(&mut self, j: &str, depth: usize, indent: &str) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(3) {
            let bound = self.changed_bound();
            let statement = self.random.pick(STATEMENTS).replace('B', bound).replace('J', j);
            match self.random.below(8) {
                0 => {
                    text += &format!(
                        "{indent}if y[{j}] > {}\n{indent}    {statement}\n{indent}endif\n",
                        self.random.below(5)
                    )
                }
                1 => {
                    text += &format!(
                        "{indent}if {j} == {bound}\n{indent}    break\n{indent}endif\n{indent}{statement}\n"
                    )
                }
                _ => text += &format!("{indent}{statement}\n"),
            }
        }
        if depth > 0 {
            text += &self.loop_with_bounds(depth - 1, indent);
        }
        text
    }

    fn loop_with_bounds(&mut self, depth: usize, indent: &str) -> String {
        let j = self.name("j");
        let (low, high) = (self.changed_bound(), self.changed_bound());
        let range = match self.random.below(7) {
            0 => format!("{low}..{high}"),
            1 => format!("{high}..-1..{low}"),
            2 => format!("{low}..2..n-1"),
            3 => format!("{low}..n-1"),
            4 => "0..n-1".to_string(),
            _ => format!("0..{high}"),
        };
        let body = self.changing(&j, depth, &format!("{indent}    "));
        format!("{indent}for {j} = {range}\n{body}{indent}endfor\n")
    }

    /// A function of loops, or of nests of up to three, that change their bounds.
    pub(super) fn loop_that_changes_bounds(&mut self) {
        self.note("loop that changes its bounds");
        let name = self.name("bounds");
        let n = *self.random.pick(&[3, 5, 9, 20, 40]);
        let mut loops = String::new();
        for _ in 0..1 + self.random.below(2) {
            let depth = self.random.below(if n > 9 { 2 } else { 3 });
            loops += &self.loop_with_bounds(depth, "    ");
        }
        let kind = if self.random.chance(30) { "ivec" } else { "vec" };
        let (b, c) = (self.random.below(3), self.random.below(8));
        self.define(&format!(
            "function [] = {name}(y : {kind}, r : {kind}, w : int)\n    n = numel(y)\n    s = 0\n    b = {b}\n    c = mod({c}, n)\n{loops}    \
             print s, \" \", b, \" \", c\n    print y\n    print r\nendfunction"
        ));
        let (y, r, w) = (self.name("y"), self.name("r"), self.random.below(3));
        let integers = if kind == "ivec" { "int" } else { "" };
        let (first, second) = (self.random.below(7), self.random.below(7));
        self.line(format!("{y} = {integers}(mod((1..{n})*{first}, {n}))"));
        match self.random.below(4) {
            0 => self.line(format!("{r} = {y}")),
            _ => self.line(format!("{r} = {integers}(mod((0..{})*{second} + {}, {n}))", n - 1, n - 1)),
        }
        self.line(format!("{name}({y}, {r}, {w})"));
    }
}
