//! Facts are right: random programs print the same whether facts decide their conditions and drop their tests or not.
//!
//! The programs are made of what facts are about: integers that branches compare, loops that change them, sizes of arrays
//! that are replaced, and indices that may be out of range.

use quasar_core::driver::{Compilation, Options, compile};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::source::NoImports;
use quasar_devicelib::value::BufferHost;
use std::fmt::Write;
use std::path::Path;

const PROGRAMS: usize = 30;
const STEPS: u64 = 2_000_000;

/// A small generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

struct Generator {
    random: Random,
    text: String,
    indent: usize,
    loops: usize,
    /// Statements that may still be written.
    fuel: usize,
    /// Assertions and places so far.
    count: usize,
}

impl Generator {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.indent);
        writeln!(self.text, "{indent}{text}").unwrap();
    }

    fn variable(&mut self) -> &'static str {
        self.random.of(&["a", "b", "c", "n"])
    }

    fn term(&mut self) -> String {
        match self.random.below(9) {
            0 => self.random.of(&["0", "1", "2", "3", "-1", "2147483647", "(-2147483647)"]).to_owned(),
            1 => "size(x,0)".to_owned(),
            2 => "numel(x)".to_owned(),
            3 => format!("size(z,{})", self.random.below(2)),
            _ => self.variable().to_owned(),
        }
    }

    fn expr(&mut self) -> String {
        let (first, second) = (self.term(), self.term());
        match self.random.below(10) {
            0 | 1 => format!("{first} + {second}"),
            2 | 3 => format!("{first} - {}", self.random.below(4)),
            4 => format!("{} * {first} - {second}", self.random.below(3)),
            5 => format!("min({first}, {second})"),
            6 => format!("mod({first}, {second})"),
            _ => first,
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let choice = self.random.below(if depth == 0 { 6 } else { 12 });
        match choice {
            0..6 => {
                let relation = self.random.of(&["<", "<=", ">", ">=", "==", "!="]);
                format!("{} {relation} {}", self.expr(), self.expr())
            }
            6 | 7 => format!("({}) && ({})", self.condition(depth - 1), self.condition(depth - 1)),
            8 | 9 => format!("({}) || ({})", self.condition(depth - 1), self.condition(depth - 1)),
            10 => format!("!({})", self.condition(depth - 1)),
            _ => self.random.of(&["r > 0.5", "r <= 2", "r == r", "q < r", "size(z) == size(w)"]).to_owned(),
        }
    }

    fn place(&mut self) {
        self.count += 1;
        let text = format!("print \"{}: \", a, \" \", b, \" \", c, \" \", n, \" \", numel(x)", self.count);
        self.line(&text);
    }

    fn block(&mut self, count: u64) {
        self.indent += 1;
        self.place();
        for _ in 0..=self.random.below(count) {
            self.statement();
        }
        self.indent -= 1;
    }

    fn statement(&mut self) {
        if self.fuel == 0 {
            return;
        }
        self.fuel -= 1;
        let deep = self.indent > 5;
        match self.random.below(if deep { 9 } else { 19 }) {
            0..3 => {
                let (variable, value) = (self.variable(), self.expr());
                self.line(&format!("{variable} = {value}"));
            }
            3 => {
                let (variable, value) = (self.variable(), self.term());
                self.line(&format!("{variable} += {value}"));
            }
            4 => {
                let change = self.random.of(&[
                    "x = zeros(numel(x) + 1)",
                    "x = zeros(min(9, max(a, 0)))",
                    "w = z",
                    "z = zeros(3, max(1, min(b, 5)))",
                    "w = zeros(size(z))",
                    "[a, b] = size(z)",
                    "[a, b] = [b, a]",
                    "sizes = size(z)",
                    "sizes[0] = sizes[0] + 1",
                    "r = r - 1",
                    "q = r",
                ]);
                self.line(change);
            }
            5 | 6 => {
                let index = self.expr();
                let access = match self.random.below(4) {
                    0 => format!("x[{index}] = x[0] + 1"),
                    1 => format!("z[{index}, 0] += 1"),
                    2 => format!("r = z[sizes[0] - 1, {index}]"),
                    _ => format!("r = x[{index}] + 1"),
                };
                self.line(&access);
            }
            7 => self.assertion(),
            8 if self.loops > 0 => {
                let condition = self.condition(1);
                let leave = self.random.of(&["break", "continue", "error(\"left\")"]);
                self.line(&format!("if {condition}"));
                self.line(&format!("    {leave}"));
                self.line("endif");
            }
            8 => self.place(),
            9..14 => self.branch(),
            _ => self.cycle(),
        }
    }

    fn assertion(&mut self) {
        let condition = self.condition(1);
        self.count += 1;
        let number = self.count;
        self.line(&format!("assert({condition})"));
        self.line(&format!("print \"passed {number}\""));
    }

    fn branch(&mut self) {
        let condition = self.condition(2);
        self.line(&format!("if {condition}"));
        self.block(3);
        if self.random.below(3) == 0 {
            let condition = self.condition(1);
            self.line(&format!("elseif {condition}"));
            self.block(2);
        }
        if self.random.below(2) == 0 {
            self.line("else");
            self.block(3);
        }
        self.line("endif");
    }

    /// A loop that ends because a counter of its own does.
    fn cycle(&mut self) {
        self.count += 1;
        self.loops += 1;
        let k = format!("k{}", self.count);
        match self.random.below(6) {
            0..3 => {
                let range = self.random.of(&[
                    "0..min(numel(x), 5)-1",
                    "numel(x)-1..-1..max(0, numel(x)-4)",
                    "0..2..4",
                    "0..min(size(z,0), sizes[0])-1",
                    "max(b, -2)..min(a, 3)",
                ]);
                self.line(&format!("for c = {range}"));
                if self.random.below(2) == 0 {
                    self.line("    x[c] = x[c] + 1");
                }
                self.block(3);
                self.line("endfor");
            }
            3 | 4 => {
                let condition = self.condition(1);
                self.line(&format!("{k} = 0"));
                self.line(&format!("while ({condition}) && {k} < 4"));
                self.line(&format!("    {k} += 1"));
                self.block(3);
                self.line("endwhile");
            }
            _ => {
                let condition = self.condition(1);
                self.line(&format!("{k} = 0"));
                self.line("repeat");
                self.line(&format!("    {k} += 1"));
                self.block(3);
                self.line(&format!("until ({condition}) || {k} > 3"));
            }
        }
        self.loops -= 1;
        self.place();
    }
}

