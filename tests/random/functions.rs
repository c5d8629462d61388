//! Functions of random programs: several results, spread, optional and any number of parameters, functions as values.

use super::{Array, Function, Generator, Kind, type_name};

impl Generator {
    /// A small value of nothing but the given variables, for functions outside of `main`.
    pub(super) fn closed_expr(&mut self, known: &[(&str, Kind)], kind: Kind, depth: usize) -> String {
        let known = known.iter().map(|(name, kind)| ((*name).to_string(), *kind)).collect();
        let scalars = std::mem::replace(&mut self.scalars, known);
        let (arrays, counters, functions) = (
            std::mem::take(&mut self.arrays),
            std::mem::take(&mut self.counters),
            std::mem::take(&mut self.functions),
        );
        let value = self.element_value(kind, depth);
        (self.scalars, self.arrays, self.counters, self.functions) = (scalars, arrays, counters, functions);
        value
    }

    pub(super) fn several_outputs(&mut self) {
        self.note("several outputs");
        let parts = self.name("parts");
        let known = [("x", Kind::Int), ("y", Kind::Float)];
        let kinds = [Kind::Int, Kind::Float, Kind::Int];
        let values = kinds.map(|kind| self.closed_expr(&known, kind, 2));
        let device = if self.random.chance(50) { "__device__ " } else { "" };
        self.define(&format!(
            "function [a : int, b : scalar, c : int] = {device}{parts}(x : int, y : scalar)\n    a = {}\n    b = {}\n    \
             c = a - {}\nendfunction",
            values[0], values[1], values[2]
        ));
        let (x, y) = (self.expr(Kind::Int, 1), self.leaf(Kind::Float));
        let names = [self.name("i"), self.name("s"), self.name("i")];
        let dropped = self.random.below(4);
        let targets: Vec<&str> = (0..3).map(|k| if k == dropped { "_" } else { names[k].as_str() }).collect();
        self.line(format!("[{}] = {parts}({x}, {y})", targets.join(", ")));
        for (k, (name, kind)) in names.into_iter().zip(kinds).enumerate() {
            if k != dropped {
                self.scalars.push((name, kind));
            }
        }
    }

    /// Vectors and results in the places of several arguments and elements.
    pub(super) fn spread_arguments(&mut self) {
        self.note("spread");
        let (three, two, total) = (self.name("three"), self.name("two"), self.name("t"));
        self.define(&format!(
            "function y : int = {three}(a : int, b : int, c : int)\n    y = 100*a + 10*b - c\nendfunction\n\
             function [x : int, y : int] = {two}(a : int, b : int)\n    x = b\n    y = a + 1\nendfunction"
        ));
        let value = (0..1 + self.random.below(3)).map(|_| {
            let (a, b, c) = (self.leaf(Kind::Int), self.leaf(Kind::Int), self.leaf(Kind::Int));
            match self.random.below(4) {
                0 => format!("{three}(...[{a}, {b}, {c}])"),
                1 => format!("{three}(...{two}({a}, {b}), {c})"),
                2 => format!("{three}({a}, ...[{b}, {c}])"),
                _ => format!("{three}({a}, ...{two}({b}, {c}))"),
            }
        });
        let value = value.collect::<Vec<_>>().join(" - ");
        self.line(format!("{total} = {value}"));
        self.scalars.push((total, Kind::Int));
        let Some(array) = self.some_array(None).filter(|array| array.dims.len() == 1) else { return };
        self.note("spread in a literal");
        let (joined, element) = (self.name("J"), self.literal(array.kind));
        self.line(format!("{joined} = [...{0}, {element}, ...{0}]", array.name));
        let dims = vec![2 * array.dims[0] + 1];
        self.arrays.push(Array { name: joined, kind: array.kind, dims, mode: None });
    }

    pub(super) fn optional_parameters(&mut self) {
        self.note("optional parameters");
        let (name, total) = (self.name("opt"), self.name("t"));
        let known = [("a", Kind::Int), ("b", Kind::Int), ("c", Kind::Int)];
        let value = self.closed_expr(&known, Kind::Int, 2);
        self.define(&format!(
            "function y : int = {name}(a : int, b = 2*a, c = a + b)\n    y = {value} + c - b\nendfunction"
        ));
        let (x, y, z) = (self.expr(Kind::Int, 1), self.leaf(Kind::Int), self.leaf(Kind::Int));
        let call = match self.random.below(5) {
            0 => format!("{name}({x})"),
            1 => format!("{name}({x}, {y})"),
            2 => format!("{name}({x}, c := {y})"),
            3 => format!("{name}(c := {z}, a := {x}, b := {y})"),
            _ => format!("{name}({x}, {y}, {z})"),
        };
        self.line(format!("{total} = {call} - {name}(3)"));
        self.scalars.push((total, Kind::Int));
    }

    pub(super) fn variadic_function(&mut self) {
        self.note("variadic function");
        let (name, total) = (self.name("many"), self.name("t"));
        self.define(&format!(
            "function s : int = {name}(k : int, ...x : vec[int])\n    s = numel(x)\n    for n = 0..numel(x)-1\n        \
             s = k*s + x[n]\n    endfor\nendfunction"
        ));
        let count = self.random.below(4);
        let arguments: String = (0..count).map(|_| format!(", {}", self.leaf(Kind::Int))).collect();
        let first = self.leaf(Kind::Int);
        self.line(format!("{total} = {name}({first}{arguments})"));
        let fitting = self.some_array(Some(Kind::Int)).filter(|array| array.dims.len() == 1);
        if let Some(array) = fitting {
            self.note("spread of a vector");
            self.line(format!("{total} -= {name}(2, ...{})", array.name));
        }
        self.scalars.push((total, Kind::Int));
    }

