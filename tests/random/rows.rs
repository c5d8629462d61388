//! Loops of random programs over rows and columns of arrays whose sizes the compiler does not know: rows in variables, rows that
//! an earlier round left, sums and extremes of rows, inner loops along them that add or store, bounds that change inside. The
//! arrays may be one under two names, or differ in size, so that a round fails.

use super::orders::limited;
use super::{Generator, Kind};

/// What the statements of a loop over rows may use.
struct Walk {
    kind: Kind,
    /// Whether the loop goes over columns.
    columns: bool,
    /// Variables that hold rows, set before the statement.
    rows: Vec<String>,
    /// Variables that hold numbers.
    numbers: Vec<String>,
    names: usize,
}

impl Walk {
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// The row or column of an array at an index.
    fn line(&self, array: &str, at: &str) -> String {
        if self.columns { format!("{array}[:, {at}]") } else { format!("{array}[{at}, :]") }
    }

    /// An element of the row or column of the round.
    fn element(&self, array: &str, at: &str) -> String {
        if self.columns { format!("{array}[{at}, i]") } else { format!("{array}[i, {at}]") }
    }

    /// The number of elements in a row or column of an array.
    fn count(&self, array: &str) -> String {
        format!("size({array}, {})", usize::from(!self.columns))
    }

    /// The number of rows or columns.
    fn rounds(&self, array: &str) -> String {
        format!("size({array}, {})", usize::from(self.columns))
    }
}

impl Generator {
    /// A function that walks over the rows of its arguments, called with different arrays, with one twice, with sizes that differ.
    pub(super) fn loop_over_rows(&mut self) {
        self.note("loop over rows");
        let (name, kind) = (self.name("walk"), self.kind());
        let mut walk =
            Walk { kind, columns: self.random.chance(25), rows: vec![], numbers: vec![], names: 0 };
        let body = self.walk_body(&mut walk);
        let (vector, matrix, number) = match kind {
            Kind::Int => ("ivec", "imat", "int"),
            Kind::Float => ("vec", "mat", "scalar"),
        };
        let zero = if kind == Kind::Int { "0" } else { "0.0" };
        self.define(&format!(
            "function [] = {name}(a : {matrix}, b : {matrix}, v : {vector}, w : int, c : {number})\n    total = {zero}\n    \
             prev = {}\n{body}    print total, prev\nendfunction",
            walk.line("a", "0")
        ));
        self.call_walk(&name, kind, walk.columns);
    }

    fn call_walk(&mut self, name: &str, kind: Kind, columns: bool) {
        let (a, b, v) = (self.name("M"), self.name("M"), self.name("V"));
        let (many, few) = (self.random.between(1, 40), self.random.between(1, 6));
        let dims = if self.random.chance(50) { [few, many] } else { [many, few] };
        let maker = if kind == Kind::Int { "zeros[int]" } else { "zeros" };
        let mut other = dims;
        if self.random.chance(15) {
            self.note("rows of two sizes");
            other[self.random.below(2)] += 1;
        }
        for (array, [rows, cols]) in [(&a, dims), (&b, other)] {
            let (p, q, r) =
                (self.random.between(1, 7), self.random.between(1, 5), self.random.between(-4, 4));
            let (m, n) = (self.name("m"), self.name("n"));
            self.line(format!("{array} = {maker}({rows}, {cols})"));
            self.open(format!("for {m} = 0..{}", rows - 1));
            self.open(format!("for {n} = 0..{}", cols - 1));
            let divisor = if kind == Kind::Int { "" } else { "/4" };
            self.line(format!("{array}[{m}, {n}] = (mod({p}*{m} + {q}*{n}, 13) + {r}){divisor}"));
            self.close("endfor");
            self.close("endfor");
        }
        let rounds = if columns { dims[1] } else { dims[0] };
        let count = rounds + self.random.between(0, 1);
        self.line(format!("{v} = {maker}({count})"));
        let second = match self.random.below(6) {
            0 => {
                self.note("rows of one array under two names");
                &a
            }
            1 => {
                self.note("rows of one array under two names");
                let name = self.name("M");
                self.line(format!("{name} = {a}"));
                &name.clone()
            }
            _ => &b,
        };
        let (w, c) =
            (self.random.between(0, rounds.min(other[usize::from(columns)]) - 1), self.literal(kind));
        self.open("try");
        self.line(format!("{name}({a}, {second}, {v}, {w}, {c})"));
        self.close("catch ex");
        self.indent += 1;
        self.line("print \"caught\"");
        self.close("endtry");
        self.line(format!("print {a}, {b}, {v}"));
    }

