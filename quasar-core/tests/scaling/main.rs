//! How the work of the compiler grows with a program: for each construct of the language a family of programs, of which one is
//! twice and one four times as large as the first. Memory that is asked for is counted, which is the same on every machine; with
//! `QUASAR_SCALING=instructions` all instructions are, by callgrind, which sees work that asks for none.
//!
//! Programs go the whole way: parser, analysis, lowering, every pass, Rust and device text, the interpreter, and the end of all
//! trees.

mod counting;
mod families;

use counting::Counted;
use families::{FAMILIES, Family, Kind};
use quasar_core::backend::rust::Options as Printing;
use quasar_core::driver::{Options, compile, print_rust};
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::message::Sink;
use quasar_core::source::NoImports;
use quasar_devicelib::value::BufferHost;
use std::process::Command;
use std::sync::Mutex;

/// Twice as large a program may take so much more work: a little more than n log n.
const GROWTH: f64 = 2.3;

/// Families whose work still grows faster. Each variable is looked at where paths meet, each overload at each call, each class of
/// those that a class inherits from, and each level at the levels inside of it, of which there are 100 at most.
const FASTER: &[&str] = &[
    "arrays of a kernel",
    "classes of one base",
    "classes that inherit",
    "fields",
    "functions in a ring",
    "functions twice",
    "lambdas as arguments",
    "lambdas of one variable",
    "lambdas of types",
    "lambdas that are called",
    "lambdas that capture",
    "matches",
    "names of an enum",
    "nested cells",
    "nested fors",
    "nested fors over arrays",
    "nested functions",
    "nested ifs",
    "nested index",
    "nested loops of a kernel",
    "nested matches",
    "nested repeats",
    "nested tries",
    "nested whiles",
    "optional parameters",
    "overloads",
    "overloads by size",
    "overloads that are called",
    "rules of one function",
    "sum of arrays",
    "texts put together",
    "top-level lambdas",
    "unknown names among functions",
    "variables that may be unset",
    "variables that may be unset and are read",
    "wrong overloads",
];
/// What even they may not exceed: the square of the size, as long as it is not compiled in pieces.
const SQUARE: f64 = 8.0;

/// One at a time is counted.
static COUNTING: Mutex<()> = Mutex::new(());

/// Takes a program the whole way. The first errors.
fn compiled(text: &str, verify: bool) -> Vec<String> {
    let options = Options { verify, ..Options::default() };
    let compilation = compile("scaling.q", text, &NoImports, &options);
    if let Some(program) = &compilation.program {
        let mut sink = Sink::default();
        let printed = print_rust(program, &compilation.sources, &Printing::default(), &mut sink);
        assert!(!printed.is_empty());
        let mut host = BufferHost::default();
        // Programs may stop with an error; how long they run is none of the compiler's business.
        let options = InterpOptions { step_limit: Some(20_000), ..InterpOptions::default() };
        let mut interpreter =
            Interpreter::new(program, options, &mut host).with_sources(&compilation.sources);
        if interpreter.run_initializer().is_ok() && interpreter.has_main() {
            let _ = interpreter.run_main(Vec::new());
        }
    }
    let errors = compilation.messages.iter().filter(|message| message.category.is_error());
    errors.map(|message| message.text.clone()).take(3).collect()
}

/// What is wrong with how the work for a family grows.
fn growth(family: &Family) -> Option<String> {
    let mut found: Vec<Counted> = Vec::new();
    for times in [1, 2, 4] {
        let text = (family.text)(family.size * times);
        let before = Counted::now();
        let errors = compiled(&text, false);
        found.push(Counted::now().since(before));
        match (family.kind, errors.as_slice()) {
            (Kind::Right, [first, ..]) => return Some(format!("{}: refused: {first}", family.name)),
            (Kind::Wrong, []) => return Some(format!("{}: nothing is said", family.name)),
            _ => {}
        }
    }
    let [_, twice, four] = found[..] else { return None };
    let ratio = |f: fn(Counted) -> u64| f(four) as f64 / f(twice) as f64;
    let (allocations, bytes) = (ratio(|counted| counted.allocations), ratio(|counted| counted.bytes));
    let most = if FASTER.contains(&family.name) { SQUARE } else { GROWTH };
    (allocations.max(bytes) > most).then(|| {
        format!("{}: {allocations:.2} times the allocations, {bytes:.2} times the bytes", family.name)
    })
}

/// The families that `QUASAR_SCALING_FAMILY` asks for: all, or those with such a name.
fn families() -> impl Iterator<Item = &'static Family> {
    let wanted = std::env::var("QUASAR_SCALING_FAMILY").unwrap_or_default();
    FAMILIES.iter().filter(move |family| family.name.contains(&wanted))
}

