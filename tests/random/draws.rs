//! Loops of random programs that draw random numbers, in any branch, function and round, and loops over elements that they store to.
//! What is printed behind a loop tells how many numbers it has drawn.

use super::Generator;

/// Numbers between 0 and 8 that are exact.
const DRAWS: &[&str] =
    &["floor(rand()*8)", "floor(rand()*8)", "randi(7)", "(randn() > 0)", "floor(rand()*8)/2"];

impl Generator {
    fn draw(&mut self) -> &'static str {
        self.random.pick::<&str>(DRAWS)
    }

    /// A statement that draws numbers, with lines that begin with `indent`.
    fn drawing(&mut self, i: &str, depth: usize, indent: &str) -> String {
        let (draw, other) = (self.draw(), self.draw());
        let plain = ["y[k] += {}", "y[k] = {}", "s += {}", "y[int(mod({},n))] += 1", "s = s/2 + {}"];
        let pattern = *self.random.pick(&plain);
        let first = format!("{indent}{}\n", pattern.replace("{}", draw));
        if depth == 0 {
            return first;
        }
        let inner = format!("{indent}    ");
        let more = self.drawing(i, depth - 1, &inner);
        match self.random.below(9) {
            0 => format!("{indent}if {draw} > 3\n{more}{indent}else\n{inner}s -= {other}\n{indent}endif\n"),
            1 => format!("{indent}if mod({i},3) == 1\n{more}{indent}endif\n{first}"),
            2 => format!("{indent}s += {i} > 2 ? {draw} : 1\n{first}"),
            3 => format!("{indent}s += {draw} > 2 && {other} > 3\n{first}"),
            4 => format!(
                "{first}{indent}if {other} > 6\n{inner}continue\n{indent}endif\n{indent}s -= {draw}\n"
            ),
            5 => format!("{indent}while {draw} > 4\n{inner}s += 1\n{indent}endwhile\n{first}"),
            6 => {
                let j = self.name("j");
                let range = *self.random.pick(&["0..2", "0..w", "w..1", "1..w+1", "0..int(mod(k,3))"]);
                let jump = match self.random.below(4) {
                    0 => format!("{inner}if {other} > 5\n{inner}    break\n{inner}endif\n"),
                    1 => format!("{inner}if s > 40\n{inner}    s = 0\n{inner}    continue\n{inner}endif\n"),
                    _ => String::new(),
                };
                format!("{indent}for {j} = {range}\n{jump}{more}{indent}endfor\n")
            }
            7 => format!("{first}{more}"),
            _ => format!("{first}{indent}{i} = {i} + w\n{indent}y[k] += {other}\n"),
        }
    }

    /// A function that draws and is called in a loop.
    fn drawing_function(&mut self) -> String {
        let (name, draw, other) = (self.name("drawn"), self.draw(), self.draw());
        let body = match self.random.below(4) {
            0 => format!("    r = x + {draw} - {other}\n"),
            1 => format!("    r = x\n    if {draw} > 3\n        r = {other}\n    endif\n"),
            2 => format!("    r = 0.0\n    for q = 1..mod(x,5)\n        r += {draw}\n    endfor\n"),
            _ => format!("    r = {draw} > 2 ? {other} : x\n"),
        };
        self.define(&format!("function r : scalar = {name}(x : int)\n{body}endfunction"));
        name
    }

    /// A loop, or a nest of two, whose iterations draw numbers.
    pub(super) fn loop_with_draws(&mut self) {
        self.note("loop that draws random numbers");
        let (i, name) = (self.name("i"), self.name("draws"));
        let depth = self.random.below(3);
        let mut body = match self.random.below(3) {
            0 => format!("        y[k] += {}({i})\n", self.drawing_function()),
            _ => String::new(),
        };
        body += &self.drawing(&i, depth, "        ");
        let range = *self.random.pick(&["0..n-1", "0..n-1", "0..n-1", "n-1..-1..0", "0..2..n-1", "1..n-1"]);
        let attribute = if self.random.chance(20) { "    {!serial for}\n" } else { "" };
        let count = if self.random.chance(20) { 3000 } else { self.random.between(0, 40) };
        let (seed, w) = (self.random.below(1000), self.random.below(3));
        self.define(&format!(
            "function [] = {name}(y : vec, w : int)\n    n = numel(y)\n    s = 0.0\n    {i} = -1\n{attribute}    for {i} = {range}\n        \
             k = {i}\n{body}    endfor\n    print s, \" \", {i}, \" \", sum(mod(y, 64) .* mod(1..n, 5)), \" \", floor(rand()*1000)\nendfunction"
        ));
        self.line(format!("seed({seed})"));
        self.line(format!("{name}(zeros({count}), {w})"));
    }

    /// A loop over the elements of an array that it stores to.
    pub(super) fn loop_over_stored_elements(&mut self) {
        self.note("loop over elements that are stored");
        let (v, x, k) = (self.name("v"), self.name("x"), self.name("k"));
        let n = self.random.between(1, 9);
        let start = if self.random.chance(50) { "0" } else { "0.5" };
        self.line(format!("{v} = (1..{n}) + {start}"));
        self.line(format!("{k} = 0"));
        self.open(format!("for {x} = {v}"));
        self.line(format!("{k} += 1"));
        let to = *self.random.pick(&["mod(K, N)", "N-1", "0", "mod(K*3, N)"]);
        let to = to.replace('K', &k).replace('N', &n.to_string());
        match self.random.below(3) {
            0 => self.line(format!("{v}[{to}] = {x} + {k}")),
            1 => self.line(format!("{v}[{to}] += {k}")),
            _ => {
                self.open(format!("if {x} < {}", n - 1));
                self.line(format!("{v} = {v} + 1"));
                self.close("endif");
            }
        }
        self.line(format!("print {x}"));
        self.close("endfor");
        self.line(format!("print {v}, {k}"));
    }
}
