//! Kernels of random programs whose blocks share variables by `'shared`: tables that all threads add to, and values that are the
//! same for all threads and computed together; kernels whose threads visit several positions.

use super::kernels::{Threads, list};
use super::{Array, Generator, Kind};

impl Generator {
    /// A table of each block, to which threads add, and which is added to an array once.
    pub(super) fn shared_designator(&mut self) {
        let Some(src) = self.some_array(Some(Kind::Int)) else { return };
        self.note("'shared table");
        let bins = self.random.between(2, 6);
        let h = self.output(Kind::Int, &[bins]);
        self.launched("bins", &src, Threads::Blocks, ("h", &h), |this, _| {
            this.line(format!("S : 'shared = zeros[int]({bins})"));
            let (at, value) = (this.expr(Kind::Int, 2), this.element_value(Kind::Int, 1));
            this.line(format!("S[mod({at}, {bins})] += {value}"));
            this.line("h[:] += S");
        });
        self.arrays.push(h);
    }

    /// A vector that does not depend on the thread, computed by the block, with extremes and sums over it.
    pub(super) fn shared_values(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("'shared values");
        let (kind, count) = (self.kind(), self.random.between(2, 7));
        let fold = *self.random.pick(&["sum", "max", "min"]);
        let dst = self.output(kind, &src.dims);
        self.launched("known", &src, Threads::Blocks, ("dst", &dst), |this, _| {
            let element = if kind == Kind::Int { "[int]" } else { "" };
            this.line(format!("S : 'shared = uninit{element}({count})"));
            this.open(format!("for k = 0..{}", count - 1));
            let known = [("k", Kind::Int), ("c", Kind::Int), ("q", Kind::Float)];
            let value = this.closed_expr(&known, kind, 2);
            this.line(format!("S[k] = {value}"));
            this.close("endfor");
            let folded = this.random.chance(60);
            if folded {
                this.line(format!("all = {fold}(S)"));
            }
            this.arrays.push(Array { name: "S".into(), kind, dims: vec![count], mode: None });
            let value = this.element_value(kind, 2);
            this.line(format!("v = {value}"));
            this.line(if folded { "v += all" } else { "v = -v" });
            this.bound("v", kind);
            this.line("dst[pos] = v");
        });
        self.arrays.push(dst);
    }

    /// A kernel whose threads visit several positions each, by an attribute.
    pub(super) fn tiled_kernel(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("tiling");
        let kind = self.kind();
        let tile: Vec<i64> = src.dims.iter().map(|_| self.random.between(1, 3)).collect();
        let attribute = match self.random.below(2) {
            0 => "{!kernel_tiling mode=\"global\"; dims=\"auto\"}".to_string(),
            _ => format!("{{!kernel_tiling mode=\"local\"; dims=[{}]}}", list(&tile)),
        };
        let dst = self.output(kind, &src.dims);
        self.launched("tiled", &src, Threads::Positions, ("dst", &dst), |this, _| {
            this.line(&attribute);
            this.statements(1);
            let value = this.element_value(kind, 3);
            this.line(format!("dst[pos] = {value}"));
        });
        self.arrays.push(dst);
    }
}