#[test]
fn work_grows_with_the_program_alone() {
    let _one = COUNTING.lock();
    let found: Vec<String> = match std::env::var("QUASAR_SCALING").as_deref() {
        Ok("instructions") => families().filter_map(instructions).collect(),
        _ => families().filter_map(growth).collect(),
    };
    assert!(found.is_empty(), "{} families grow too fast or are refused:\n{}", found.len(), found.join("\n"));
}

/// As [`growth`], for instructions. Each program is compiled by a process of its own.
fn instructions(family: &Family) -> Option<String> {
    let count = |times: usize| -> u64 {
        let program = std::env::current_exe().expect("the path of this test");
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(program)
            .args(["one_program", "--exact", "--ignored"])
            .env("QUASAR_SCALING_ONE", format!("{}/{}", family.name, family.size * times))
            .output()
            .expect("valgrind is installed");
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find_map(|line| line.split_once("Collected :"));
        line.and_then(|(_, number)| number.trim().parse().ok()).unwrap_or_else(|| panic!("no count:\n{said}"))
    };
    let (once, twice, four) = (count(1), count(2), count(4));
    // What every program costs, such as the start of the process, is taken away.
    let ratio = (four - twice) as f64 / (twice - once) as f64;
    println!("{:45} {once:>12} {twice:>12} {four:>12} {ratio:.2}", family.name);
    (ratio > GROWTH + 0.2).then(|| format!("{}: {ratio:.2} times the instructions", family.name))
}

/// The program `FAMILY/SIZE` of `QUASAR_SCALING_ONE`, for looks from outside.
#[test]
#[ignore = "compiles what QUASAR_SCALING_ONE says, for profilers"]
fn one_program() {
    let wanted = std::env::var("QUASAR_SCALING_ONE").expect("QUASAR_SCALING_ONE names a family and a size");
    let (name, size) = wanted.rsplit_once('/').expect("FAMILY/SIZE");
    let family = FAMILIES.iter().find(|family| family.name == name).expect("a family of this name");
    let text = (family.text)(size.parse().expect("a size"));
    let start = std::time::Instant::now();
    let before = Counted::now();
    let errors = compiled(&text, false);
    let counted = Counted::now().since(before);
    println!(
        "{wanted}: {} lines, {:?}, {} allocations, {} KB, at most {} KB at once; {errors:?}",
        text.lines().count(),
        start.elapsed(),
        counted.allocations,
        counted.bytes >> 10,
        counted.most >> 10
    );
}

/// What a program prints, before and after the passes, which must be the same.
fn output(text: &str) -> String {
    let [plain, optimised] = [false, true].map(|optimise| {
        let options = Options { optimise, verify: true, ..Options::default() };
        let compilation = compile("long.q", text, &NoImports, &options);
        let Some(program) = &compilation.program else {
            return compilation.messages.iter().map(|message| message.text.clone()).collect();
        };
        let mut host = BufferHost::default();
        let mut interpreter = Interpreter::new(program, InterpOptions::default(), &mut host);
        let result = interpreter.run_initializer();
        drop(interpreter);
        host.output + &result.err().map_or_else(String::new, |error| error.text)
    });
    assert_eq!(plain, optimised, "{}", text.chars().take(200).collect::<String>());
    plain.trim_end().to_string()
}

/// The operands of numbers up to `n` with a text between them.
fn joined(n: usize, between: &str, operand: impl Fn(usize) -> String) -> String {
    (0..n).map(operand).collect::<Vec<_>>().join(between)
}

