//! Cooperative grids: kernels with grid barriers, whose blocks are all resident at once and numbered along one
//! dimension. If no private state lives across a grid barrier, a launch may use fewer physical blocks: between two
//! barriers each physical block loops over several logical blocks.
//!
//! ```text
//! y[pos] = x[pos]           for (number = Q_BLOCK(0); number < blocks; number += Q_GRID_DIM(0)) {
//! syncthreads(grid)            .. v1[p0] = v0[p0]; }
//! x[pos] = y[pos + 1]       wait_for_grid(gate, ..);
//!                           for (number = ..) { .. v0[p0] = v1[p0 + 1]; }
//! ```

use super::entry::{Entry, Version};
use super::expr::Printer;
use super::lines::Lines;
use super::{Malformed, block_reduction};
use crate::ir::barriers::{has_grid_barriers, waits};
use crate::ir::{Kernel, Stmt};

/// The grid barrier. The upper bit of the counter flips when the last block has arrived, which leaves the other bits
/// zero.
const WAIT: &str = "\
Q_FN void wait_for_grid(Q_GLOBAL q_u32* gate, q_u32 thread) {
    Q_BARRIER();
    if (thread == 0u) {
        const q_u32 blocks = (q_u32)Q_GRID_DIM(0);
        Q_FENCE_GRID();
        const q_u32 old = q_atomic_add_u32(gate, Q_BLOCK(0) == 0 ? 0x80000000u - (blocks - 1u) : 1u);
        while (((old ^ *(volatile Q_GLOBAL q_u32*)gate) & 0x80000000u) == 0u) {}
        Q_FENCE_GRID();
    }
    Q_BARRIER();
}
";

/// The call of the grid barrier.
pub(super) const WAITS: &str = "wait_for_grid(gate, (q_u32)thread);";

impl Entry {
    /// Prints the body of a cooperative kernel.
    pub(super) fn grid<'p>(
        &mut self,
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        walks: bool,
    ) -> Result<(), Malformed> {
        printer.unit.printed.push(WAIT.to_owned());
        printer.sections = walks.then(|| section_head(kernel));
        let general = printer.version(kernel, 1, "", None)?;
        printer.sections = None;
        printer.shared_arrays()?;
        printer.results(kernel)?;
        self.params.push("Q_GLOBAL q_u32* gate".to_owned());
        self.declared(printer);
        extents(&mut self.inside, kernel);
        if !walks {
            self.inside.push("const q_u32 number = (q_u32)Q_BLOCK(0);");
            place(&mut self.inside, kernel);
        }
        Version::print(&general, &mut self.inside);
        self.inside.append(&block_reduction::combined(kernel, &mut self.params)?);
        Ok(())
    }
}

/// Declares what is the same for all logical blocks of a thread.
fn extents(lines: &mut Lines, kernel: &Kernel) {
    let rank = kernel.rank;
    lines.push("const q_i32 thread = (q_i32)((Q_THREAD(2) * Q_BLOCK_DIM(1) + Q_THREAD(1)) * Q_BLOCK_DIM(0) + Q_THREAD(0));");
    lines.push("const q_i32 threads = (q_i32)(Q_BLOCK_DIM(0) * Q_BLOCK_DIM(1) * Q_BLOCK_DIM(2));");
    for axis in 0..rank {
        // Block dimensions: the last component runs along x. With more than three components, leading ones have one
        // position.
        if axis + 2 < rank && rank > 3 {
            lines.push(format!("const q_i32 bd{axis} = 1, bp{axis} = 0, bc{axis} = n{axis};"));
            continue;
        }
        let k = (rank - 1 - axis).min(2);
        lines.push(format!(
            "const q_i32 bd{axis} = (q_i32)Q_BLOCK_DIM({k}), bp{axis} = (q_i32)Q_THREAD({k});"
        ));
        lines.push(format!("const q_i32 bc{axis} = (n{axis} + bd{axis} - 1) / bd{axis};"));
    }
}

/// Computes a thread's position in the logical block `number`, counted in row-major order.
fn place(lines: &mut Lines, kernel: &Kernel) {
    lines.push("q_u32 left = number;");
    for axis in (0..kernel.rank).rev() {
        lines.push(format!("const q_i32 bi{axis} = (q_i32)(left % (q_u32)bc{axis});"));
        lines.push(format!("left /= (q_u32)bc{axis};"));
        lines.push(format!(
            "const q_i32 p{axis} = (q_i32)((q_u32)bi{axis} * (q_u32)bd{axis} + (q_u32)bp{axis});"
        ));
    }
    let outside: Vec<String> =
        (0..kernel.rank).map(|axis| format!("(q_u32)p{axis} >= (q_u32)n{axis}")).collect();
    lines.push(format!("const q_i32 shadow = {};", outside.join(" || ")));
}

/// The head of the loop over logical blocks between two barriers, and the first statements of its body.
fn section_head(kernel: &Kernel) -> (String, String) {
    let blocks: Vec<String> = (0..kernel.rank).map(|axis| format!("(q_u32)bc{axis}")).collect();
    let head = format!(
        "for (q_u32 number = (q_u32)Q_BLOCK(0); number < {}; number += (q_u32)Q_GRID_DIM(0)) {{",
        blocks.join(" * ")
    );
    let mut lines = Lines::at(0);
    place(&mut lines, kernel);
    (head, lines.into_text())
}

impl Printer<'_, '_> {
    /// Prints statements in order; each section between two grid barriers becomes a loop over logical blocks.
    pub(super) fn in_sections(&mut self, block: &[Stmt], section: (String, String)) -> Result<(), Malformed> {
        let waits_here = |stmt: &Stmt| has_grid_barriers(std::slice::from_ref(stmt));
        for part in block.chunk_by(|a, b| !waits_here(a) && !waits_here(b)) {
            if part.iter().any(waits_here) {
                self.sections = Some(section.clone());
                part.iter().try_for_each(|stmt| self.stmt(stmt))?;
                self.sections = None;
                continue;
            }
            self.lines.open(section.0.clone());
            self.lines.append_text(&section.1);
            self.block(part)?;
            if waits(part) {
                self.lines.push("Q_BARRIER();");
            }
            self.lines.close("}");
        }
        self.sections = Some(section);
        Ok(())
    }
}
