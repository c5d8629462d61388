//! Loops of random programs that write several places of one array for each position, and loops that take another number of
//! rounds for each position.

use super::kernels::array_type;
use super::{Array, Generator, Kind};

impl Generator {
    /// Quarters, neighbours, halves in either direction, and rows that meet.
    pub(super) fn several_places(&mut self) {
        self.note("several places of an array");
        let kind = *self.random.pick(&[Kind::Int, Kind::Float]);
        let (m, n) = (self.random.between(1, 6), self.random.between(1, 70));
        let (name, ty) = (self.name("places"), array_type(kind, 2));
        let known = [("e", kind), ("i", Kind::Int), ("j", Kind::Int)];
        let apart = self.random.between(1, 3);
        let (rows, columns, places) = match self.random.below(5) {
            0 => (2 * m, 2 * n, vec!["i,j", "i,j+n", "i+m,j", "i+m,j+n"]),
            1 => (2 * m, 2 * n, vec!["2*i,2*j", "2*i+1,2*j+1", "2*i,2*j+1", "2*i+1,2*j"]),
            2 => (m, 2 * n + apart, vec!["i,j", "i,2*n-1-j"]),
            3 => (m + apart, 3 * n, vec!["i,3*j+1", "i+apart,3*j+2", "i,3*j"]),
            _ => (3 * m, n, vec!["3*i+2,j", "3*i,n-1-j"]),
        };
        let count = self.random.between(1, places.len() as i64) as usize;
        let stores: Vec<String> = places[..count]
            .iter()
            .map(|place| {
                let value = self.closed_expr(&known, kind, 2);
                let store = format!("            y[{place}] = {value}\n");
                match self.random.below(4) {
                    0 => format!("            if mod(i + j, 3) != 0\n    {store}            endif\n"),
                    _ => store,
                }
            })
            .collect();
        let order = if self.random.chance(50) { [("i", "m"), ("j", "n")] } else { [("j", "n"), ("i", "m")] };
        let [(a, a_end), (b, b_end)] = order;
        self.define(&format!(
            "function y : {ty} = {name}(x : {ty}, y : {ty}, m : int, n : int, apart : int)\n    \
             for {a} = 0..{a_end}-1\n        for {b} = 0..{b_end}-1\n            e = x[i,j]\n{}        endfor\n    \
             endfor\nendfunction",
            stores.concat()
        ));
        let (from, to) = (self.name("X"), self.name("Y"));
        for (array, dims) in [(&from, [m, n]), (&to, [rows, columns])] {
            let array = Array { name: array.clone(), kind, dims: dims.to_vec(), mode: None };
            let literal = if dims[1] > 12 {
                let of = if kind == Kind::Int { "[int]" } else { "" };
                format!("zeros{of}({}, {})", dims[0], dims[1])
            } else {
                self.array_literal(&array)
            };
            self.line(format!("{} = {literal}", array.name));
            self.arrays.push(array);
        }
        self.line(format!("{to} = {name}({from}, {to}, {m}, {n}, {apart})"));
        match kind {
            Kind::Int => self.line(format!("{to} = mod({to}, 101)")),
            Kind::Float => {
                self.clamp(&Array { name: to.clone(), kind, dims: vec![rows, columns], mode: None })
            }
        }
    }

    /// A loop that goes on as long as its position wants.
    pub(super) fn rounds_of_each_position(&mut self) {
        self.note("rounds of each position");
        let kind = *self.random.pick(&[Kind::Int, Kind::Float]);
        let n = self.random.between(1, 90);
        let (name, y, ty) = (self.name("rounds"), self.name("R"), array_type(kind, 1));
        let known = [("e", kind), ("i", Kind::Int), ("c", Kind::Int)];
        let (start, step) = (self.closed_expr(&known, kind, 1), self.closed_expr(&known, kind, 2));
        let end = self.closed_expr(&known, kind, 1);
        let rounds = self.random.between(1, 20);
        let step = match self.random.below(3) {
            0 => {
                format!("            if mod(c + i, 2) == 0\n                e = {step}\n            endif\n")
            }
            _ => format!("            e = {step}\n"),
        };
        let bounded = match kind {
            Kind::Int => "mod(e, 101)",
            Kind::Float => "floor(8*min(max(e, -60.0), 60.0))/8",
        };
        let zero = if kind == Kind::Int { "0" } else { "0.0" };
        self.define(&format!(
            "function y : {ty} = {name}(y : {ty})\n    for i = 0..numel(y)-1\n        e = {zero}\n        c = 0\n        \
             e = {start}\n        while c < {rounds} && e < {end}\n{step}            e = {bounded}\n            c += 1\n        \
             endwhile\n        y[i] = e + c\n    endfor\nendfunction"
        ));
        let of = if kind == Kind::Int { "[int]" } else { "" };
        self.line(format!("{y} = {name}(zeros{of}({n}))"));
        match kind {
            Kind::Int => self.line(format!("{y} = mod({y}, 101)")),
            Kind::Float => self.clamp(&Array { name: y.clone(), kind, dims: vec![n], mode: None }),
        }
        self.arrays.push(Array { name: y, kind, dims: vec![n], mode: None });
    }
}
