//! Objects of random programs: classes with fields that statements change, names for one object, copies, lists and trees by
//! pointers, methods and derived classes, classes with type parameters.

use super::{Counter, Generator, Kind};

impl Generator {
    /// An object whose number fields are variables from here on, one under two names, and a copy.
    pub(super) fn objects(&mut self) {
        self.note("object");
        let (class, o, other) = (self.name("Thing"), self.name("o"), self.name("o"));
        self.define(&format!(
            "type {class} : mutable class\n    a : int\n    b : scalar\n    v : vec3\nendtype"
        ));
        let (a, b, v) = (self.expr(Kind::Int, 2), self.literal(Kind::Float), self.literal(Kind::Float));
        match self.random.below(3) {
            0 => self.line(format!("{o} = {class}(a:={a}, b:={b}, v:=[{v}, 1.5, 2])")),
            1 => self.line(format!("{o} = {class}(b:={b}, a:={a})")),
            _ => self.line(format!("{o} = {class}({a}, {b}, [0.5, {v}, 1])")),
        }
        let alias = self.random.chance(50);
        self.note(if alias { "object with two names" } else { "copy of an object" });
        self.line(if alias { format!("{other} = {o}") } else { format!("{other} = copy({o})") });
        let counter = self.name("n");
        let last = self.random.between(0, 3);
        self.open(format!("for {counter} = 0..{last}"));
        let value = self.expr(Kind::Int, 2);
        self.line(format!("{other}.a = {value} - {o}.a"));
        let value = self.expr(Kind::Float, 2);
        self.line(format!("{o}.b = {value}"));
        self.bound(&format!("{o}.b"), Kind::Float);
        let (at, value) = (self.index_within(3), self.literal(Kind::Float));
        self.line(format!("{other}.v[{at}] = {o}.v[{counter} > 2 ? 0 : {counter}] + {value}"));
        if self.random.chance(50) {
            let condition = self.condition(1);
            self.open(format!("if {condition}"));
            self.line(format!("{other} = {class}(a:={counter}, b:=0.25)"));
            self.close("endif");
        }
        self.close("endfor");
        self.line(format!(
            "print \"{o} \", {o}.a, \" \", {o}.b, {o}.v, {other}.a, \" \", {other}.b, {other}.v"
        ));
        self.line(format!("print {o}"));
        self.scalars.push((format!("{o}.a"), Kind::Int));
        self.scalars.push((format!("{other}.b"), Kind::Float));
    }

    /// Objects in a cell, whose class is known at run time only where they are taken out of it.
    pub(super) fn objects_in_a_cell(&mut self) {
        self.note("objects of unknown class");
        let (class, cell, item) = (self.name("Thing"), self.name("c"), self.name("o"));
        self.define(&format!(
            "type {class} : mutable class\n    a : int\n    b : scalar\n    t : string\nendtype"
        ));
        let (count, counter) = (self.random.between(1, 4), self.name("n"));
        self.line(format!("{cell} = cell({count})"));
        self.open(format!("for {counter} = 0..{}", count - 1));
        let (a, b) = (self.expr(Kind::Int, 2), self.literal(Kind::Float));
        self.line(format!("{cell}[{counter}] = {class}(a:={a}, b:={b}, t:=\"t\" + {counter})"));
        self.close("endfor");
        let rounds = self.random.between(0, 3);
        self.open(format!("for {counter} = 0..{rounds}"));
        self.open(format!("for {item} = {cell}"));
        let value = self.literal(Kind::Int);
        let changed = match self.random.below(3) {
            0 => format!("{item}.a = {value} - {counter}"),
            1 => format!("{item}.a = mod({item}.a, 100) + {counter}"),
            _ => format!("{item}.a = {item}.b > 0 ? {counter} : {value}"),
        };
        self.line(changed);
        let value = self.literal(Kind::Float);
        self.line(format!("{item}.b = {counter} > 1 ? {item}.b : {value}"));
        self.line(format!("{item}.t = {item}.t + {counter}"));
        self.close("endfor");
        self.close("endfor");
        self.open(format!("for {item} = {cell}"));
        self.line(format!("print {item}"));
        self.close("endfor");
    }