fn program(seed: u64) -> String {
    let mut generator =
        Generator { random: Random(seed), text: String::new(), indent: 1, loops: 0, fuel: 24, count: 0 };
    generator.line("");
    while generator.fuel > 0 {
        generator.statement();
    }
    let body = generator.text;
    let calls: String = [(0, 1, 5), (3, 3, 2), (2147483647, -4, 7), (5, 0, 0), (-1, 2, 3)]
        .iter()
        .map(|(a, b, n)| {
            format!("try\n    f({a}, {b}, {n}, zeros({n}), 1.5)\ncatch ex\n    print \"error\"\nendtry\n")
        })
        .collect();
    format!(
        "function [] = f(a : int, b : int, n : int, x : vec, r : scalar)\n    c = 0\n    z = zeros(2, n + 1)\n    \
         w = z\n    q = r\n    sizes = size(z){body}endfunction\n{calls}"
    )
}

fn compiled(text: &str, facts: bool, optimise: bool) -> Compilation {
    let options = Options { facts, optimise, verify: true, ..Options::default() };
    compile("random.q", text, &NoImports, &options)
}

fn output(compilation: &Compilation) -> Option<String> {
    let program = compilation.program.as_ref()?;
    let mut host = BufferHost::default();
    let options = InterpOptions { step_limit: Some(STEPS), ..InterpOptions::default() };
    let mut interpreter = Interpreter::new(program, options, &mut host).with_sources(&compilation.sources);
    let result = interpreter.run_initializer();
    drop(interpreter);
    Some(match result {
        Ok(()) => host.output,
        Err(error) => format!("{}{}\n", host.output, error.text),
    })
}

