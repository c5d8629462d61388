//! Recursion of random programs: over parts of an array, in circles of functions, through lambdas and functions that are
//! values, over trees of objects, with errors that end it at some level.

use super::{Generator, Kind};

impl Generator {
    /// An array that a function orders, fills or folds by halves.
    pub(super) fn recursion_over_halves(&mut self) {
        let Some(array) = self.some_array(Some(Kind::Int)).filter(|array| array.dims.len() == 1) else {
            return;
        };
        self.note("recursion over an array");
        let (name, total) = (self.name("halves"), self.name("t"));
        let known = [("x", Kind::Int), ("low", Kind::Int)];
        let value = self.closed_expr(&known, Kind::Int, 2);
        let body = match self.random.below(3) {
            // The smaller elements to the front, then each part by itself.
            0 => "    if high > low\n        last = low\n        for k = low + 1..high\n            if a[k] < a[low]\n                \
                  last += 1\n                [a[k], a[last]] = {a[last], a[k]}\n            endif\n        endfor\n        \
                  [a[low], a[last]] = {a[last], a[low]}\n        r = NAME(a, low, last - 1) + NAME(a, last + 1, high)\n    \
                  endif\n    r += 1"
                .to_string(),
            1 => format!(
                "    if high == low\n        x = a[low]\n        r = {value}\n    else\n        half = int((low + high)/2)\n        \
                 r = NAME(a, low, half) - 2*NAME(a, half + 1, high)\n    endif"
            ),
            _ => format!(
                "    if high >= low\n        x = high\n        a[low] = {value}\n        r = NAME(a, low + 1, high) + a[low]\n        \
                 a[high] = mod(a[high] + low, 101)\n    endif"
            ),
        };
        let body = body.replace("NAME", &name);
        self.define(&format!(
            "function r : int = {name}(a : ivec, low : int, high : int)\n    r = 0\n{body}\nendfunction"
        ));
        self.line(format!("{total} = {name}({}, 0, {})", array.name, array.dims[0] - 1));
        self.scalars.push((total, Kind::Int));
    }

    /// Functions that call each other in a circle and stop by an error, which some level catches and goes on.
    pub(super) fn recursion_with_errors(&mut self) {
        self.note("recursion that fails");
        let (first, second, total) = (self.name("down"), self.name("down"), self.name("t"));
        let known = [("n", Kind::Int), ("x", Kind::Int)];
        let (a, b) = (self.closed_expr(&known, Kind::Int, 2), self.closed_expr(&known, Kind::Int, 1));
        let level = self.random.between(0, 4);
        let fault = *self.random.pick(&[
            "error \"bottom \", x",
            "assert(x < -1000000, \"bottom\")",
            "v[n - 3] = x",
            "w = zeros(1000000, 1000000, 1000)",
        ]);
        self.define(&format!(
            "function y : int = {first}(n : int, x : int)\n    y = 0\n    if n <= 0\n        v = zeros[int](2)\n        {fault}\n        \
             y = sum(v)\n    else\n        y = {second}(n - 1, {a}) + n\n    endif\nendfunction\n\
             function y : int = {second}(n : int, x : int)\n    y = x\n    if n == {level}\n        try\n            \
             y = {first}(n - 1, x)\n        catch ex\n            y += {b}\n        endtry\n    else\n        \
             y += {first}(n - 1, x + 1)\n    endif\nendfunction"
        ));
        let (n, x) = (self.random.between(0, 12), self.leaf(Kind::Int));
        self.line(format!("{total} = 1"));
        self.open("try");
        self.line(format!("{total} = {second}({n}, mod({x}, 50))"));
        self.close("catch ex");
        self.indent += 1;
        self.line(format!("{total} -= 2"));
        self.close("endtry");
        self.scalars.push((total, Kind::Int));
    }