    /// A list that grows in a loop, is turned round, and is added up.
    pub(super) fn linked_list(&mut self) {
        self.note("linked list");
        let (class, first, at, total) =
            (self.name("Node"), self.name("l"), self.name("l"), self.name("total"));
        self.define(&format!(
            "type {class} : mutable class\n    value : int\n    next : ^{class}\nendtype\n\
             function r : ^{class} = turned_{class}(l : ^{class})\n    r = nullptr\n    while l != nullptr\n        \
             next = l.next\n        l.next = r\n        r = l\n        l = next\n    endwhile\nendfunction"
        ));
        self.line(format!("{first} : ^{class} = nullptr"));
        let counter = self.name("n");
        let last = self.random.between(-1, 6);
        self.open(format!("for {counter} = 0..{last}"));
        let value = self.expr(Kind::Int, 2);
        let condition = self.condition(1);
        self.open(format!("if {counter} > 4 || {condition}"));
        self.line(format!("{first} = {class}(value:={value}, next:={first})"));
        self.close("else");
        self.indent += 1;
        self.line(format!("{first} = {class}({counter}, {first})"));
        self.close("endif");
        self.close("endfor");
        if self.random.chance(60) {
            self.line(format!("{first} = turned_{class}({first})"));
        }
        self.line(format!("{total} = 0"));
        self.line(format!("{at} = {first}"));
        self.open(format!("while {at} != nullptr"));
        self.line(format!("{total} = 3*{total} + {at}.value"));
        self.line(format!("{at} = {at}.next"));
        self.close("endwhile");
        if self.random.chance(30) {
            self.open("try");
            self.line(format!("{total} += {at}.value"));
            self.close("catch ex");
            self.indent += 1;
            self.line("print ex.message");
            self.close("endtry");
        }
        self.scalars.push((total, Kind::Int));
    }

    /// A class that derives from another, with methods for both.
    pub(super) fn methods(&mut self) {
        self.note("method");
        let (base, derived, x, y, result) =
            (self.name("Base"), self.name("Derived"), self.name("x"), self.name("y"), self.name("r"));
        let op = *self.random.pick(&["+", "-", "*"]);
        self.define(&format!(
            "type {base} : mutable class\n    n : int\nendtype\n\
             type {derived} : {base}\n    m : int\nendtype\n\
             function r : int = {base}_worth(self : {base}, k : int)\n    r = self.n {op} k\nendfunction\n\
             function r : int = {base}_worth(self : {derived}, k : int)\n    r = self.n {op} k + self.m\nendfunction\n\
             function [] = {base}_grow(self : {base}, k : int)\n    self.n += k\nendfunction"
        ));
        let (a, b, c, d) = (
            self.expr(Kind::Int, 1),
            self.expr(Kind::Int, 2),
            self.expr(Kind::Int, 1),
            self.expr(Kind::Int, 2),
        );
        self.line(format!("{x} = {base}({a})"));
        self.line(format!("{y} = {derived}(n:={b}, m:={c})"));
        self.line(format!("{y}.{base}_grow({d})"));
        self.line(format!("{x}.{base}_grow({y}.{base}_worth({x}.n))"));
        self.line(format!("{result} = {x}.{base}_worth(2) - {base}_worth({y}, {x}.n)"));
        self.line(format!("print {x}, {y}"));
        self.scalars.push((result, Kind::Int));
    }

    /// A class with type parameters, for two kinds of elements.
    pub(super) fn parametric_class(&mut self) {
        self.note("class with type parameters");
        let (class, p, q, total) = (self.name("Pair"), self.name("p"), self.name("p"), self.name("t"));
        self.define(&format!(
            "type {class}[A,B] : class\n    first : A\n    second : B\nendtype\n\
             function y = {class}_swapped[A,B](p : {class}[A,B])\n    y = {class}[B,A](p.second, p.first)\nendfunction"
        ));
        let (a, b) = (self.expr(Kind::Int, 2), self.expr(Kind::Float, 1));
        self.line(format!("{p} = {class}[int,scalar]({a}, {b})"));
        self.line(format!("{q} = {class}_swapped({p})"));
        self.line(format!("{total} = {q}.second + {p}.first"));
        self.line(format!("print {q}.first == {p}.second, {p}"));
        self.scalars.push((total, Kind::Int));
    }

