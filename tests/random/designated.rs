//! Kernels of random programs whose blocks share variables by `'shared`: tables that all threads add to, and values that are the
//! same for all threads and computed together; kernels whose threads visit several positions.

use super::kernels::{Grid, array_type, list};
use super::{Array, Generator, Kind};

impl Generator {
    /// A table of each block, to which threads add, and which is added to an array once.
    pub(super) fn shared_designator(&mut self) {
        let Some(src) = self.some_array(Some(Kind::Int)) else { return };
        self.note("'shared table");
        let (name, bins) = (self.name("bins"), self.random.between(2, 6));
        let grid = Grid::over(self, &src.dims);
        let head = format!("function [] = __kernel__ {name}(SRC, h : ivec, {})", grid.params());
        self.kernel(&head, &src, grid.counters(), |this| {
            this.line(format!("S : 'shared = zeros[int]({bins})"));
            let (at, value) = (this.expr(Kind::Int, 2), this.element_value(Kind::Int, 1));
            this.line(format!("S[mod({at}, {bins})] += {value}"));
            this.line("h[:] += S");
        });
        let h = self.output(Kind::Int, &[bins]);
        let arguments = self.kernel_arguments(&src);
        self.line(format!("parallel_do({}, {arguments}, {}, {name})", grid.argument(), h.name));
        self.arrays.push(h);
    }

    /// A vector that does not depend on the thread, computed by the block, with extremes and sums over it.
    pub(super) fn shared_values(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("'shared values");
        let (name, kind, count) = (self.name("known"), self.kind(), self.random.between(2, 7));
        let grid = Grid::over(self, &src.dims);
        let ty = array_type(kind, src.dims.len());
        let head = format!("function [] = __kernel__ {name}(SRC, dst : {ty}, {})", grid.params());
        let fold = *self.random.pick(&["sum", "max", "min"]);
        self.kernel(&head, &src, grid.counters(), |this| {
            let element = if kind == Kind::Int { "[int]" } else { "" };
            this.line(format!("S : 'shared = uninit{element}({count})"));
            this.open(format!("for k = 0..{}", count - 1));
            let (counters, arrays) = (std::mem::take(&mut this.counters), std::mem::take(&mut this.arrays));
            let known = vec![
                ("k".to_string(), Kind::Int),
                ("c".to_string(), Kind::Int),
                ("q".to_string(), Kind::Float),
            ];
            let scalars = std::mem::replace(&mut this.scalars, known);
            let value = this.element_value(kind, 2);
            (this.counters, this.arrays, this.scalars) = (counters, arrays, scalars);
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
        let dst = self.output(kind, &src.dims);
        let arguments = self.kernel_arguments(&src);
        self.line(format!("parallel_do({}, {arguments}, {}, {name})", grid.argument(), dst.name));
        self.arrays.push(dst);
    }

    /// A kernel whose threads visit several positions each, by an attribute.
    pub(super) fn tiled_kernel(&mut self) {
        let Some(src) = self.some_array(None) else { return };
        self.note("tiling");
        let (name, kind) = (self.name("tiled"), self.kind());
        let grid = Grid::over(self, &src.dims);
        let (ty, vector) = (array_type(kind, src.dims.len()), grid.vector());
        let tile: Vec<i64> = src.dims.iter().map(|_| self.random.between(1, 3)).collect();
        let attribute = match self.random.below(2) {
            0 => "{!kernel_tiling mode=\"global\"; dims=\"auto\"}".to_string(),
            _ => format!("{{!kernel_tiling mode=\"local\"; dims=[{}]}}", list(&tile)),
        };
        let head = format!("function [] = __kernel__ {name}(SRC, dst : {ty}, pos : {vector})");
        let counters = grid.counters().into_iter().filter(|c| c.name.starts_with("pos")).collect();
        self.kernel(&head, &src, counters, |this| {
            this.line(&attribute);
            this.statements(1);
            let value = this.element_value(kind, 3);
            this.line(format!("dst[pos] = {value}"));
        });
        let dst = self.output(kind, &src.dims);
        let arguments = self.kernel_arguments(&src);
        self.line(format!("parallel_do([{}], {arguments}, {}, {name})", list(&grid.dims), dst.name));
        self.arrays.push(dst);
    }
}
