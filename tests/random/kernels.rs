//! Kernels of random programs: with and without blocks, shared memory, barriers and atomics, as functions and lambdas.
//!
//! A thread writes its own element of the output or of the shared array, and reads those of others only when a barrier
//! stands between; elements that several threads write are changed by one kind of atomic operation only.

use super::{Array, Counter, Function, Generator, Kind, type_name};

/// The positions of a launch and of its blocks.
pub(super) struct Grid {
    pub(super) dims: Vec<i64>,
    block: Vec<i64>,
}

/// The largest extent of most arrays.
const LONG: i64 = 9;

impl Grid {
    pub(super) fn over(generator: &mut Generator, dims: &[i64]) -> Grid {
        // Neighbouring threads of long rows go by lanes.
        let random = &mut generator.random;
        let extent = |n: &i64| if *n > LONG { random.between(7, 20) } else { random.between(1, 5) };
        let block = dims.iter().map(extent).collect();
        Grid { dims: dims.to_vec(), block }
    }

    /// The first argument of the launch.
    pub(super) fn argument(&self) -> String {
        format!("[[{}], [{}]]", list(&self.dims), list(&self.block))
    }

    pub(super) fn vector(&self) -> &'static str {
        if self.dims.len() == 1 { "int" } else { "ivec2" }
    }

    /// The special parameters.
    pub(super) fn params(&self) -> String {
        let names = ["pos", "blkpos", "blkdim", "blkidx", "blkcnt"];
        names.map(|name| format!("{name} : {}", self.vector())).join(", ")
    }

    /// The components of the special parameters as numbers of known range.
    pub(super) fn counters(&self) -> Vec<Counter> {
        let mut counters = Vec::new();
        for (k, (&extent, &block)) in self.dims.iter().zip(&self.block).enumerate() {
            let count = (extent + block - 1) / block;
            let ranges = [
                ("pos", 0, extent - 1),
                ("blkpos", 0, block - 1),
                ("blkdim", block, block),
                ("blkidx", 0, count - 1),
                ("blkcnt", count, count),
            ];
            for (name, low, high) in ranges {
                let name = if self.dims.len() == 1 { name.to_string() } else { format!("{name}[{k}]") };
                counters.push(Counter { name, low, high });
            }
        }
        counters
    }

    /// An index by one of the special parameters.
    fn at(&self, name: &str) -> String {
        if self.dims.len() == 1 { name.to_string() } else { format!("{name}[0], {name}[1]") }
    }
}

pub(super) fn list(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

pub(super) fn array_type(kind: Kind, rank: usize) -> &'static str {
    match (kind, rank) {
        (Kind::Int, 1) => "ivec",
        (Kind::Int, _) => "imat",
        (Kind::Float, 1) => "vec",
        (Kind::Float, _) => "mat",
    }
}

fn maker(kind: Kind, name: &str) -> String {
    if kind == Kind::Int { format!("{name}[int]") } else { name.to_string() }
}

/// What a kernel knows of its thread.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Threads {
    /// The position. Launches may be in order.
    Positions,
    /// The position and the block, whose extents the launch gives.
    Blocks,
}

impl Generator {
    /// What a kernel over an array knows of its position.
    pub(super) fn positions(&mut self, dims: &[i64]) -> Vec<Counter> {
        let mut counters = Grid::over(self, dims).counters();
        counters.retain(|counter| counter.name.starts_with("pos"));
        counters
    }