    /// A lambda that gives lambdas, of which one is kept with what it captured.
    pub(super) fn curried_lambda(&mut self) {
        self.note("curried lambda");
        let (base, part, result) = (self.name("base"), self.name("part"), self.name("t"));
        let (first, second) = (self.kind(), self.kind());
        self.scalars.extend([("a".into(), first), ("b".into(), second)]);
        let value = self.element_value(second, 2);
        self.scalars.truncate(self.scalars.len() - 2);
        let (first_type, second_type) = (type_name(first), type_name(second));
        self.line(format!("{base} = (a : {first_type}) -> (b : {second_type}) -> {value}"));
        let argument = self.leaf(first);
        self.line(format!("{part} = {base}({argument})"));
        self.assign_scalar();
        let (x, y, z) = (self.leaf(second), self.leaf(first), self.leaf(second));
        self.line(format!("{result} = {part}({x}) - {base}({y})({z})"));
        self.bound(&result, second);
        self.scalars.push((result, second));
        if self.random.chance(50) {
            let params = vec![second];
            self.functions.push(Function { name: part, device: false, params, result: second });
        }
    }

    /// Functions that are chosen when the program runs: by an index, by a condition, in a loop.
    pub(super) fn chosen_function(&mut self) {
        self.note("chosen function");
        let (kind, next, twice, apply) =
            (self.kind(), self.name("next"), self.name("twice"), self.name("apply"));
        let (ty, known) = (type_name(kind), [("x", kind)]);
        let (a, b) = (self.closed_expr(&known, kind, 2), self.closed_expr(&known, kind, 1));
        self.define(&format!(
            "function y : {ty} = {next}(x : {ty})\n    y = {a}\nendfunction\n\
             function y : {ty} = {twice}(x : {ty})\n    y = {b}\nendfunction\n\
             function y : {ty} = {apply}(f : [{ty} -> {ty}], x : {ty})\n    y = f(f(x))\nendfunction"
        ));
        // What such functions capture may be numbers and arrays.
        self.scalars.push(("x".into(), kind));
        self.in_kernel = true;
        let lambda = format!("(x : {ty}) -> {}", self.element_value(kind, 1));
        self.in_kernel = false;
        self.scalars.pop();
        let (ops, f, total) = (self.name("ops"), self.name("f"), self.name("t"));
        self.line(format!("{ops} = {{{next}, {lambda}, {twice}}}"));
        let (at, argument, condition) = (self.leaf(Kind::Int), self.leaf(kind), self.condition(1));
        self.line(format!("{total} = {ops}[mod({at}, 3)]({argument})"));
        self.bound(&total, kind);
        let form = self.random.below(3);
        match form {
            0 => self.line(format!("{f} = {condition} ? {next} : {twice}")),
            1 => {
                self.line(format!("{f} : [{ty} -> {ty}] = {next}"));
                self.open(format!("if {condition}"));
                self.line(format!("{f} = {lambda}"));
                self.close("endif");
            }
            _ => self.open(format!("for {f} = {{{twice}, {lambda}}}")),
        }
        self.line(format!("{total} = {total} - {f}({total})"));
        if self.random.chance(50) {
            self.line(format!("{total} += {apply}({f}, 2)"));
        }
        self.bound(&total, kind);
        if form == 2 {
            self.close("endfor");
        }
        self.scalars.push((total, kind));
    }

    pub(super) fn recursive_function(&mut self) {
        let (name, total) = (self.name("deep"), self.name("t"));
        let known = [("n", Kind::Int), ("x", Kind::Int)];
        let (step, end) = (self.closed_expr(&known, Kind::Int, 2), self.closed_expr(&known, Kind::Int, 1));
        let n = format!("mod({}, 7)", self.leaf(Kind::Int));
        if self.random.chance(30) {
            self.note("recursive lambda");
            self.line(format!(
                "{name} : [int -> int] = (n : int) -> n <= 0 ? 3 : mod(5*{name}(n - 1) + n, 1001)"
            ));
            self.line(format!("{total} = {name}({n})"));
        } else {
            self.note("recursion");
            let device = if self.random.chance(50) { "__device__ " } else { "" };
            let other = self.name("deep");
            self.define(&format!(
                "function y : int = {device}{name}(n : int, x : int)\n    if n <= 0\n        y = {end}\n    else\n        \
                 y = {other}(n - 1, {step}) + n\n    endif\nendfunction\n\
                 function y : int = {device}{other}(n : int, x : int)\n    y = n > 3 ? {name}(n - 2, x) : {name}(n - 1, x + 1)\n\
                 endfunction"
            ));
            let x = self.leaf(Kind::Int);
            self.line(format!("{total} = {name}({n}, {x})"));
        }
        self.scalars.push((total, Kind::Int));
    }

    /// A function inside of `main`, which captures variables where it is defined.
    pub(super) fn inner_function(&mut self) {
        self.note("inner function");
        let (name, kind) = (self.name("inner"), self.kind());
        self.scalars.push(("x".into(), kind));
        let (value, other) = (self.element_value(kind, 2), self.element_value(kind, 1));
        let condition = self.condition(1);
        self.scalars.pop();
        self.open(format!("function y : {0} = {name}(x : {0})", type_name(kind)));
        self.line(format!("y = {value}"));
        self.open(format!("if {condition}"));
        self.line(format!("y = {other}"));
        self.close("endif");
        self.close("endfunction");
        self.assign_scalar();
        let (argument, total) = (self.leaf(kind), self.name("t"));
        self.line(format!("{total} = {name}({argument})"));
        self.scalars.push((total, kind));
        self.functions.push(Function { name, device: false, params: vec![kind], result: kind });
    }
}
