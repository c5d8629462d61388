//! Programs that grow: one family for each construct of the language, as a function from a size to a text.

/// What a family is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Programs without mistakes.
    Right,
    /// Programs that are refused, with messages.
    Wrong,
}

/// Programs of one form.
pub(crate) struct Family {
    /// Its name.
    pub(crate) name: &'static str,
    /// The smallest size that is measured.
    pub(crate) size: usize,
    /// Whether the programs are right.
    pub(crate) kind: Kind,
    /// The program of a size.
    pub(crate) text: fn(usize) -> String,
}

const fn right(name: &'static str, size: usize, text: fn(usize) -> String) -> Family {
    Family { name, size, kind: Kind::Right, text }
}

const fn wrong(name: &'static str, size: usize, text: fn(usize) -> String) -> Family {
    Family { name, size, kind: Kind::Wrong, text }
}

/// `line` for each number up to `n`, with `#` for the number.
fn each(n: usize, line: &str) -> String {
    (0..n).fold(String::new(), |mut text, k| {
        text.push_str(&line.replace('#', &k.to_string()));
        text
    })
}

/// `line` for each number from `n` down to 0.
fn back(n: usize, line: &str) -> String {
    (0..n).rev().fold(String::new(), |mut text, k| {
        text.push_str(&line.replace('#', &k.to_string()));
        text
    })
}

/// The lines as the body of `main`.
fn main(body: &str) -> String {
    format!("function [] = main()\n{body}endfunction\n")
}

/// A function of two numbers and a vector with this body, and a call.
fn work(body: &str) -> String {
    format!(
        "function y = work(a : int, b : scalar, v : vec)\ny = 0.0\n{body}endfunction\nprint work(1, 2.0, [1.0, 2.0, 3.0])\n"
    )
}

/// Operands between which an operator stands.
fn chain(n: usize, operand: &str, operator: &str) -> String {
    let mut text = each(n, &format!("{operand}{operator}"));
    text.truncate(text.len() - operator.len());
    text
}