    /// Writes a kernel behind `main` that gets `src` and one more array, and launches it here.
    pub(super) fn launched(
        &mut self,
        stem: &str,
        src: &Array,
        threads: Threads,
        (parameter, result): (&str, &Array),
        body: impl FnOnce(&mut Self, &Grid),
    ) {
        let (name, grid) = (self.name(stem), Grid::over(self, &src.dims));
        let special = match threads {
            Threads::Positions => format!("pos : {}", grid.vector()),
            Threads::Blocks => grid.params(),
        };
        let ty = array_type(result.kind, result.dims.len());
        let head = format!("function [] = __kernel__ {name}(SRC, {parameter} : {ty}, {special})");
        let counters = grid.counters().into_iter();
        let known = counters.filter(|c| threads == Threads::Blocks || c.name.starts_with("pos")).collect();
        self.kernel(&head, src, known, |this| body(this, &grid));
        let (launch, dims) = match (threads, self.random.below(4)) {
            (Threads::Positions, 0) => ("serial_do", format!("[{}]", list(&grid.dims))),
            (Threads::Blocks, _) | (_, 1) => ("parallel_do", grid.argument()),
            _ => ("parallel_do", format!("[{}]", list(&grid.dims))),
        };
        if launch == "serial_do" {
            self.note("serial_do");
        }
        let arguments = self.kernel_arguments(src);
        self.line(format!("{launch}({dims}, {arguments}, {}, {name})", result.name));
    }

    /// Writes a kernel behind `main`. It knows the array `src`, the scalars `i` and `t`, and the counters.
    pub(super) fn kernel(
        &mut self,
        head: &str,
        src: &Array,
        counters: Vec<Counter>,
        body: impl FnOnce(&mut Self),
    ) {
        let mode = *self.random.pick(&["'mirror", "'circular", "'clamped", "'safe", ""]);
        let params = format!("src : {}{mode}, c : int, q : scalar", array_type(src.kind, src.dims.len()));
        let main = (
            std::mem::take(&mut self.text),
            std::mem::replace(&mut self.indent, 0),
            std::mem::replace(&mut self.scalars, vec![("i".into(), Kind::Int), ("t".into(), Kind::Float)]),
            std::mem::replace(&mut self.counters, counters),
            std::mem::replace(&mut self.budget, 3),
        );
        let known = Array { name: "src".into(), mode: (!mode.is_empty()).then(|| &mode[1..]), ..src.clone() };
        let arrays = std::mem::replace(&mut self.arrays, vec![known]);
        self.in_kernel = true;
        self.open(head.replace("SRC", &params));
        // Barriers are reached by what `c` says, which must be the same for all threads.
        self.line("i = c");
        self.line("t = q");
        body(self);
        self.close("endfunction");
        self.in_kernel = false;
        self.arrays = arrays;
        let text = std::mem::replace(&mut self.text, main.0);
        self.definitions.push_str(&text);
        (self.indent, self.scalars, self.counters, self.budget) = (main.1, main.2, main.3, main.4);
    }

    /// The arguments for `src`, `c` and `q`.
    pub(super) fn kernel_arguments(&mut self, src: &Array) -> String {
        let (c, q) = (self.scalar(Kind::Int), self.scalar(Kind::Float));
        let c = c.map_or("3".into(), |name| format!("mod({name}, 7)"));
        format!("{}, {c}, {}", src.name, q.unwrap_or("0.5".into()))
    }

    /// A new array for the results of a launch.
    pub(super) fn output(&mut self, kind: Kind, dims: &[i64]) -> Array {
        let name = self.name("K");
        let sizes = list(dims);
        self.line(format!("{name} = {}({sizes})", maker(kind, "zeros")));
        Array { name, kind, dims: dims.to_vec(), mode: None }
    }

    /// A kernel of independent positions.
    pub(super) fn flat_kernel(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("flat kernel");
        let kind = self.kind();
        let dst = self.output(kind, &src.dims);
        self.launched("flat", &src, Threads::Positions, ("dst", &dst), |this, _| {
            this.statements(1);
            let value = this.element_value(kind, 3);
            this.line(format!("dst[pos] = {value}"));
        });
        self.arrays.push(dst);
    }