    /// A class for the elements of arrays, and an array of its objects that a loop fills.
    fn objects_in_a_row(&mut self) -> (String, String, i64) {
        let (class, list, k) = (self.name("Spot"), self.name("ps"), self.name("k"));
        let count = self.random.between(2, 6);
        self.define(&format!(
            "type {class} : mutable class\n    a : int\n    b : scalar\n    v : vec3\nendtype\n\
             function r : scalar = __device__ {class}_worth(self : {class}, k : int)\n    r = self.b + self.v[1] - k\nendfunction"
        ));
        self.line(format!("{list} = vec[{class}]({count})"));
        self.open(format!("for {k} = 0..{}", count - 1));
        self.counters.push(Counter { name: k.clone(), low: 0, high: count - 1 });
        let (a, b) = (self.expr(Kind::Int, 2), self.element_value(Kind::Float, 1));
        self.counters.pop();
        self.line(format!("{list}[{k}].a = {a}"));
        self.line(format!("{list}[{k}].b = {b}"));
        self.line(format!("{list}[{k}].v[mod({k}, 3)] = {k}"));
        self.close("endfor");
        (class, list, count)
    }

    /// Objects inside of arrays: replaced, referred to, copied, visited.
    pub(super) fn array_of_objects(&mut self) {
        self.note("array of objects");
        let (class, list, count) = self.objects_in_a_row();
        let (one, item, total) = (self.name("o"), self.name("p"), self.name("t"));
        let (a, b, at) =
            (self.expr(Kind::Int, 1), self.literal(Kind::Float), self.random.between(0, count - 1));
        self.line(format!("{one} = {class}(a:={a}, b:={b})"));
        self.line(format!("{list}[{at}] = {one}"));
        self.line(format!("{one}.a = {at} - {one}.a"));
        match self.random.below(3) {
            0 => {
                self.note("copy of an array of objects");
                let more = self.name("ps");
                self.line(format!("{more} = copy({list})"));
                self.line(format!("{more}[0].a = -1"));
                self.line(format!("print {more}[0], {list}[0].a"));
            }
            1 => {
                self.note("array of pointers");
                let refs = self.name("refs");
                self.line(format!("{refs} = vec[^{class}](2)"));
                self.line(format!("{refs}[0] = {one}"));
                self.line(format!("{refs}[1] = {list}[{at}]"));
                self.line(format!("{refs}[1].a += 3"));
                self.line(format!("{refs}[0].v = [0.5, 1, {b}]"));
                self.line(format!("print {refs}[0] == {one}, {refs}[1] == {list}[0], {one}"));
            }
            _ => {
                self.line(format!("{item} = {list}[{at}]"));
                self.line(format!("{item}.v += 0.5"));
            }
        }
        self.line(format!("{total} = 0"));
        self.open(format!("for {item} = {list}"));
        self.line(format!("{total} = 3*{total} + {item}.a"));
        self.close("endfor");
        self.line(format!("print {list}"));
        self.scalars.extend([(total, Kind::Int), (format!("{one}.a"), Kind::Int)]);
    }

    /// A kernel that changes the objects of an array, each position its own.
    pub(super) fn objects_in_kernels(&mut self) {
        self.note("objects in a kernel");
        let (class, list, count) = self.objects_in_a_row();
        let kernel = self.name("move");
        let known = [("n", Kind::Int), ("pos", Kind::Int), ("c", Kind::Int), ("s", Kind::Float)];
        let (a, b) = (self.closed_expr(&known, Kind::Int, 2), self.closed_expr(&known, Kind::Float, 2));
        let made = if self.random.chance(40) {
            self.note("object made in a kernel");
            format!("    q = {class}(a:=c, b:=s)\n    q.v[0] += pos\n    s = s + q.v[0]\n")
        } else {
            String::new()
        };
        self.define(&format!(
            "function [] = __kernel__ {kernel}(ps : vec[{class}], c : int, pos : int)\n    p = ps[pos]\n    n = p.a\n    \
             s = {class}_worth(p, c)\n{made}    p.a = {a}\n    if n > c\n        p.b = {b}\n        \
             p.v[2] = p.v[0] - 1\n    endif\n    ps[pos].v[1] += 2\nendfunction"
        ));
        let c = self.leaf(Kind::Int);
        self.line(format!("parallel_do({count}, {list}, mod({c}, 9), {kernel})"));
        self.line(format!("print {list}"));
        let field = self.name("i");
        self.line(format!("{field} = {list}[{}].a", count - 1));
        self.scalars.push((field, Kind::Int));
    }
}
