//! Kernels of random programs that the last chapters of the language are about: several versions of one kernel, of which the
//! scheduler takes one; memory that threads make while they run; groups of threads, whose answers do not depend on how
//! many threads a group has.

use super::kernels::{Threads, array_type, list};
use super::{Generator, Kind, type_name};

impl Generator {
    /// The same kernel for several targets, and a launch of whichever fits.
    pub(super) fn scheduled_kernels(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("schedule");
        let (kind, name) = (self.kind(), self.name("planned"));
        let dst = self.output(kind, &src.dims);
        let vector = if src.dims.len() == 1 { "int" } else { "ivec2" };
        let head = format!(
            "function [] = __kernel__ {name}(SRC, dst : {}, pos : {vector})",
            array_type(kind, src.dims.len())
        );
        let counters = self.positions(&src.dims);
        let start = self.definitions.len();
        self.kernel(&head, &src, counters, |this| {
            this.line("TARGET");
            this.statements(1);
            let value = this.element_value(kind, 3);
            this.line(format!("dst[pos] = {value}"));
        });
        let text = self.definitions.split_off(start);
        let mut versions = Vec::new();
        for target in ["cpu", "gpu", "opencl"].iter().take(1 + self.random.below(3)) {
            let version = format!("{name}_{target}");
            let attribute = format!("{{!kernel target=\"{target}\"}}");
            let text =
                text.replace(&format!("{name}("), &format!("{version}(")).replace("TARGET", &attribute);
            self.definitions.push_str(&text);
            versions.push(version);
        }
        if self.random.chance(50) {
            versions.reverse();
        }
        let arguments = self.kernel_arguments(&src);
        let (dims, versions) = (list(&src.dims), versions.join(", "));
        self.line(format!("schedule([{dims}], {arguments}, {}, {{{versions}}})", dst.name));
        self.arrays.push(dst);
    }

    /// Threads make arrays whose sizes only the running program knows, and numbers of them.
    pub(super) fn memory_in_kernel(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("memory in a kernel");
        let kind = self.kind();
        let maker = if kind == Kind::Int { "zeros[int]" } else { "zeros" };
        let dst = self.output(kind, &src.dims);
        let device = self.name("filled");
        let known = [("n", Kind::Int), ("k", Kind::Int)];
        let value = self.closed_expr(&known, kind, 2);
        self.define(&format!(
            "function y : {} = __device__ {device}(n : int)\n    y = {maker}(n)\n    for k = 0..n-1\n        \
             y[k] = {value}\n    endfor\nendfunction",
            array_type(kind, 1)
        ));
        self.launched("memory", &src, Threads::Positions, ("dst", &dst), |this, _| {
            this.statements(1);
            let size = this.expr(Kind::Int, 1);
            this.line(format!("n = mod({size}, 5) + 1"));
            this.line(format!("w = {device}(n)"));
            for _ in 0..1 + this.random.below(3) {
                this.change_memory(kind, maker, &device);
            }
            let number = this.number_of_memory(&device);
            this.line(format!("r = {number}"));
            this.bound("r", kind);
            this.line("dst[pos] = r");
        });
        self.arrays.push(dst);
    }

    /// A statement that makes an array of `w` and leaves it there; all have `n` elements.
    fn change_memory(&mut self, kind: Kind, maker: &str, device: &str) {
        let value = self.element_value(kind, 1);
        match self.random.below(8) {
            0 => self.line(format!("w = w + {value}")),
            1 => self.line("w = w[n-1..-1..0]"),
            2 => {
                self.line(format!("u = {maker}(n, 2)"));
                self.line("u[:,1] = w");
                self.line(format!("u[n-1,0] = {value}"));
                self.line("w = u[:,0] - u[:,1]");
            }
            3 => {
                self.line("u = copy(w)");
                self.line(format!("u[0] = {value}"));
                self.line("w = max(w, u) + 0");
            }
            4 => {
                self.line("u = [w, w]");
                self.line("w = u[1,0..n-1]");
            }
            5 => {
                // Where the size of `w` is known, a second name for it may not change.
                self.line(format!("u = w[0] > 1 ? copy(w) : {device}(n)"));
                self.line(format!("u[n-1] = {value}"));
            }
            6 => {
                let k = self.name("k");
                self.open(format!("for {k} = 0..n-1"));
                self.line(format!("u = {device}({k} + 1)"));
                self.open(format!("if u[{k}] > {value}"));
                self.line(format!("w[{k}] = u[0]"));
                self.close("endif");
                self.close("endfor");
            }
            _ => self.line("w = repmat(w, [1, 2])[0, n..2*n-1]"),
        }
    }

    /// An exact number that `w` gives.
    fn number_of_memory(&mut self, device: &str) -> String {
        match self.random.below(6) {
            0 => "sum(w)".to_string(),
            1 => "max(w) - min(w)".to_string(),
            2 => "w[n-1] - w[0] + numel(w)".to_string(),
            3 => format!("sum({device}(numel(w))) + w[0]"),
            4 => "cumsum(w)[n-1]".to_string(),
            _ => "sort(w)[n-1] + (any(w > 3) ? 1 : 0)".to_string(),
        }
    }

