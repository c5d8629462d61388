//! Loops of random programs whose iterations read what others write: elements before and behind their own, along one dimension or two, up
//! and down, in one array or two.

use super::{Generator, Kind};

impl Generator {
    /// A function with such a loop, and a call.
    pub(super) fn elements_of_other_iterations(&mut self) {
        self.note("elements of other iterations");
        let name = self.name("across");
        let rank = self.random.between(1, 2);
        let down = [self.random.chance(40), self.random.chance(40)];
        let ty = if rank == 1 { "vec" } else { "mat" };
        let mut body = String::new();
        for _ in 0..self.random.between(1, 3) {
            let line = self.crossing_step(rank, down);
            body.push_str(&format!("        {line}\n"));
        }
        if self.random.chance(20) {
            let own = if rank == 1 { "j" } else { "i,j" };
            body.push_str(&format!("        s += x[{own}]\n"));
        }
        let range = |axis: i64, down: bool, inner: i64| {
            let (low, high) = (inner.to_string(), format!("size(x,{axis})-{}", inner + 1));
            if down { format!("{high}..-1..{low}") } else { format!("{low}..{high}") }
        };
        // Rarely one too far.
        let inner = if self.random.chance(90) { 2 } else { 1 };
        let columns = range(rank - 1, down[1], inner);
        let loops = if rank == 1 {
            format!("    for j = {columns}\n{body}    endfor\n")
        } else {
            let rows = range(0, down[0], 2);
            format!("    for i = {rows}\n    for j = {columns}\n{body}    endfor\n    endfor\n")
        };
        self.define(&format!(
            "function [x : {ty}, y : {ty}, s : scalar] = {name}(x0 : {ty}, y0 : {ty})\n    x = copy(x0)\n    y = copy(y0)\n    s = 0.0\n\
             {loops}endfunction"
        ));
        let n = self.random.between(1, 60);
        let dims = if rank == 1 { format!("{n}") } else { format!("{}, {n}", self.random.between(3, 8)) };
        let x = self.filled(&format!("zeros({dims})"), Kind::Float);
        let y = self.filled(&format!("zeros({dims})"), Kind::Float);
        let z = self.name("Z");
        self.open("try");
        self.line(format!("[{z}, {z}b, {z}c] = {name}({x}, {y})"));
        self.line(format!("print {z}, {z}b, {z}c"));
        self.told();
    }

    /// A store to the own element of what others are made of.
    fn crossing_step(&mut self, rank: i64, down: [bool; 2]) -> String {
        let own = if rank == 1 { "j" } else { "i,j" };
        let (target, first, second) =
            ([self.either(), self.either(), self.either()], self.other(rank, down), self.other(rank, down));
        let [to, a, b] = target;
        match self.random.below(5) {
            0 => format!("{to}[{own}] = {a}[{first}]"),
            1 => format!("{to}[{own}] = mod({to}[{own}] + {a}[{first}], 17)"),
            2 => format!("{to}[{own}] = mod({a}[{first}] + 2*{b}[{second}], 17)"),
            3 => format!("{to}[{own}] = max({a}[{first}], {b}[{second}]) - 1"),
            _ => format!("{to}[{own}] += {a}[{first}] - {b}[{second}]"),
        }
    }

    fn either(&mut self) -> &'static str {
        if self.random.chance(70) { "x" } else { "y" }
    }

    /// The index of an element near the own one, of a later iteration most of the time.
    fn other(&mut self, rank: i64, down: [bool; 2]) -> String {
        let ahead = self.random.chance(75);
        let mut place = |name: &str, down: bool, least: i64| {
            let distance = self.random.between(least, 2);
            match distance {
                0 => name.to_string(),
                _ if ahead != down => format!("{name}+{distance}"),
                _ => format!("{name}-{distance}"),
            }
        };
        if rank == 1 {
            return place("j", down[1], 1);
        }
        let (i, j) = (place("i", down[0], 0), place("j", down[1], 0));
        format!("{i},{j}")
    }
}