/// The lines of statements that are said to be wrong: contradictory assertions, and constant indices out of range.
fn mistakes(compilation: &Compilation) -> Vec<usize> {
    let errors = compilation.messages.iter().filter(|message| message.category.is_error());
    errors
        .map(|message| {
            assert!(["Q0601", "Q0316"].contains(&message.code.0), "{}", message.text);
            compilation.sources.line_column(message.primary.span.file, message.primary.span.start).0 as usize
        })
        .collect()
}

/// The program without statements that are known to fail; an assertion that is taken out must never hold.
fn without_mistakes(seed: u64) -> String {
    let mut text = program(seed);
    for facts in [false, true, true, true, true, true] {
        let wrong = mistakes(&compiled(&text, facts, false));
        let lines: Vec<&str> = text.lines().collect();
        let plain = output(&compiled(&text, false, false)).unwrap_or_default();
        for line in wrong.iter().filter(|line| lines[**line - 1].contains("assert")) {
            let passed = lines[*line].trim().trim_start_matches("print ").trim_matches('"');
            let passes = plain.lines().any(|printed| printed == passed);
            assert!(!passes, "seed {seed}, line {line}: the assertion holds\n{text}");
        }
        let kept =
            lines.iter().enumerate().map(|(k, line)| if wrong.contains(&(k + 1)) { "" } else { *line });
        text = kept.collect::<Vec<&str>>().join("\n") + "\n";
    }
    text
}

#[test]
fn programs_print_the_same_with_and_without_facts() {
    let programs = std::env::var("FACTS_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS);
    let (mut decided, mut dropped) = (0, 0);
    for seed in 0..programs as u64 {
        let text = without_mistakes(seed);
        let plain = compiled(&text, false, false);
        let with = compiled(&text, true, false);
        let transformed = compiled(&text, true, true);
        let expected = output(&plain).expect("a program without mistakes");
        assert_eq!(output(&with).as_deref(), Some(expected.as_str()), "seed {seed}, facts\n{text}");
        assert_eq!(
            output(&transformed).as_deref(),
            Some(expected.as_str()),
            "seed {seed}, transformed\n{text}"
        );
        let conditions = |compilation: &Compilation| -> usize {
            compilation.model.instances.iter().map(|(_, instance)| instance.tables.decided.len()).sum()
        };
        decided += usize::from(conditions(&with) > conditions(&plain));
        let printed = transformed.program.as_ref().map(quasar_core::ir::print::program).unwrap_or_default();
        dropped += usize::from(printed.contains("'unchecked"));
    }
    // Otherwise the test would say nothing.
    assert!(decided * 4 > programs && dropped * 8 > programs, "{decided} and {dropped} of {programs}");
}

/// Which accesses keep their test: `tests/facts/*.test` hold a source and, after `--- ir`, the program behind the passes,
/// without kernels made of loops. `UPDATE_EXPECT=1` writes what was found.
#[test]
fn tests_of_indices_that_hold_are_dropped() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/facts");
    let mut count = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let case = std::fs::read_to_string(&path).unwrap();
        let text = case.find("--- ").map_or(case.as_str(), |at| &case[..at]);
        let options =
            Options { auto_parallel: false, auto_kernel: false, verify: true, ..Options::default() };
        let compilation = compile("test.q", text, &NoImports, &options);
        let program = compilation.program.as_ref().expect("a program without mistakes");
        let whole = format!("{text}--- ir\n{}", quasar_core::ir::print::program(program));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, whole).unwrap();
        } else {
            assert_eq!(whole, case, "{}", path.display());
        }
        count += 1;
    }
    assert!(count > 0);
}