    /// Threads of a block exchange values through shared memory in several phases.
    pub(super) fn block_kernel(&mut self) {
        let src = if self.random.chance(50) { Some(self.wide_array()) } else { self.some_array(None) };
        let Some(src) = src else { return };
        self.note(if src.dims.last().is_some_and(|n| *n > LONG) { "wide blocks" } else { "shared memory" });
        let over_grid = self.random.below(3) == 0;
        let (kind, cells) = (self.kind(), self.kind());
        let dst = self.output(kind, &src.dims);
        self.launched("block", &src, Threads::Blocks, ("dst", &dst), |this, grid| {
            let shared = maker(cells, "shared");
            this.line(format!("s = {shared}({})", list(&grid.block)));
            this.store_shared(grid, cells);
            for _ in 0..1 + this.random.below(2) {
                this.phases(grid, cells);
            }
            this.arrays.push(Array { name: "s".into(), kind: cells, dims: grid.block.clone(), mode: None });
            let value = this.element_value(kind, 3);
            this.line(format!("dst[pos] = {value}"));
            if over_grid {
                this.exchange_over_grid(grid);
            }
        });
        self.arrays.push(dst);
    }

    /// An array with long rows.
    fn wide_array(&mut self) -> Array {
        let (kind, name) = (self.kind(), self.name("W"));
        let wide = self.random.between(LONG + 1, 45);
        let dims = if self.random.chance(40) { vec![wide] } else { vec![self.random.between(1, 5), wide] };
        let (a, c) = (self.random.between(1, 7), self.random.between(-4, 4));
        let count: i64 = dims.iter().product();
        let divisor = if kind == Kind::Int { "" } else { "/4" };
        let sizes = list(&dims);
        self.line(format!("{name} = reshape(mod({a}*(0..{}) + {c}, 13){divisor}, {sizes})", count - 1));
        Array { name, kind, dims, mode: None }
    }

    /// Every thread takes the result of the one at the other end, which may be in another block.
    fn exchange_over_grid(&mut self, grid: &Grid) {
        self.note("barrier over the grid");
        let other = match grid.dims[..] {
            [n] => format!("{} - pos", n - 1),
            [m, n, ..] => format!("{} - pos[0], {} - pos[1]", m - 1, n - 1),
            [] => return,
        };
        let twice = self.random.below(2) == 0;
        if twice {
            self.open("for round = 0..c");
        }
        self.line("syncthreads(grid)");
        self.line(format!("other = dst[{other}]"));
        self.line("syncthreads(grid)");
        self.line("dst[pos] = other");
        if twice {
            self.close("endfor");
        }
    }

    fn store_shared(&mut self, grid: &Grid, cells: Kind) {
        let value = self.element_value(cells, 2);
        self.line(format!("s[{}] = {value}", grid.at("blkpos")));
        self.line("syncthreads");
    }

    /// Read, wait, write, wait: once, in a loop, or in a branch that all threads take alike.
    fn phases(&mut self, grid: &Grid, cells: Kind) {
        let end = match self.random.below(4) {
            0 => {
                self.note("barrier in a loop");
                let (name, last) = (self.name("r"), self.random.between(0, 2));
                self.open(format!("for {name} = 0..{last}"));
                "endfor"
            }
            1 => {
                self.note("barrier in a branch");
                let threshold = self.random.between(0, 6);
                self.open(format!("if c > {threshold}"));
                "endif"
            }
            2 => {
                self.note("barrier in a while");
                let name = self.name("d");
                self.line(format!("{name} = mod(c, 4)"));
                self.open(format!("while {name} > 0"));
                self.line(format!("{name} -= 1"));
                "endwhile"
            }
            _ => "",
        };
        self.phase(grid, cells);
        if !end.is_empty() {
            self.close(end);
        }
    }

