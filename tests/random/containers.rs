//! Containers of random programs: lists, stacks, queues and tables of the library, changed at random, and the sets and stacks that
//! all threads of a kernel change, whose elements are known in the end, but not their order.

use super::{Counter, Generator, Kind, type_name};

impl Generator {
    /// Modules that a program needs stand before everything else.
    fn import(&mut self, module: &'static str) {
        self.imports.insert(module);
    }

    /// A list, stack or queue under a few operations, some of which may fail.
    pub(super) fn sequences_of_the_library(&mut self) {
        let kind = self.kind();
        let (name, total, k) = (self.name("box"), self.name("t"), self.name("k"));
        let (class, add, take, module): (_, _, &[&str], _) = match self.random.below(4) {
            0 => ("List", "add", &["remove_at(0)", "get(1)", "count()"][..], "list.q"),
            1 => ("Stack", "push", &["pop()", "peek()", "count()"], "stack.q"),
            2 => ("Queue", "enqueue", &["dequeue()", "peek()", "count()"], "queue.q"),
            _ => ("LinkedList", "add", &["get(1)", "get(0)", "count()"], "linkedlist.q"),
        };
        self.note(match class {
            "List" => "List",
            "Stack" => "Stack",
            "Queue" => "Queue",
            _ => "LinkedList",
        });
        self.import(module);
        self.line(format!("{name} = {class}[{}]()", type_name(kind)));
        self.line(format!("{total} = 0"));
        let last = self.random.between(0, 6);
        self.open(format!("for {k} = 0..{last}"));
        self.counters.push(Counter { name: k.clone(), low: 0, high: last });
        let (value, other, condition) =
            (self.element_value(kind, 2), self.element_value(kind, 1), self.condition(1));
        self.counters.pop();
        self.line(format!("{name}.{add}({value})"));
        let operation = *self.random.pick(take);
        self.caught(
            |this| {
                this.open(format!("if {condition}"));
                this.line(format!("print \"took \", {name}.{operation}"));
                this.close("endif");
                this.line(format!("{total} += {name}.contains({other}) + 3*{name}.count()"));
            },
            |this| this.line(format!("{total} -= 1")),
        );
        self.close("endfor");
        self.line(format!("print {name}.items(), numel({name}.items())"));
        self.scalars.push((total, Kind::Int));
    }

    /// A table with keys of a few values.
    pub(super) fn table_of_the_library(&mut self) {
        self.note("Hashmap");
        self.import("hashmap.q");
        let (kind, keys) = (self.kind(), *self.random.pick(&["int", "string", "scalar"]));
        let (name, total, k) = (self.name("map"), self.name("t"), self.name("k"));
        let key = |value: &str| match keys {
            "string" => format!("\"k\" + mod({value}, 5)"),
            "scalar" => format!("mod({value}, 5) + 0.5"),
            _ => format!("mod({value}, 5)"),
        };
        self.line(format!("{name} = Hashmap[{keys},{}]()", type_name(kind)));
        let start = self.literal(kind);
        self.line(format!("{total} = {start}"));
        let last = self.random.between(0, 7);
        self.open(format!("for {k} = 0..{last}"));
        self.counters.push(Counter { name: k.clone(), low: 0, high: last });
        let [a, b, c] = [0; 3].map(|_| key(&self.expr(Kind::Int, 1)));
        let (value, otherwise) = (self.element_value(kind, 2), self.literal(kind));
        self.counters.pop();
        self.line(format!("{name}.set({a}, {value})"));
        match self.random.below(3) {
            0 => self.line(format!("{total} += {name}.remove({b})")),
            1 => self.caught(
                |this| this.line(format!("{name}.add({b}, {total})")),
                |this| this.line("print \"there is one\""),
            ),
            _ => self.line(format!("{total} -= {name}.contains({b})")),
        }
        self.line(format!("{total} = {total} - {name}.get({c}, {otherwise})"));
        self.bound(&total, kind);
        self.close("endfor");
        self.line(format!("print {name}.count(), sum({name}.items() + 0), numel({name}.keys())"));
        self.scalars.push((total, kind));
    }

    /// Threads add to a set and remove from it what no other thread touches, or push to a stack.
    pub(super) fn containers_in_kernels(&mut self) {
        let (kernel, name, n) = (self.name("all"), self.name("box"), self.random.between(1, 12));
        let known = [("pos", Kind::Int), ("c", Kind::Int)];
        let value = self.closed_expr(&known, Kind::Int, 2);
        let limit = self.random.between(0, 8);
        let c = self.leaf(Kind::Int);
        if self.random.chance(50) {
            self.note("Concurrent_set");
            self.import("concurrent_set.q");
            self.define(&format!(
                "function [] = __kernel__ {kernel}(s : Concurrent_set[int], won : ivec, c : int, pos : int)\n    \
                 won[0] += s.add({value})\n    if pos > {limit}\n        s.remove(1000 + pos)\n    endif\n    \
                 won[1] += s.contains(pos + 2000)\nendfunction"
            ));
            self.line(format!("{name} = Concurrent_set[int]()"));
            let k = self.name("k");
            self.open(format!("for {k} = 0..{}", n / 2));
            self.line(format!("{name}.add(1000 + 2*{k})"));
            self.line(format!("{name}.add(2000 + 3*{k})"));
            self.close("endfor");
            let won = self.output(Kind::Int, &[2]);
            self.line(format!("parallel_do({n}, {name}, {}, mod({c}, 9), {kernel})", won.name));
            self.line(format!("print {name}.items(), {name}.count()"));
            self.arrays.push(won);
        } else {
            self.note("Concurrent_stack");
            self.import("concurrent_stack.q");
            self.define(&format!(
                "function [] = __kernel__ {kernel}(s : Concurrent_stack[int], left : ivec, c : int, pos : int)\n    \
                 s.push({value})\n    if pos > {limit}\n        left[0] += s.pop()\n    endif\nendfunction"
            ));
            self.line(format!("{name} = Concurrent_stack[int]()"));
            let left = self.output(Kind::Int, &[2]);
            self.line(format!("parallel_do({n}, {name}, {}, mod({c}, 9), {kernel})", left.name));
            // Which were popped is open, but not what all of them are.
            self.line(format!(
                "{0}[0] += {name}.count() > 0 ? sum({name}.items()) : 0\n    {0}[1] = {name}.count()",
                left.name
            ));
            self.arrays.push(left);
        }
    }
}