#[test]
fn long_chains_compute_what_they_say() {
    let _one = COUNTING.lock();
    let function = |body: &str, call: &str| {
        format!("function y = f(a : int, b : scalar, v : vec)\n{body}endfunction\nprint {call}\n")
    };
    let n = 1000;
    let terms = joined(n, " + ", |k| k.to_string());
    assert_eq!(output(&format!("print {terms}\n")), "499500");
    let body = format!("y = {}\n", joined(n, " + ", |k| format!("a*{k}")));
    assert_eq!(output(&function(&body, "f(2, 0.5, [1.0])")), "999000");
    // In order: floats are not added from the other end.
    let body = format!("y = 16777216.0*b{}\n", " + b".repeat(n));
    assert_eq!(output(&function(&body, "f(2, 1.0, [1.0]) == 16777216.0")), "1");
    let body = format!("y = 1000{}\n", " - a + a - 1".repeat(500));
    assert_eq!(output(&function(&body, "f(7, 1.0, [1.0])")), "500");
    let body = format!("y = sum({})\n", joined(300, " + ", |_| "v".into()));
    assert_eq!(output(&function(&body, "f(7, 1.0, [1.0, 2.0])")), "900");
    // Only as many operands are evaluated as are needed: index 5 is outside.
    let body = format!("y = a < 5 || {}\n", joined(n, " || ", |_| "v[a] > 100".into()));
    assert_eq!(output(&function(&body, "f(1, 1.0, [1.0, 2.0]), f(3, 1.0, [1.0, 2.0])")), "11");
    let body = format!("y = {} && v[5] > 0\n", joined(n, " && ", |k| format!("a != {k}")));
    assert_eq!(output(&function(&body, "f(7, 1.0, [1.0])")), "0");
    let body = format!("y = {}a\n", "-".repeat(2 * n + 1));
    assert_eq!(output(&function(&body, "f(7, 1.0, [1.0])")), "-7");
    let text = format!("print {}\n", joined(n, " + ", |k| format!("\"{}\"", k % 10)));
    assert_eq!(output(&text), "0123456789".repeat(100));
    let class = "type t : mutable class\na : int\nendtype\nfunction y : t = next(self : t)\nself.a += 1\ny = self\nendfunction\n";
    assert_eq!(output(&format!("{class}x = t(1)\nprint x{}.a\n", ".next()".repeat(n))), "1001");
    // In a branch, a condition of a loop and a lambda.
    let sum = joined(n, " + ", |_| "a".into());
    let body = format!("y = a > 5 ? {sum} : -({sum})\n");
    assert_eq!(output(&function(&body, "f(7, 1.0, [1.0]), \" \", f(2, 1.0, [1.0])")), "7000 -2000");
    let body = format!("y = 0\nwhile {sum} > 1000*y\ny += 1\nendwhile\ng = x -> x + {sum}\ny = g(y)\n");
    assert_eq!(output(&function(&body, "f(3, 1.0, [1.0])")), "3003");
}

#[test]
fn long_choices_take_one_way() {
    let _one = COUNTING.lock();
    let ways = |n: usize| joined(n, "", |k| format!("elseif a == {k}\ny = {k}*10\n"));
    let choice = |n| {
        format!("function y = f(a : int)\nif a < 0\ny = -1\n{}else\ny = -2\nendif\nendfunction\n", ways(n))
    };
    for n in [31, 32, 33, 64, 65, 500] {
        let text = format!("{}print f(-5), \" \", f(0), \" \", f({}), \" \", f({n})\n", choice(n), n - 1);
        assert_eq!(output(&text), format!("-1 0 {} -2", (n - 1) * 10));
    }
    // The value before the choice is whole, also where other ways make a float of the variable.
    let body = "y = 16777217\nif a < 0\ny = 0.5\n".to_string()
        + &joined(100, "", |k| format!("elseif a == {k}\ny = y + {k}\nz = y - 16777216\nprint z\n"))
        + "endif\n";
    let text = format!("function y = f(a : int)\n{body}endfunction\nx = f(90)\nx = f(2)\n");
    assert_eq!(output(&text), "91\n3");
    // Conditions are tried in order, and none behind the one that holds.
    let text = "count = [0]\nfunction y = seen(x : int)\ncount[0] += 1\ny = x\nendfunction\n".to_string()
        + &format!(
            "a = 70\nif seen(a) < 0\nprint 1\n{}endif\nprint count[0]\n",
            joined(100, "", |k| format!("elseif seen(a) == {k}\nprint {k}\n"))
        );
    assert_eq!(output(&text), "70\n72");
    let names = joined(300, "\n", |k| format!("K{k}"));
    let arms = joined(300, "\n", |k| format!("| kind.K{k} -> y = {k}"));
    let text = format!(
        "type kind : enum\n{names}\nendtype\nfunction y = f(k : kind)\nmatch k with\n{arms}\nendmatch\nendfunction\nprint f(kind.K0), \" \", f(kind.K299), \" \", f(kind.K32)\n"
    );
    assert_eq!(output(&text), "0 299 32");
    let arms = joined(200, "", |k| format!("| (\"a{k}\", \"b{k}\") -> print {k}\n"));
    assert_eq!(output(&format!("s = \"b77\"\nmatch s with\n{arms}| _ -> print \"none\"\nendmatch\n")), "77");
}

#[test]
fn functions_without_types_call_each_other_as_deep_as_one_likes() {
    let _one = COUNTING.lock();
    for n in [39, 40, 41, 100, 1000] {
        let first = "function y = f0(x)\ny = x\nendfunction\n";
        let rest: Vec<String> =
            (1..=n).map(|k| format!("function y = f{k}(x)\ny = f{}(x) + 1\nendfunction\n", k - 1)).collect();
        let up = format!("{first}{}print f{n}(1)\n", rest.concat());
        let down = format!("{}{first}print f{n}(1)\n", rest.iter().rev().cloned().collect::<String>());
        assert_eq!(output(&up), (n + 1).to_string());
        assert_eq!(output(&down), (n + 1).to_string());
    }
    let classes = joined(1000, "", |k| format!("type c{k} : class\na : int\nendtype\n"));
    assert_eq!(output(&format!("{classes}print c999(7).a\n")), "7");
}