    fn phase(&mut self, grid: &Grid, cells: Kind) {
        let known = self.scalars.len();
        self.arrays.push(Array { name: "s".into(), kind: cells, dims: grid.block.clone(), mode: None });
        self.budget = self.budget.max(1);
        self.statements(1);
        let name = self.name("x");
        let value = self.element_value(cells, 2);
        self.line(format!("{name} = {value}"));
        self.arrays.pop();
        self.line("syncthreads");
        self.scalars.push((name, cells));
        self.store_shared(grid, cells);
        self.scalars.truncate(known);
    }

    /// Each block counts in shared memory, then adds its counts to the result.
    pub(super) fn shared_table(&mut self) {
        let Some(src) = self.some_array(Some(Kind::Int)) else { return };
        self.note("atomics in shared memory");
        let bins = self.random.between(2, 6);
        let op = *self.random.pick(&["+=", "+=", "-="]);
        let h = self.output(Kind::Int, &[bins]);
        self.launched("table", &src, Threads::Blocks, ("h", &h), |this, grid| {
            this.line(format!("s = shared_zeros[int]({bins})"));
            this.line("syncthreads");
            this.statements(1);
            let (at, value) = (this.expr(Kind::Int, 2), this.element_value(Kind::Int, 1));
            this.line(format!("s[mod({at}, {bins})] {op} {value}"));
            this.line("syncthreads");
            let (first, step) = match grid.dims.len() {
                1 => ("blkpos", "blkdim"),
                _ => ("blkpos[0]*blkdim[1] + blkpos[1]", "blkdim[0]*blkdim[1]"),
            };
            this.open(format!("for b = {first}..{step}..{}", bins - 1));
            this.line("h[b] += s[b]");
            this.close("endfor");
        });
        self.arrays.push(h);
    }

    /// Many threads change few elements of an array, all by operations whose order does not matter.
    pub(super) fn global_atomics(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("atomics in global memory");
        let (kind, bins) = (self.kind(), self.random.between(1, 5));
        let ops: &[&str] = match kind {
            Kind::Int => self.random.pick::<&[&str]>(&[
                &["+=", "-="][..],
                &["*="],
                &["&="],
                &["|="],
                &["~="],
                &["^^="],
                &["__="],
            ]),
            Kind::Float => self.random.pick::<&[&str]>(&[&["+=", "-="][..], &["^^="], &["__="]]),
        };
        let h = self.output(kind, &[bins]);
        let start = self.literal(kind);
        self.line(format!("{}[0] = {start}", h.name));
        self.launched("atomic", &src, Threads::Positions, ("h", &h), |this, _| {
            for _ in 0..1 + this.random.below(2) {
                this.statements(1);
                let (at, value) = (this.expr(Kind::Int, 2), this.element_value(kind, 2));
                let op = *this.random.pick(ops);
                this.line(format!("h[mod({at}, {bins})] {op} {value}"));
            }
        });
        // The sums are exact, but too large to go on with.
        if kind == Kind::Float {
            self.line(format!("print \"{0} = \", {0} + 0.0", h.name));
        } else {
            self.arrays.push(h);
        }
    }

    /// A kernel whose threads accumulate results.
    pub(super) fn kernel_result(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("results of a kernel");
        let (name, kind) = (self.name("fold"), self.kind());
        let grid = Grid::over(self, &src.dims);
        let head = format!(
            "function [total : {}, n : int] = __kernel__ {name}(SRC, pos : {})",
            type_name(kind),
            grid.vector()
        );
        let counters = grid.counters().into_iter().filter(|c| c.name.starts_with("pos")).collect();
        let op = *self.random.pick(match kind {
            Kind::Int => &["+=", "-=", "^^=", "__=", "|=", "~="][..],
            Kind::Float => &["+=", "-=", "^^=", "__="],
        });
        self.kernel(&head, &src, counters, |this| {
            this.statements(1);
            let value = this.element_value(kind, 2);
            this.line(format!("total {op} {value}"));
            let condition = this.condition(2);
            this.open(format!("if {condition}"));
            this.line("n += 1");
            this.close("endif");
        });
        let (total, count) = (self.name("o"), self.name("o"));
        let arguments = self.kernel_arguments(&src);
        self.line(format!("[{total}, {count}] = parallel_do([{}], {arguments}, {name})", list(&src.dims)));
        self.bound(&total, kind);
        self.scalars.extend([(total, kind), (count, Kind::Int)]);
    }

