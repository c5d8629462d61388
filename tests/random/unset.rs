//! Variables of random programs that some paths leave unset. Reading one is an error, which is caught where it may happen.

use super::{Counter, Generator, Kind};

impl Generator {
    /// Statements whose error, if they have one, is printed; `instead` is what happens then. Loops that become kernels are
    /// named in the message.
    pub(super) fn caught(&mut self, body: impl FnOnce(&mut Self), instead: impl FnOnce(&mut Self)) {
        self.open("try");
        let start = self.text.len();
        body(self);
        let loops = self.text[start..].contains("for ");
        self.close("catch ex");
        self.indent += 1;
        self.line(if loops { "print \"refused\"" } else { "print ex.message" });
        instead(self);
        self.close("endtry");
    }

    /// A variable that is set on some paths, and read.
    pub(super) fn unset_variable(&mut self) {
        let (name, kind) = (self.name("u"), self.kind());
        let condition = self.sometimes_set(&name, kind);
        if self.random.chance(40) {
            self.assign_scalar();
        }
        // The same condition holds if nothing changed in between.
        let guard = if self.random.chance(60) { condition } else { self.condition(1) };
        let guarded = self.random.chance(60);
        let other = self.literal(kind);
        let mut surely = false;
        let read = |this: &mut Self| {
            if guarded {
                this.open(format!("if {guard}"));
            }
            let read = this.read_unset(&name, kind);
            if guarded {
                this.close("endif");
            }
            surely = read && !guarded;
        };
        self.caught(read, |this| this.line(format!("{name} = {other}")));
        if surely {
            // It was read or set.
            self.scalars.push((name, kind));
        }
    }

    /// Sets a variable in a branch, in rounds of a loop or before an error; gives a condition under which it may be set.
    fn sometimes_set(&mut self, name: &str, kind: Kind) -> String {
        // Branches that are never taken would make reading it an error of the program.
        let (open, condition) = (self.name("open"), self.condition(1));
        let sign = self.random.between(-1, 1);
        self.line(format!("{open} = int(str2num(\"{sign}\"))"));
        let condition = format!("({condition} || {open} < 0)");
        let value = self.element_value(kind, 2);
        match self.random.below(6) {
            0 => {
                self.note("variable unset by some paths");
                self.open(format!("if {condition}"));
                self.line(format!("{name} = {value}"));
                if self.random.chance(30) {
                    let (condition, value) = (self.condition(1), self.element_value(kind, 1));
                    self.close(&format!("elseif {condition}"));
                    self.indent += 1;
                    self.line(format!("{name} = {value}"));
                }
                self.close("endif");
            }
            1 | 2 => self.set_in_rounds(name, kind, &condition, &open),
            3 => {
                self.note("variable unset by some paths");
                let subject = self.leaf(Kind::Int);
                self.open(format!("match mod({subject} + {open}, 3) with"));
                self.line(format!("| 0 -> {name} = {value}"));
                let other = self.element_value(kind, 1);
                self.line(format!("| 2 -> {name} = {other}"));
                self.close("endmatch");
            }
            4 => {
                self.note("variable unset by some paths");
                let instead = self.scalar(kind);
                self.caught(
                    |this| {
                        this.open(format!("if !({condition})"));
                        this.line("error \"before it was set\"");
                        this.close("endif");
                        this.line(format!("{name} = {value}"));
                    },
                    |this| {
                        if let Some(instead) = instead {
                            this.bound(&instead, kind);
                        }
                    },
                );
            }
            _ => {
                self.note("variable unset by some paths");
                let counter = self.name("w");
                self.line(format!("{counter} = 1 + {open}"));
                self.open(format!("while {counter} > 0 && {condition}"));
                self.line(format!("{counter} -= 1"));
                self.line(format!("{name} = {value}"));
                self.close("endwhile");
            }
        }
        condition
    }

    /// A loop whose rounds set a variable, which later rounds may read.
    fn set_in_rounds(&mut self, name: &str, kind: Kind, condition: &str, open: &str) {
        self.note("variable unset by a loop");
        let (k, rounds) = (self.name("k"), self.leaf(Kind::Int));
        let earlier = self.random.chance(50);
        let (low, high) = (self.random.between(0, 1), self.random.between(2, 5));
        if earlier {
            self.open("try");
        }
        self.open(format!("for {k} = {low}..mod({rounds} + {open}, {high})"));
        self.counters.push(Counter { name: k.clone(), low, high });
        let value = self.element_value(kind, 2);
        if earlier && self.random.chance(50) {
            let guard = self.condition(1);
            self.open(format!("if {guard}"));
            self.read_unset(name, kind);
            self.close("endif");
        }
        if self.random.chance(50) {
            self.open(format!("if {condition}"));
            self.line(format!("{name} = {value}"));
            if self.random.chance(30) {
                self.line("break");
            }
            self.close("endif");
        } else {
            self.line(format!("{name} = {value}"));
        }
        if earlier {
            self.read_unset(name, kind);
        }
        self.counters.pop();
        self.close("endfor");
        if earlier {
            self.close("catch ex");
            self.indent += 1;
            self.line("print \"refused in a round\"");
            self.close("endtry");
        }
    }