    /// The loop, with the end of its range in front where it changes inside.
    fn walk_body(&mut self, walk: &mut Walk) -> String {
        let first = self.random.pick(&["0", "0", "0", "1", "w"]).to_string();
        let step = *self.random.pick(&["", "", "", "2.."]);
        let range = match self.random.below(6) {
            0 => format!("{}-1..-1..{first}", walk.rounds("a")),
            1 => format!("{first}..{step}last"),
            _ => format!("{first}..{step}{}-1", walk.rounds("a")),
        };
        let mut text = format!("    last = {}-1\n", walk.rounds("a"));
        let attribute = *self.random.pick(&["", "", "", "{!serial for}\n    "]);
        text.push_str(&format!("    {attribute}for i = {range}\n"));
        for _ in 0..2 + self.random.below(4) {
            for line in self.walk_statement(walk).lines() {
                text.push_str(&format!("        {line}\n"));
            }
        }
        text.push_str("    endfor\n");
        text
    }

    /// A row of an array, or one that a variable holds, or what is computed of two.
    fn row(&mut self, walk: &Walk, depth: usize) -> String {
        if depth > 0 && self.random.chance(50) {
            let (x, y) = (self.row(walk, depth - 1), self.row(walk, depth - 1));
            let number = self.walk_number(walk);
            return match self.random.below(5) {
                0 => format!("({x} + {y})"),
                1 => format!("({x} - {y})"),
                2 => format!("({x} - {number})"),
                3 => format!("(max({x}, {y}) + 0)"),
                _ => format!("({x} .* 2)"),
            };
        }
        if !walk.rows.is_empty() && self.random.chance(50) {
            return self.random.pick(&walk.rows).clone();
        }
        if self.random.chance(12) {
            return "prev".into();
        }
        let array = *self.random.pick(&["a", "a", "b"]);
        let at = match self.random.below(8) {
            0 => "w".to_string(),
            1 => format!("min(max(i - 1, {}), {} - 1)", self.random.below(2), walk.rounds("a")),
            2 => format!("{} - 1 - i", walk.rounds("a")),
            _ => "i".to_string(),
        };
        walk.line(array, &at)
    }

    fn walk_number(&mut self, walk: &Walk) -> String {
        if !walk.numbers.is_empty() && self.random.chance(60) {
            return self.random.pick(&walk.numbers).clone();
        }
        match self.random.below(4) {
            0 => "c".into(),
            1 if walk.kind == Kind::Int => "i".into(),
            2 => "v[i]".into(),
            _ => self.literal(walk.kind),
        }
    }

    /// A number that a row has.
    fn of_row(&mut self, walk: &Walk) -> String {
        let row = self.row(walk, 1);
        match self.random.below(5) {
            0 => format!("max({row}) + 0"),
            1 => format!("min({row}) + 0"),
            2 => {
                let other = self.row(walk, 0);
                format!("sum({row} .* {other})")
            }
            _ => format!("sum({row})"),
        }
    }