    /// A function that gets itself, or a lambda around itself, as an argument.
    pub(super) fn recursion_through_values(&mut self) {
        self.note("recursion through a function value");
        let (name, total) = (self.name("again"), self.name("t"));
        let known = [("n", Kind::Int), ("x", Kind::Int)];
        let (a, b) = (self.closed_expr(&known, Kind::Int, 1), self.closed_expr(&known, Kind::Int, 1));
        let (n, x) = (self.random.between(0, 9), self.leaf(Kind::Int));
        match self.random.below(3) {
            0 => {
                self.define(&format!(
                    "function y : int = {name}(f : [int -> int], n : int)\n    if n <= 0\n        y = f(1)\n    else\n        \
                     x = f(n)\n        y = {name}(f, n - 1) + {a}\n    endif\nendfunction"
                ));
                let captured = self.leaf(Kind::Int);
                self.line(format!("{total} = {name}((x : int) -> mod(3*x + {captured}, 101), {n})"));
            }
            1 => {
                let step = self.name("step");
                self.define(&format!(
                    "function y : int = {name}(f : [int -> int], n : int)\n    y = n <= 0 ? f(n) : f(n - 1) + n\nendfunction\n\
                     function y : int = {step}(n : int)\n    x = n\n    if n <= 0\n        y = {b}\n    else\n        \
                     y = {name}({step}, n - 1)\n    endif\nendfunction"
                ));
                self.line(format!("{total} = {step}({n})"));
            }
            _ => {
                let (even, odd) = (self.name("even"), self.name("odd"));
                self.line(format!(
                    "{even} : [int -> int] = (n : int) -> n <= 0 ? {x} : mod(3*{even}(n - 1) + n, 1001)"
                ));
                self.line(format!(
                    "{odd} : [int -> int] = (n : int) -> n <= 1 ? {even}(n) : {odd}(n - 2) - {even}(n)"
                ));
                self.line(format!("{total} = {odd}({n})"));
            }
        }
        self.scalars.push((total, Kind::Int));
    }

    /// A tree of objects that a function grows by the values it is given, and others fold.
    pub(super) fn recursion_over_a_tree(&mut self) {
        self.note("recursion over a tree");
        let (class, root, k, total) = (self.name("Twig"), self.name("tree"), self.name("k"), self.name("t"));
        let known = [("l", Kind::Int), ("r", Kind::Int), ("v", Kind::Int)];
        let fold = self.closed_expr(&known, Kind::Int, 2);
        self.define(&format!(
            "type {class} : mutable class\n    value : int\n    left : ^{class}\n    right : ^{class}\nendtype\n\
             function t : ^{class} = {class}_with(t : ^{class}, v : int)\n    if t == nullptr\n        \
             t = {class}(value:=v, left:=nullptr, right:=nullptr)\n    elseif v < t.value\n        \
             t.left = {class}_with(t.left, v)\n    else\n        t.right = {class}_with(t.right, v)\n    endif\nendfunction\n\
             function y : int = {class}_fold(t : ^{class})\n    y = 1\n    if t != nullptr\n        l = {class}_fold(t.left)\n        \
             r = {class}_fold(t.right)\n        v = t.value\n        y = {fold} + 1\n    endif\nendfunction\n\
             function y : vec[int] = {class}_in_order(t : ^{class})\n    y = zeros[int](0)\n    if t != nullptr\n        \
             y = [...{class}_in_order(t.left), t.value, ...{class}_in_order(t.right)]\n    endif\nendfunction"
        ));
        let last = self.random.between(0, 9);
        let value = self.expr(Kind::Int, 1);
        self.line(format!("{root} : ^{class} = nullptr"));
        self.open(format!("for {k} = 0..{last}"));
        self.line(format!("{root} = {class}_with({root}, mod({k}*37 + {value}, 53))"));
        self.close("endfor");
        self.line(format!("{total} = {class}_fold({root})"));
        self.line(format!("print {class}_in_order({root})"));
        self.scalars.push((total, Kind::Int));
    }
}