    /// A kernel lambda with what it captures from `main`.
    pub(super) fn kernel_lambda(&mut self) {
        let Some(like) = self.some_array(None) else { return };
        self.note("kernel lambda");
        let kind = self.kind();
        let dst = self.output(kind, &like.dims);
        let grid = Grid::over(self, &like.dims);
        let counters = grid.counters().into_iter().filter(|c| c.name.starts_with("pos")).collect();
        let outer = std::mem::replace(&mut self.counters, counters);
        self.in_kernel = true;
        let value = self.element_value(kind, 3);
        self.in_kernel = false;
        self.counters = outer;
        let (vector, at) = (grid.vector(), grid.at("pos"));
        let lambda = format!("__kernel__ (pos : {vector}) -> {}[{at}] = {value}", dst.name);
        self.line(format!("parallel_do([{}], {lambda})", list(&grid.dims)));
        self.arrays.push(dst);
    }

    /// A device function or lambda as an argument of a kernel.
    pub(super) fn function_argument(&mut self) {
        let Some(src) = self.some_array(Some(Kind::Float)) else { return };
        self.note("function as argument of a kernel");
        let name = self.name("map");
        let grid = Grid::over(self, &src.dims);
        let ty = array_type(Kind::Float, src.dims.len());
        let head = format!(
            "function [] = __kernel__ {name}(f : [__device__ scalar -> scalar], SRC, dst : {ty}, pos : {})",
            grid.vector()
        );
        let counters = grid.counters().into_iter().filter(|c| c.name.starts_with("pos")).collect();
        self.kernel(&head, &src, counters, |this| {
            let value = this.element_value(Kind::Float, 2);
            this.line(format!("dst[pos] = floor(8*min(max(f({value}), -60.0), 60.0))/8"));
        });
        let lambda = self.name("g");
        let captured = std::mem::take(&mut self.counters);
        let arrays = std::mem::take(&mut self.arrays);
        self.scalars.push(("x".into(), Kind::Float));
        self.in_kernel = true;
        let value = self.element_value(Kind::Float, 2);
        self.in_kernel = false;
        self.scalars.pop();
        (self.counters, self.arrays) = (captured, arrays);
        self.line(format!("{lambda} = __device__ (x : scalar) -> {value}"));
        let dst = self.output(Kind::Float, &src.dims);
        let arguments = self.kernel_arguments(&src);
        self.line(format!("parallel_do([{}], {lambda}, {arguments}, {}, {name})", list(&src.dims), dst.name));
        self.arrays.push(dst);
    }

    /// A lambda that captures scalars by value, so that later assignments do not change it.
    pub(super) fn host_lambda(&mut self) {
        self.note("host lambda");
        let (name, kind) = (self.name("g"), self.kind());
        let captured = self.scalar(Kind::Int);
        self.scalars.extend([("x".into(), kind), ("z".into(), Kind::Int)]);
        let value = self.element_value(kind, 2);
        self.scalars.truncate(self.scalars.len() - 2);
        self.line(format!("{name} = (x : {}, z : int) -> {value}", type_name(kind)));
        self.functions.push(Function {
            name: name.clone(),
            device: false,
            params: vec![kind, Kind::Int],
            result: kind,
        });
        if let Some(captured) = captured {
            self.line(format!("{captured} = mod({captured}, 17) + 1"));
        }
        let (result, a, b) = (self.name("y"), self.leaf(kind), self.leaf(Kind::Int));
        self.line(format!("{result} = {name}({a}, {b})"));
        self.scalars.push((result, kind));
    }
}