/// All families.
pub(crate) const FAMILIES: &[Family] = &[
    // Statements of a row.
    right("assignments", 250, |n| work(&each(n, "x# = b + #\ny += x#\n"))),
    right("assignments to one variable", 250, |n| work(&each(n, "y = y*0.5 + #\n"))),
    right("top-level statements", 200, |n| each(n, "t# = # + 1\n") + "print t0\n"),
    right("top-level statements that read", 200, |n| {
        "t0 = 1\n".to_string()
            + &(1..n).map(|k| format!("t{k} = t{} + 1\n", k - 1)).collect::<String>()
            + "print t0\n"
    }),
    right("prints", 200, |n| main(&each(n, "print \"x#\", #\n"))),
    right("print of many", 200, |n| main(&format!("print {}\n", chain(n, "#", ", ")))),
    right("calls", 200, |n| {
        format!("function y = f(x : scalar)\ny = x + 1\nendfunction\n{}", work(&each(n, "y += f(b + #)\n")))
    }),
    right("calls of a generic function", 100, |n| {
        format!("function y = f(x)\ny = x + 1\nendfunction\n{}", work(&each(n, "y += f(b + #)\n")))
    }),
    right("stores", 200, |n| work(&each(n, "v[a] = v[#] + #\n"))),
    right("arrays", 100, |n| work(&each(n, "x# = [b, #]\ny += x#[a]\n"))),
    right("array expressions", 25, |n| work(&each(n, "x# = v + #\ny += sum(x#)\n"))),
    right("ifs", 100, |n| work(&each(n, "if a > #\ny += #\nelse\ny -= b\nendif\n"))),
    right("fors", 25, |n| work(&each(n, "for i = 0..a\ny += i*#\nendfor\n"))),
    right("fors over arrays", 25, |n| work(&each(n, "for i = 0..2\nv[i] = v[i] + #\nendfor\n"))),
    right("whiles", 50, |n| work(&each(n, "while y < #\ny += 1\nendwhile\n"))),
    right("repeats", 50, |n| work(&each(n, "repeat\ny += 1\nuntil y > #\n"))),
    right("matches", 50, |n| work(&each(n, "match a with\n| # -> y += 1\n| _ -> y -= 1\nendmatch\n"))),
    right("tries", 50, |n| work(&each(n, "try\ny += v[#]\ncatch e\ny -= 1\nendtry\n"))),
    right("errors", 50, |n| work(&each(n, "if a > #\nerror \"too large #\"\nendif\n"))),
    right("asserts", 50, |n| work(&each(n, "assert(a > -#)\n"))),
    right("multiple assignments", 50, |n| work(&each(n, "[p#, q#] = [b, a]\ny += p#\n"))),
    right("breaks", 20, |n| work(&each(n, "for i = 0..a\nif i > #\nbreak\nendif\ny += i\nendfor\n"))),
    right("launches", 20, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, c : scalar, pos : int)\nx[pos] += c\nendfunction\n{}",
            work(&each(n, "parallel_do(3, v, #, k)\n"))
        )
    }),
    right("launches of lambdas", 20, |n| {
        work(&each(n, "parallel_do(3, v, __kernel__ (x : vec, pos : int) -> x[pos] += #)\n"))
    }),
    right("compound assignments to elements", 100, |n| work(&each(n, "v[a] += #\n"))),
    right("returns of tuples", 50, |n| {
        format!(
            "function [p, q] = f(x : scalar)\np = x\nq = x\nendfunction\n{}",
            work(&each(n, "[p, q] = f(b + #)\ny += p + q\n"))
        )
    }),
    right("unused variables", 200, |n| work(&each(n, "x# = b + #\n"))),
    right("variables that may be unset", 50, |n| work(&each(n, "if a > #\nx# = b\nendif\n"))),
    right("variables that may be unset and are read", 50, |n| {
        work(&(each(n, "if a > #\nx# = b\nendif\n") + &each(n, "if a > #\ny += x#\nendif\n")))
    }),
    right("symbolic", 100, |n| work(&each(n, "symbolic s#\n"))),
    // Levels.
    right("nested ifs", 20, |n| work(&(each(n, "if a > #\ny += #\n") + &each(n, "endif\n")))),
    right("nested ifs with else", 20, |n| work(&(each(n, "if a > #\ny += #\nelse\n") + &each(n, "endif\n")))),
    right("nested fors", 8, |n| work(&(each(n, "for i# = 0..a\n") + "y += 1\n" + &each(n, "endfor\n")))),
    right("nested fors over arrays", 8, |n| {
        work(&(each(n, "for i# = 0..2\nv[i#] = v[i#] + 1\n") + &each(n, "endfor\n")))
    }),
    right("nested whiles", 20, |n| work(&(each(n, "while y < #\ny += 1\n") + &each(n, "endwhile\n")))),
    right("nested repeats", 20, |n| work(&(each(n, "repeat\ny += 1\n") + &back(n, "until y > #\n")))),
    right("nested tries", 20, |n| work(&(each(n, "try\ny += v[#]\n") + &each(n, "catch\ny -= 1\nendtry\n")))),
    right("nested matches", 20, |n| {
        work(&(each(n, "match a with\n| # -> y += 1\n| _ -> y -= 1\n") + &each(n, "endmatch\n")))
    }),
    right("nested functions", 12, |n| {
        main(
            &(each(n, "function y = f#(x : scalar)\n")
                + "y = x\n"
                + &(1..n).rev().map(|k| format!("endfunction\ny = f{k}(x)\n")).collect::<String>()
                + "endfunction\nprint f0(1.0)\n"),
        )
    }),
    right("nested brackets", 20, |n| work(&format!("y = {}b{}\n", "(1 + ".repeat(n), ")".repeat(n)))),
    right("nested calls", 20, |n| work(&format!("y = {}b{}\n", "sin(".repeat(n), ")".repeat(n)))),
    right("nested generic calls", 10, |n| {
        format!(
            "function y = f(x)\ny = x + 1\nendfunction\n{}",
            work(&format!("y = {}b{}\n", "f(".repeat(n), ")".repeat(n)))
        )
    }),
    right("nested ternaries", 20, |n| work(&format!("y = {}b\n", each(n, "a > # ? # : ")))),
    right("nested lambdas", 6, |n| {
        main(&format!("f = {} x0\nprint f{}\n", each(n, "x# -> "), "(1)".repeat(n)))
    }),
    right("nested cells", 12, |n| main(&format!("c = {}1{}\nprint c\n", "{".repeat(n), "}".repeat(n)))),
    right("nested index", 10, |n| work(&format!("y = {}a{}\n", "v[int(".repeat(n), ")]".repeat(n)))),
    // Chains.
    right("elseif chain", 50, |n| {
        work(&format!("if a > 1000\ny = 1\n{}else\ny = 2\nendif\n", each(n, "elseif a == #\ny += #\n")))
    }),
    right("match arms", 50, |n| {
        work(&format!("match a with\n{}| _ -> y = 3\nendmatch\n", each(n, "| # -> y += #\n")))
    }),
    right("match arms of texts", 50, |n| {
        main(&format!(
            "s = \"t3\"\nmatch s with\n{}| _ -> print 3\nendmatch\n",
            each(n, "| \"t#\" -> print #\n")
        ))
    }),
    right("match over an enum", 25, |n| {
        format!(
            "type kind : enum\n{}endtype\nfunction y = f(k : kind)\nmatch k with\n{}endmatch\nendfunction\nprint f(kind.K1)\n",
            each(n, "K#\n"),
            each(n, "| kind.K# -> y = #\n")
        )
    }),
    right("match with alternatives", 50, |n| {
        work(&format!("match a with\n| ({}) -> y = 1\n| _ -> y = 3\nendmatch\n", chain(n, "#", ", ")))
    }),
    right("sum", 100, |n| work(&format!("y = {}\n", chain(n, "b", " + ")))),
    right("sum of numbers", 100, |n| work(&format!("y = {}\n", chain(n, "#", " + ")))),
    right("sum of mixed", 100, |n| work(&format!("y = {}\n", chain(n, "b*# - v[#]/3", " + ")))),
    right("sum of arrays", 25, |n| work(&format!("v = {}\n", chain(n, "v", " + ")))),
    right("product", 100, |n| work(&format!("y = {}\n", chain(n, "b", "*")))),
    right("texts put together", 100, |n| main(&format!("s = {}\nprint s\n", chain(n, "\"a#\"", " + ")))),
    right("and chain", 100, |n| work(&format!("if {}\ny = 1\nendif\n", chain(n, "a > #", " && ")))),
    right("or chain", 100, |n| work(&format!("if {}\ny = 1\nendif\n", chain(n, "a > #", " || ")))),
    right("unary chain", 50, |n| work(&format!("y = {}b\n", "-".repeat(2 * n)))),
    right("power chain", 20, |n| work(&format!("y = {}\n", chain(n, "b", "^")))),
    right("comparisons", 50, |n| work(&format!("y = {}\n", chain(n, "(a > #)", " + ")))),
    right("method chain", 20, |n| {
        format!(
            "type t : mutable class\na : int\nendtype\nfunction y : t = next(self : t)\nself.a += 1\ny = self\nendfunction\n{}",
            main(&format!("x = t(1)\nx = x{}\nprint x.a\n", ".next()".repeat(n)))
        )
    }),
    right("assignment chain", 20, |n| work(&format!("{}b\ny = x0\n", each(n, "x# = ")))),
    right("sequence", 50, |n| work(&format!("y = ({}b)\n", each(n, "x# = b + #; ")))),
    // Literals.
    right("vector", 250, |n| main(&format!("x = [{}]\nprint x[0]\n", chain(n, "#", ", ")))),
    right("vector of variables", 100, |n| work(&format!("x = [{}]\ny = x[a]\n", chain(n, "b", ", ")))),
    right("matrix", 100, |n| main(&format!("x = [{}]\nprint x[0,0]\n", chain(n, "[#, 1.0, 2.0]", ", ")))),
    right("cell", 100, |n| main(&format!("x = {{{}}}\nprint x[0]\n", chain(n, "#", ", ")))),
    right("cell of texts", 100, |n| main(&format!("x = {{{}}}\nprint x[0]\n", chain(n, "\"t#\"", ", ")))),
    right("dynamic object", 25, |n| main(&format!("x = {{{}}}\nprint x.f0\n", chain(n, "f# := #", ", ")))),
    right("long text", 1000, |n| main(&format!("print \"{}\"\n", "word ".repeat(n)))),
    right("comments", 1000, |n| main(&format!("{}print 1\n", each(n, "% line # of a comment\n")))),
    right("blank lines", 1000, |n| main(&format!("{}print 1\n", "\n".repeat(n)))),
    right("long name", 1000, |n| main(&format!("x{0} = 1\nprint x{0}\n", "a".repeat(n)))),
    right("brackets over lines", 100, |n| main(&format!("x = [\n{}\n]\nprint x[0]\n", chain(n, "#", ",\n")))),
    // Declarations.
    right("functions", 100, |n| {
        each(n, "function y = f#(x : scalar)\ny = x + #\nendfunction\n") + "print f0(1.0)\n"
    }),
    right("functions of loops", 20, |n| {
        each(
            n,
            "function [] = f#(x : mat)\nfor i = 0..size(x,0)-1\nfor j = 0..size(x,1)-1\nx[i,j] = x[i,j]*#\nendfor\nendfor\nendfunction\n",
        )
    }),
    right("functions that are called", 50, |n| {
        each(n, "function y = f#(x : scalar)\ny = x + #\nendfunction\n") + &each(n, "print f#(1.0)\n")
    }),
    right("chain of functions", 25, |n| {
        "function y = f0(x : scalar)\ny = x\nendfunction\n".to_string()
            + &(1..n)
                .map(|k| format!("function y = f{k}(x : scalar)\ny = f{}(x) + 1\nendfunction\n", k - 1))
                .collect::<String>()
            + &format!("print f{}(1.0)\n", n - 1)
    }),
    right("chain of untyped functions", 25, |n| {
        "function y = f0(x)\ny = x\nendfunction\n".to_string()
            + &(1..n)
                .map(|k| format!("function y = f{k}(x)\ny = f{}(x) + 1\nendfunction\n", k - 1))
                .collect::<String>()
            + &format!("print f{}(1.0)\n", n - 1)
    }),
    right("chain of untyped functions, last first", 25, |n| {
        (1..n)
            .rev()
            .map(|k| format!("function y = f{k}(x)\ny = f{}(x) + 1\nendfunction\n", k - 1))
            .collect::<String>()
            + "function y = f0(x)\ny = x\nendfunction\n"
            + &format!("print f{}(1.0)\n", n - 1)
    }),
    right("untyped functions that call twice", 10, |n| {
        "function y = f0(x)\ny = x\nendfunction\n".to_string()
            + &(1..n)
                .map(|k| format!("function y = f{k}(x)\ny = f{0}(x) + f{0}(x + 1)\nendfunction\n", k - 1))
                .collect::<String>()
            + &format!("print f{}(1.0)\n", n.min(10) - 1)
    }),
    right("generic functions", 50, |n| {
        each(n, "function y = f#(x)\ny = x + #\nendfunction\n") + &each(n, "print f#(1.0)\n")
    }),
    right("instances of a generic function", 20, |n| {
        format!(
            "function y = f[n : int](x : vec(n))\ny = sum(x) + n\nendfunction\n{}",
            (1..=n).map(|k| format!("print f([{}])\n", chain(k % 7 + 1, "1.0", ", "))).collect::<String>()
        )
    }),
    right("overloads", 50, |n| {
        format!(
            "{}{}print f(c0(1))\n",
            each(n, "type c# : class\na : int\nendtype\n"),
            each(n, "function y = f(x : c#)\ny = #\nendfunction\n")
        )
    }),
    right("overloads that are called", 25, |n| {
        format!(
            "{}{}{}",
            each(n, "type c# : class\na : int\nendtype\n"),
            each(n, "function y = f(x : c#)\ny = #\nendfunction\n"),
            each(n, "print f(c#(1))\n")
        )
    }),
    right("overloads by size", 50, |n| {
        (1..=n).map(|k| format!("function y = f(x : vec({k}))\ny = {k}\nendfunction\n")).collect::<String>()
            + "print f([1.0])\n"
    }),
    right("parameters", 50, |n| {
        format!(
            "function y = f({})\ny = p0\nendfunction\nprint f({})\n",
            chain(n, "p# : int", ", "),
            chain(n, "#", ", ")
        )
    }),
    right("optional parameters", 50, |n| {
        format!("function y = f({})\ny = p0\nendfunction\nprint f()\n", chain(n, "p# : int = #", ", "))
    }),
    right("outputs", 50, |n| {
        format!(
            "function [{}] = f()\n{}endfunction\nprint f()\n",
            chain(n, "p# : int", ", "),
            each(n, "p# = #\n")
        )
    }),
    right("lambdas", 50, |n| main(&each(n, "f# = x -> x + #\n"))),
    right("lambdas that are called", 50, |n| main(&each(n, "f# = x -> x + #\nprint f#(1)\n"))),
    right("lambdas of types", 50, |n| main(&each(n, "f# = (x : scalar) -> x + #\nprint f#(1.0)\n"))),
    right("calls of one lambda", 50, |n| main(&("f = x -> x + 1\n".to_string() + &each(n, "print f(#)\n")))),
    right("calls of lambdas at top level", 50, |n| "f = x -> x + 1\n".to_string() + &each(n, "y# = f(#)\n")),
    right("top-level lambdas", 50, |n| each(n, "f# = x -> x + #\n") + &each(n, "print f#(1)\n")),
    right("lambdas that capture", 50, |n| work(&each(n, "f# = x -> x + b + a\ny += f#(1)\n"))),
    right("lambdas as arguments", 50, |n| {
        format!(
            "function y = apply(f, x)\ny = f(x)\nendfunction\n{}",
            work(&each(n, "y += apply(x -> x + #, b)\n"))
        )
    }),
    right("lambdas of one variable", 20, |n| {
        work(&("f = x -> x\n".to_string() + &each(n, "if a > #\nf = x -> x + #\nendif\n") + "y = f(1)\n"))
    }),
    right("classes", 50, |n| {
        each(n, "type c# : class\na : int\nb : scalar\nendtype\n") + "print c0(1, 2.0).a\n"
    }),
    right("classes that are made", 25, |n| {
        each(n, "type c# : mutable class\na : int\nb : scalar\nendtype\n")
            + &main(&each(n, "x# = c#(1, 2.0)\nx#.a += 1\nprint x#.a\n"))
    }),
    right("classes that inherit", 12, |n| {
        "type c0 : mutable class\na0 : int\nendtype\n".to_string()
            + &(1..n).map(|k| format!("type c{k} : c{}\na{k} : int\nendtype\n", k - 1)).collect::<String>()
    }),
    right("classes of one base", 25, |n| {
        "type c : mutable class\na : int\nendtype\n".to_string()
            + &each(n, "type c# : c\nb# : int\nendtype\n")
            + &each(n, "function y = f(self : c#)\ny = self.b#\nendfunction\n")
    }),
    right("fields", 50, |n| {
        format!(
            "type c : mutable class\n{}endtype\n{}",
            each(n, "f# : int\n"),
            main(&format!("x = c()\n{}", each(n, "x.f# = #\n")))
        )
    }),
    right("methods", 50, |n| {
        format!(
            "type c : mutable class\na : int\nendtype\n{}{}",
            each(n, "function y = m#(self : c)\ny = self.a + #\nendfunction\n"),
            main(&format!("x = c(1)\n{}", each(n, "print x.m#()\n")))
        )
    }),
    right("objects of one class", 50, |n| {
        format!("type c : mutable class\na : int\nendtype\n{}", main(&each(n, "x# = c(#)\nprint x#.a\n")))
    }),
    right("enums", 50, |n| each(n, "type e# : enum\nA\nB\nendtype\n") + &each(n, "print e#.A\n")),
    right("names of an enum", 100, |n| {
        format!("type e : enum\n{}endtype\n{}", each(n, "A#\n"), each(n, "print e.A#\n"))
    }),
    right("aliases", 50, |n| each(n, "type t# : vec[scalar]\n") + "x : t0 = [1.0]\nprint x\n"),
    right("aliases of aliases", 12, |n| {
        "type t0 : vec\n".to_string()
            + &(1..n).map(|k| format!("type t{k} : t{}\n", k - 1)).collect::<String>()
            + "x : t3 = [1.0]\nprint x\n"
    }),
    right("alternatives of a type", 12, |n| {
        format!(
            "{}type t : [{}]\nfunction y = f(x : t)\ny = x.a\nendfunction\nprint f(c0(1))\n",
            each(n, "type c# : class\na : int\nendtype\n"),
            chain(n, "c#", "|")
        )
    }),
    right("rules", 50, |n| each(n, "reduction (x : scalar) -> r#(x) = x + #\n") + "print r0(1.0)\n"),
    right("rules that are used", 25, |n| {
        each(n, "reduction (x : scalar) -> r#(x) = x + #\n") + &each(n, "print r#(1.0)\n")
    }),
    right("rules of one function", 25, |n| {
        each(n, "reduction (x : scalar) -> r(x, #) = x + #\n") + &each(n, "print r(1.0, #)\n")
    }),
    right("macros", 50, |n| each(n, "macro [] = m#(x)\nprint x\nendmacro\n") + "!m0 1\n"),
    right("macros that are used", 50, |n| {
        "macro [] = m(x)\nprint x\nendmacro\n".to_string() + &each(n, "!m #\n")
    }),
    right("kernels", 20, |n| {
        each(n, "function [] = __kernel__ k#(x : vec, pos : int)\nx[pos] += #\nendfunction\n")
            + &main(&("v = zeros(3)\n".to_string() + &each(n, "parallel_do(3, v, k#)\n")))
    }),
    right("statements of a kernel", 100, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, pos : int)\n{}endfunction\n{}",
            each(n, "x[pos] += #\n"),
            main("v = zeros(3)\nparallel_do(3, v, k)\n")
        )
    }),
    right("variables of a kernel", 100, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, pos : int)\ny = 0.0\n{}x[pos] = y\nendfunction\n{}",
            each(n, "a# = x[pos] + #\ny += a#\n"),
            main("v = zeros(3)\nparallel_do(3, v, k)\n")
        )
    }),
    right("ifs of a kernel", 50, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, pos : int)\ny = 0.0\n{}x[pos] = y\nendfunction\n{}",
            each(n, "if pos > #\ny += 1\nendif\n"),
            main("v = zeros(3)\nparallel_do(3, v, k)\n")
        )
    }),
    right("loops of a kernel", 12, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, pos : int)\ny = 0.0\n{}x[pos] = y\nendfunction\n{}",
            each(n, "for i = 0..pos\ny += x[i]\nendfor\n"),
            main("v = zeros(3)\nparallel_do(3, v, k)\n")
        )
    }),
    right("barriers of a kernel", 12, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, pos : int, blkpos : int)\ns = shared(32)\n{}x[pos] = s[blkpos]\nendfunction\n{}",
            each(n, "s[blkpos] = x[pos] + #\nsyncthreads\n"),
            main("v = zeros(32)\nparallel_do(32, v, k)\n")
        )
    }),
    right("nested ifs of a kernel", 12, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, pos : int)\ny = 0.0\n{}{}x[pos] = y\nendfunction\n{}",
            each(n, "if pos > #\ny += 1\n"),
            "endif\n".repeat(n),
            main("v = zeros(3)\nparallel_do(3, v, k)\n")
        )
    }),
    right("nested loops of a kernel", 3, |n| {
        format!(
            "function [] = __kernel__ k(x : vec, pos : int)\ny = 0.0\n{}y += 1\n{}x[pos] = y\nendfunction\n{}",
            each(n, "for i# = 0..pos\n"),
            "endfor\n".repeat(n),
            main("v = zeros(3)\nparallel_do(3, v, k)\n")
        )
    }),
    right("device functions", 25, |n| {
        format!(
            "{}function [] = __kernel__ k(x : vec, pos : int)\n{}endfunction\n{}",
            each(n, "function y = __device__ d#(x : scalar)\ny = x + #\nendfunction\n"),
            each(n, "x[pos] = d#(x[pos])\n"),
            main("v = zeros(3)\nparallel_do(3, v, k)\n")
        )
    }),
    right("arrays of a kernel", 25, |n| {
        format!(
            "function [] = __kernel__ k({}, pos : int)\n{}endfunction\n{}",
            chain(n, "x# : vec", ", "),
            each(n, "x#[pos] += 1\n"),
            main(&(each(n, "v# = zeros(3)\n") + &format!("parallel_do(3, {}, k)\n", chain(n, "v#", ", "))))
        )
    }),
    right("attributes", 25, |n| work(&each(n, "{!unroll}\nfor i = 0..2\ny += #\nendfor\n"))),
    right("constants", 100, |n| each(n, "c# = #\n") + &main(&each(n, "print c#\n"))),
    right("module variables of functions", 50, |n| {
        each(n, "c# = [#, 1]\n")
            + &each(n, "function y = f#()\ny = c#[0]\nendfunction\n")
            + &each(n, "print f#()\n")
    }),
    right("module variables that functions change", 50, |n| {
        each(n, "c# = [#, 1]\n")
            + &each(n, "function [] = f#()\nc#[0] = 2\nendfunction\n")
            + &each(n, "f#()\n")
    }),
    right("recursive functions", 25, |n| {
        each(n, "function y : int = f#(x : int)\ny = x > 0 ? f#(x - 1) + 1 : 0\nendfunction\n")
            + &each(n, "print f#(3)\n")
    }),
    right("functions in a ring", 12, |n| {
        (0..n)
            .map(|k| {
                format!(
                    "function y : int = f{k}(x : int)\ny = x > 0 ? f{}(x - 1) + 1 : 0\nendfunction\n",
                    (k + 1) % n
                )
            })
            .collect::<String>()
            + "print f0(3)\n"
    }),
    right("texts in the array", 50, |n| main(&each(n, "s# = \"a\" + #\nprint s#\n"))),
    right("slices", 25, |n| work(&each(n, "v[0..1] = v[1..2] + #\n"))),
    right("members of cells", 50, |n| main(&("c = {1, 2}\n".to_string() + &each(n, "c[0] = #\n")))),
    right("assertions about sizes", 25, |n| {
        format!(
            "function y = f({})\n{}y = 0.0\nfor i = 0..numel(p0)-1\n{}endfor\nendfunction\nprint f({})\n",
            chain(n, "p# : vec", ", "),
            each(n, "assert(numel(p#) == numel(p0))\n"),
            each(n, "y += p#[i]\n"),
            chain(n, "[1.0, 2.0]", ", ")
        )
    }),
    // Mistakes.
    wrong("unknown names", 100, |n| main(&each(n, "print unknown#\n"))),
    wrong("one unknown name", 100, |n| main(&each(n, "print unknown\n"))),
    wrong("unknown names among functions", 50, |n| {
        each(n, "function y = name#(x)\ny = x\nendfunction\n") + &main(&each(n, "print unknown#(1)\n"))
    }),
    wrong("unknown fields", 50, |n| {
        format!(
            "type c : class\na : int\nendtype\n{}",
            main(&("x = c(1)\n".to_string() + &each(n, "print x.f#\n")))
        )
    }),
    wrong("unknown types", 50, |n| each(n, "x# : unknown# = 1\n")),
    wrong("wrong arguments", 50, |n| {
        format!("function y = f(x : scalar)\ny = x\nendfunction\n{}", main(&each(n, "print f(\"a#\")\n")))
    }),
    wrong("wrong overloads", 25, |n| {
        format!(
            "{}{}{}",
            each(n, "type c# : class\na : int\nendtype\n"),
            each(n, "function y = f(x : c#)\ny = #\nendfunction\n"),
            each(n, "print f(\"a#\")\n")
        )
    }),
    wrong("wrong syntax", 100, |n| main(&each(n, "x = = #\n"))),
    wrong("open brackets", 100, |n| main(&each(n, "x = (# + 1\n"))),
    wrong("wrong characters", 100, |n| each(n, "x = @ #\n")),
    wrong("wrong endings", 50, |n| each(n, "if #\nendfor\n")),
    wrong("texts without an end", 100, |n| each(n, "x = \"a#\n")),
    right("functions twice", 50, |n| each(n, "function y = f(x : int)\ny = #\nendfunction\n")),
    wrong("types twice", 50, |n| each(n, "type t : class\na : int\nendtype\n")),
    right("unknown attributes", 50, |n| work(&each(n, "{!unknown_#}\n"))),
    wrong("wrong types", 50, |n| work(&each(n, "y += \"a\"*v\n"))),
    wrong("unclosed blocks", 20, |n| each(n, "if a\n")),
    wrong("closing brackets", 100, |n| format!("x = 1{}\n", ")".repeat(n))),
    wrong("opening brackets", 100, |n| format!("x = {}1\n", "(".repeat(n))),
];