    /// Something that reads a variable, among other things; whether it surely does.
    fn read_unset(&mut self, name: &str, kind: Kind) -> bool {
        let Some(target) = self.scalar(kind) else { return false };
        match self.random.below(7) {
            0 => self.line(format!("print {target}, \" \", {name}")),
            1 => {
                let lambda = self.name("g");
                self.line(format!("{lambda} = (x : {0}) -> x + {name}", super::type_name(kind)));
                // Not assigned: what a captured variable holds must not depend on what the lambda gives.
                self.line(format!("print {lambda}({target})"));
            }
            2 => {
                self.line(format!("{name} += {target}"));
                self.bound(name, kind);
            }
            3 => {
                let condition = self.condition(1);
                self.line(format!("{target} = {condition} ? {name} : {target}"));
                return false;
            }
            4 => {
                self.stored_unset(name, kind);
                return false;
            }
            _ => {
                self.scalars.push((name.to_string(), kind));
                self.assign_scalar();
                self.branch(2);
                self.scalars.pop();
                let value = self.expr(kind, 2);
                self.line(format!("{target} = {value} - {name}"));
                self.bound(&target, kind);
            }
        }
        true
    }

    /// A loop over an array that reads the variable in each round, or in none.
    fn stored_unset(&mut self, name: &str, kind: Kind) {
        let Some(array) = self.some_array(Some(kind)) else { return };
        self.note("unset variable in a loop over an array");
        self.scalars.push((name.to_string(), kind));
        self.for_each_position(&array, |this, at| {
            let (value, at) = (this.element_value(kind, 2), at.join(", "));
            let condition = this.condition(1);
            this.open(format!("if {condition}"));
            this.line(format!("{}[{at}] = {value}", array.name));
            this.close("endif");
        });
        self.scalars.pop();
    }

    /// A kernel whose threads set a variable of their own, or not, and one that is given a variable.
    pub(super) fn unset_in_kernel(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("unset variable in a kernel");
        let (kind, device) = (self.kind(), self.name("half"));
        let ty = super::type_name(kind);
        let dst = self.output(kind, &src.dims);
        let known = [("x", kind), ("n", Kind::Int)];
        let (value, limit) = (self.closed_expr(&known, kind, 2), self.random.between(-4, 2));
        self.define(&format!(
            "function y : {ty} = __device__ {device}(x : {ty}, n : int)\n    if n > {limit}\n        y = {value}\n    \
             endif\nendfunction"
        ));
        let (blocks, calls, threads) =
            (self.random.chance(30), self.random.chance(50), super::kernels::Threads::Positions);
        let threads = if blocks { super::kernels::Threads::Blocks } else { threads };
        self.caught(
            |this| {
                this.launched("unset", &src, threads, ("dst", &dst), |this, _| {
                    // No launch says 9, but that is not known.
                    let condition = format!("({} || c == 9)", this.condition(1));
                    let value = this.element_value(kind, 2);
                    if calls {
                        // Which of two errors of a launch is said depends on the order of threads.
                        this.line(if kind == Kind::Int { "own = 1" } else { "own = 1.5" });
                    }
                    this.open(format!("if {condition}"));
                    this.line(format!("own = {value}"));
                    this.close("endif");
                    this.statements(1);
                    let guard = if this.random.chance(60) { condition } else { this.condition(1) };
                    let n = this.leaf(Kind::Int);
                    this.open(format!("if {guard}"));
                    let value = if calls { format!("{device}(own, {n})") } else { "own".into() };
                    this.line(format!("dst[pos] = {value}"));
                    this.close("endif");
                });
            },
            |this| {
                let value = this.literal(kind);
                this.line(format!("{0} = 0*{0} + {value}", dst.name));
            },
        );
        self.clamp(&dst);
        self.arrays.push(dst);
    }

    /// A function whose result some paths leave unset.
    pub(super) fn unset_result(&mut self) {
        self.note("unset result");
        let (name, kind, target) = (self.name("maybe"), self.kind(), self.name("t"));
        let ty = super::type_name(kind);
        let known = [("x", kind), ("n", Kind::Int)];
        let values = [1, 2].map(|depth| self.closed_expr(&known, kind, depth));
        let device = if self.random.chance(50) { "__device__ " } else { "" };
        let limit = self.random.between(-3, 6);
        let body = match self.random.below(3) {
            0 => format!(
                "    if n > {limit}\n        y = {}\n    elseif x > 1\n        y = {}\n    endif\n",
                values[0], values[1]
            ),
            1 => format!(
                "    for k = {limit}..n\n        y = {}\n        if y > 3\n            break\n        endif\n    endfor\n",
                values[0]
            ),
            _ => format!(
                "    z = 2\n    while z > n\n        y = {}\n        z -= 1\n        if z < -3\n            break\n        \
                 endif\n    endwhile\n",
                values[1]
            ),
        };
        self.define(&format!("function y : {ty} = {device}{name}(x : {ty}, n : int)\n{body}endfunction"));
        let (start, k) = (self.literal(kind), self.name("k"));
        self.line(format!("{target} = {start}"));
        self.open(format!("for {k} = 0..3"));
        self.counters.push(Counter { name: k.clone(), low: 0, high: 3 });
        let (x, n) = (self.element_value(kind, 1), self.leaf(Kind::Int));
        self.counters.pop();
        self.caught(
            |this| this.line(format!("{target} = {name}({x}, mod({n}, 8)) - {target}")),
            |this| this.line(format!("{target} += {k}")),
        );
        self.bound(&target, kind);
        self.close("endfor");
        self.scalars.push((target, kind));
    }
}