    /// Threads of a warp add what they have, by shuffles, then one of them to the result.
    pub(super) fn group_sums(&mut self) {
        self.note("sums by shuffles");
        let (kind, name) = (self.kind(), self.name("warp"));
        let total = self.output(kind, &[2]);
        let (blocks, threads) = (self.random.between(1, 3), *self.random.pick(&[1, 4, 8, 32, 40]));
        let size = *self.random.pick(&[2, 4, 8, 16, 32]);
        let known = [("pos", Kind::Int), ("c", Kind::Int)];
        let value = self.closed_expr(&known, kind, 2);
        let device = self.name("added");
        let ty = type_name(kind);
        self.define(&format!(
            "function r : {ty} = __device__ {device}(group : thread_block, value : {ty})\n    r = value\n    d = 16\n    \
             while d > 0\n        other = group.shfl_down(r, d)\n        if group.thread_idx + d < group.size\n            \
             r += other\n        endif\n        d = int(d / 2)\n    endwhile\nendfunction\n\
             function [] = __kernel__ {name}(total : {}, c : int, pos : int, this_thread_block : thread_block)\n    \
             tile = this_thread_block.partition({size})\n    part = {device}(tile, {value})\n    \
             if tile.thread_idx == 0\n        total[0] += part\n    endif\n    big = tile.any(pos > c)\n    \
             if big == 0 && pos > c\n        total[1] += 1\n    endif\nendfunction",
            array_type(kind, 1)
        ));
        let c = self.leaf(Kind::Int);
        let count = blocks * threads;
        self.line(format!("parallel_do([[{count}], [{threads}]], {}, mod({c}, 9), {name})", total.name));
        self.clamp(&total);
        self.arrays.push(total);
    }

    /// Groups of one thread and of the block, and what groups agree upon.
    pub(super) fn group_votes(&mut self) {
        let Some(src) = self.some_array(Some(Kind::Int)).filter(|array| array.dims.len() == 1) else {
            return;
        };
        self.note("votes of groups");
        let (name, n) = (self.name("votes"), src.dims[0]);
        let dst = self.output(Kind::Int, &[n]);
        let known = [("x[pos]", Kind::Int), ("pos", Kind::Int)];
        let (a, b) = (self.closed_expr(&known, Kind::Int, 2), self.closed_expr(&known, Kind::Int, 1));
        let threads = self.random.between(1, n);
        self.define(&format!(
            "function [] = __kernel__ {name}(x : ivec, y : ivec, pos : int, this_thread_block : thread_block, \
             coalesced_threads : thread_block)\n    g = coalesced_threads\n    one = g.partition(1)\n    v = {a}\n    \
             even = mod(v, 2) == 0\n    y[pos] = one.shfl(v, 0) + one.shfl_xor({b}, 1)\n    \
             y[pos] += 128*(g.all(even) == (g.any(!even) == 0))\n    \
             y[pos] += 256*(g.any(even) == (g.ballot(even) > 0))\n    \
             y[pos] += 512*(one.match_any(v) == one.ballot(1))\n    \
             s = shared[int]({threads})\n    s[this_thread_block.thread_idx] = v\n    this_thread_block.sync()\n    \
             if pos - this_thread_block.thread_idx + this_thread_block.size <= {n}\n        \
             y[pos] += s[this_thread_block.size - 1 - this_thread_block.thread_idx]\n    endif\nendfunction"
        ));
        self.line(format!("parallel_do([[{n}], [{threads}]], {}, {}, {name})", src.name, dst.name));
        self.arrays.push(dst);
    }

    /// A kernel that launches another for each of its positions.
    pub(super) fn nested_launch(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        let [rows, columns] = src.dims[..] else { return };
        self.note("launch in a kernel");
        let (outer, inner, sums) = (self.name("rows"), self.name("row"), self.name("rowsum"));
        let (ty, mat, kind) = (type_name(src.kind), array_type(src.kind, 2), src.kind);
        let known = [("v", kind), ("row", Kind::Int), ("pos", Kind::Int)];
        let (value, part) = (self.closed_expr(&known, kind, 2), self.closed_expr(&known, kind, 1));
        let launch = *self.random.pick(&["parallel_do", "serial_do"]);
        self.define(&format!(
            "function [] = __kernel__ {inner}(x : {mat}, y : {mat}, row : int, pos : int)\n    v = x[row,pos]\n    \
             y[row,pos] = {value}\nendfunction\n\
             function total : {ty} = __kernel__ {sums}(x : {mat}, row : int, pos : int)\n    v = x[row,pos]\n    \
             total += {part}\nendfunction\n\
             function [] = __kernel__ {outer}(x : {mat}, y : {mat}, pos : int)\n    \
             {launch}({columns}, x, y, pos, {inner})\n    if mod(pos, 2) == 0\n        \
             y[pos,0] = parallel_do(size(x,1), x, pos, {sums})\n    endif\nendfunction"
        ));
        let dst = self.output(kind, &[rows, columns]);
        self.line(format!("parallel_do({rows}, {}, {}, {outer})", src.name, dst.name));
        self.clamp(&dst);
        self.arrays.push(dst);
    }
}
