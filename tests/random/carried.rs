//! Nests of random programs that carry numbers along rows and elements along columns, in any order of the loops and of their
//! statements. What is carried stays a whole number below a thousand.

use super::Generator;

/// What an iteration does in front of its stores: `s` and `c` go along the inner loop.
const NUMBERS: &[&str] = &[
    "s = mod(s + x[P], 97)",
    "s = mod(s + v, 89)",
    "s += v > 3",
    "v = x[P] + w",
    "v = mod(x[P]*x[P], 13)",
    "c = mod(c*2 + s, 31)",
    "c = max(c, s)",
    "q = mod(s + v, 7)",
    "s = mod(s + y[P], 53)",
];

/// Stores to elements, also of neighbours.
const STORES: &[&str] = &[
    "y[P] = mod(y[U] + s, 997)",
    "y[P] = mod(y[L] + s, 997)",
    "y[P] = mod(y[L] + v, 997)",
    "z[P] = mod(z[U] + c + v, 997)",
    "z[P] = mod(z[L] + q, 997)",
    "y[P] = mod(y[D] + c, 997)",
    "z[P] = s + q",
    "y[P] += v",
    "z[P] = mod(z[P] + y[U], 997)",
    "x[P] = mod(x[U] + v, 50)",
    "z[D] = mod(z[D] + s, 97)",
];

impl Generator {
    fn carried(&mut self, from: &[&str], m: &str, n: &str) -> String {
        let places = [
            ('P', format!("{m},{n}")),
            ('U', format!("{m}-1,{n}")),
            ('L', format!("{m},{n}-1")),
            ('D', format!("{m}-1,{n}-1")),
        ];
        let mut statement = self.random.pick(from).to_string();
        for (letter, place) in places {
            statement = statement.replace(&format!("[{letter}]"), &format!("[{place}]"));
        }
        statement
    }

    /// A store, perhaps in a branch that is the same for a row or for a column.
    fn carried_store(&mut self, m: &str, n: &str, indent: &str) -> String {
        let store = self.carried(STORES, m, n);
        let test = *self.random.pick(&["M == 1", "N > 2", "w == 1", "s > 20", "v > 5"]);
        let test = test.replace('M', m).replace('N', n);
        match self.random.below(6) {
            0 => format!("{indent}if {test}\n{indent}    {store}\n{indent}endif\n"),
            1 => {
                let (other, more) = (self.carried(STORES, m, n), self.carried(STORES, m, n));
                format!(
                    "{indent}if {test}\n{indent}    {store}\n{indent}    {more}\n{indent}else\n{indent}    {other}\n{indent}endif\n"
                )
            }
            2 => {
                let element = store.split(" =").next().unwrap_or("s").trim_end_matches(" +").to_string();
                format!(
                    "{indent}if {test}\n{indent}    {store}\n{indent}else\n{indent}    {element} = mod(s*3 + w, 11)\n{indent}endif\n"
                )
            }
            _ => format!("{indent}{store}\n"),
        }
    }

    /// A nest of two loops that carries numbers and elements.
    pub(super) fn loop_in_two_directions(&mut self) {
        self.note("loop in two directions");
        let (m, n, name) = (self.name("m"), self.name("n"), self.name("carried"));
        let outside = "        ";
        let inside = "            ";
        let mut body = String::new();
        let resets = ["s = 0", "s = x[M,0]", "s = w", "c = M", "v = 0", "q = s"];
        for _ in 0..self.random.below(3) {
            body += &format!("{outside}{}\n", self.random.pick(&resets).replace('M', &m));
        }
        let ranges = ["K = 1..size(x,D)-1", "K = 1..size(x,D)-1", "K = size(x,D)-1..-1..1"];
        let mut range = |k: &str, dim: &str| self.random.pick(&ranges).replace('K', k).replace('D', dim);
        let (rows, columns) = (range(&m, "0"), range(&n, "1"));
        let turned = self.random.chance(25);
        let (outer, inner) = if turned { (columns, rows) } else { (rows, columns) };
        if turned {
            body = body.replace(&format!("[{m},0]"), &format!("[0,{n}]")).replace(&m, &n);
        }
        body += &format!("{outside}for {inner}\n");
        for _ in 0..self.random.below(4) {
            body += &format!("{inside}{}\n", self.carried(NUMBERS, &m, &n));
        }
        for _ in 0..1 + self.random.below(3) {
            body += &self.carried_store(&m, &n, inside);
        }
        if self.random.chance(15) {
            body += &format!("{inside}{}\n", self.carried(NUMBERS, &m, &n));
        }
        body += &format!("{outside}endfor\n");
        let attribute = if self.random.chance(10) { "    {!serial for}\n" } else { "" };
        let last = if self.random.chance(20) { "s, \" \", c, \" \", " } else { "" };
        self.define(&format!(
            "function [] = {name}(x : mat, y : mat, z : mat, w : int)\n    [s, c, v, q] = [0, 1, 2, 3]\n{attribute}    for {outer}\n{body}    endfor\n    \
             print {last}sum(mod(x,7)), \" \", sum(mod(y,97)), \" \", sum(mod(z,89)), \" \", max(y)\nendfunction"
        ));
        let (rows, columns) = match self.random.below(3) {
            0 => (self.random.between(1, 5), self.random.between(1, 5)),
            1 => (self.random.between(60, 80), self.random.between(2, 9)),
            _ => (self.random.between(2, 9), self.random.between(60, 80)),
        };
        let w = self.random.below(3);
        let x = format!("mod(reshape(0..{}-1, [{rows},{columns}])*7, 11)", rows * columns);
        self.line(format!("{name}({x}, zeros({rows},{columns}), ones({rows},{columns}), {w})"));
    }
}