    fn walk_statement(&mut self, walk: &mut Walk) -> String {
        let kind = walk.kind;
        match self.random.below(13) {
            0 | 1 => {
                let (name, row) = (walk.name("t"), self.row(walk, 2));
                walk.rows.push(name.clone());
                format!("{name} = {row}")
            }
            2 => {
                let (name, number) = (walk.name("s"), self.of_row(walk));
                walk.numbers.push(name.clone());
                format!("{name} = {}", limited(kind, &number))
            }
            3 | 4 => {
                let (array, row) = (*self.random.pick(&["a", "b", "b"]), self.row(walk, 2));
                format!("{} = {}", walk.line(array, "i"), limited(kind, &row))
            }
            5 => {
                let number = self.of_row(walk);
                format!("v[i] = {}", limited(kind, &number))
            }
            6 => {
                let number = self.of_row(walk);
                format!("total = {}", limited(kind, &format!("total + {number}")))
            }
            7 => {
                let row = self.row(walk, 1);
                format!("prev = {}", limited(kind, &row))
            }
            8 => {
                let number = self.walk_number(walk);
                let (rows, numbers) = (walk.rows.len(), walk.numbers.len());
                let inner = self.walk_statement(walk);
                walk.rows.truncate(rows);
                walk.numbers.truncate(numbers);
                let condition = *self.random.pick(&["mod(i, 3) == 1", "i > w", "v[i] > 1"]);
                format!("if {condition} && {number} < 3\n{}\nendif", indented(&inner))
            }
            9 => self.moving_bound(),
            10 => self.rows_against_rows(walk),
            _ => self.loop_along_row(walk),
        }
    }

    /// What a range is made of changes behind the head of its loop.
    fn moving_bound(&mut self) -> String {
        self.note("bound that changes inside");
        match self.random.below(3) {
            0 => "last = last - 1".into(),
            1 => "w = mod(w + i, max(last, 0) + 1)".into(),
            _ => "for k = 0..w\n    w = max(w - 1, 0)\n    v[i] += k\nendfor".into(),
        }
    }

    /// The row of the round beside all or some rows.
    fn rows_against_rows(&mut self, walk: &Walk) -> String {
        self.note("rows against rows");
        let (own, other) = (walk.line("a", "i"), walk.line("b", "j"));
        let end = if self.random.chance(50) { "w".to_string() } else { format!("{}-1", walk.rounds("b")) };
        let op = *self.random.pick(&["-", "+"]);
        let step = match self.random.below(3) {
            0 => format!("v[i] = {}", limited(walk.kind, &format!("v[i] + sum({own} {op} {other})"))),
            1 => format!("total = {}", limited(walk.kind, &format!("total + max({own} {op} {other})"))),
            _ => format!("{other} = {}", limited(walk.kind, &format!("{other} {op} {own}"))),
        };
        format!("for j = 0..{end}\n    {step}\nendfor")
    }

    /// A loop over the elements of the row of the round, which adds, looks for the largest, or stores.
    fn loop_along_row(&mut self, walk: &mut Walk) -> String {
        self.note("loop along a row");
        let kind = walk.kind;
        let (own, other) = (walk.element("a", "k"), walk.element("b", "k"));
        let (name, number) = (walk.name("s"), self.walk_number(walk));
        let zero = if kind == Kind::Int { "0" } else { "0.0" };
        let first = *self.random.pick(&["0", "0", "1"]);
        // Elements are there: a loop that fails may have done other rounds already.
        let end = match self.random.below(4) {
            0 => format!("min(w, {}-1)", walk.count("a")),
            _ => format!("{}-1", walk.count("a")),
        };
        let step = match self.random.below(7) {
            0 => format!("{name} += {own}"),
            1 => format!("{name} = max({name}, {own} - {other}) + 0"),
            2 => format!("if {own} > {number}\n    {name} += {other}\nendif"),
            3 => format!("{name} = {}", limited(kind, &format!("{name}*2 - {own}"))),
            4 => format!("{other} = {}", limited(kind, &format!("{own} - {number}"))),
            5 => format!("{own} = {}\n{name} += {own}", limited(kind, &format!("{own} + {other}"))),
            _ => format!(
                "{other} = {}",
                limited(kind, &format!("{other} + {}", walk.element("b", "max(k - 1, 0)")))
            ),
        };
        let text = format!("{name} = {zero}\nfor k = {first}..{end}\n{}\nendfor", indented(&step));
        walk.numbers.push(name.clone());
        format!("{text}\n{name} = {}", limited(kind, &name))
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
