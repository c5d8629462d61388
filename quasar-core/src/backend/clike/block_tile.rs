//! Block tiling: a block of threads has a tile of positions, and stages what its rows and columns share in shared memory. While the
//! threads grow their sums by what is staged, they fetch what comes next into registers.

use super::Malformed;
use super::entry::Entry;
use super::expr::{Printer, local_name};
use super::lines::Lines;
use crate::ir::affine::Conditions;
use crate::ir::numbers::NodeNumbers;
use crate::ir::schedule::{BlockTile, Staged};
use crate::ir::{Kernel, Range, Stmt, StmtKind, VarId};
use crate::target::gpu::{
    BLOCK_TILE_FETCHED, BLOCK_TILE_LINE, BLOCK_TILE_SIDE, BLOCK_TILE_STAGED, BLOCK_TILE_THREADS, TILE_SIDE,
    WARP, WARP_TILE_COLUMNS,
};

impl Entry {
    /// Prints the body after the parameter declarations. Returns the conditions under which a launch cannot fail; there is no tile for
    /// others.
    pub(super) fn block_tile<'p>(
        &mut self,
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        form: &'p BlockTile,
    ) -> Result<Option<Conditions>, Malformed> {
        (printer.body, printer.numbers) = (&form.body, NodeNumbers::of(&form.body.block));
        let Some(facts) = &printer.unit.schedule.versions.block_tile else { return Ok(None) };
        let Some(parts) = Parts::of(form) else { return Ok(None) };
        printer.version = Some(facts);
        "return;".clone_into(&mut printer.leave);
        printer.locals(&kernel.body.params, &[])?;
        let tile = Tile {
            kernel,
            rows: Factor::of(printer, "row", &form.rows)?,
            columns: Factor::of(printer, "column", &form.columns)?,
        };
        tile.place(&mut printer.lines, form);
        let rounds = printer.counted_all(&parts.loops)?;
        let sum = local_name(form.sum);
        let ty = printer.ty(&form.body.variables[form.sum].ty, kernel.span)?;
        printer.lines.push(format!("{ty} sums[{}];", TILE_SIDE * TILE_SIDE));
        tile.each(printer, |p| {
            p.block(&form.body.block[..form.at])?;
            p.lines.push(format!("sums[{}] = {sum};", own("i", "j")));
            Ok(())
        })?;
        [&tile.rows, &tile.columns].into_iter().for_each(|factor| factor.begin(&mut printer.lines, kernel));
        let lines = &mut printer.lines;
        lines.push("q_u32 which = 0u;");
        lines.push("#pragma unroll 2");
        lines.open(format!(
            "for (q_u32 stage = 0u; stage < rounds + {BLOCK_TILE_STAGED}u; stage += {BLOCK_TILE_STAGED}u) {{"
        ));
        for (factor, stmt) in [(&tile.rows, parts.row), (&tile.columns, parts.column)] {
            printer.fetch(factor, &rounds, stmt)?;
        }
        printer.grow(&tile, &sum, parts.step)?;
        let lines = &mut printer.lines;
        [&tile.rows, &tile.columns].into_iter().for_each(|factor| factor.put(lines));
        lines.push("Q_BARRIER();");
        lines.push("which ^= 1u;");
        lines.close("}");
        tile.each(printer, |p| {
            p.lines.push(format!("{sum} = sums[{}];", own("i", "j")));
            p.block(&form.body.block[form.at + 1..])
        })?;
        let safe = printer.succeeds_where(facts);
        printer.version = None;
        self.declared(printer);
        Ok(safe)
    }
}

/// The place of a sum among those of a thread.
fn own(row: &str, column: &str) -> String {
    format!("{row} * {TILE_SIDE}u + {column}")
}

/// The parts of the code that stand in different places.
struct Parts<'p> {
    loops: Vec<(VarId, &'p Range)>,
    row: &'p Stmt,
    column: &'p Stmt,
    step: &'p Stmt,
}

impl<'p> Parts<'p> {
    fn of(form: &'p BlockTile) -> Option<Parts<'p>> {
        let (mut loops, mut body) = (Vec::new(), form.body.block.get(form.at..=form.at).unwrap_or_default());
        while let [Stmt { kind: StmtKind::For { variable, range, body: inner, .. }, .. }] = body {
            loops.push((*variable, range));
            body = inner;
        }
        let [row, column, step] = body else { return None };
        Some(Parts { loops, row, column, step })
    }
}

/// The tile of a block.
struct Tile<'p> {
    kernel: &'p Kernel,
    rows: Factor<'p>,
    columns: Factor<'p>,
}

impl Tile<'_> {
    /// Computes where the tile of the block begins, and what the thread has of it.
    fn place(&self, lines: &mut Lines, form: &BlockTile) {
        let kernel = self.kernel;
        for (name, staged) in [("rows", &form.rows), ("columns", &form.columns)] {
            let extents: Vec<String> =
                staged.axes.iter().map(|axis| format!("(q_u32){}", extent(kernel, *axis))).collect();
            lines.push(format!("const q_u32 {name} = {};", extents.join(" * ")));
        }
        let side = BLOCK_TILE_SIDE;
        lines.push(format!(
            "const q_u32 across = (columns + {}u) / {side}u, down = (rows + {}u) / {side}u;",
            side - 1,
            side - 1
        ));
        lines.push("const q_u32 lines = Q_BLOCK(0) / across;");
        lines.push(format!("const q_u32 first_column = (Q_BLOCK(0) - lines * across) * {side}u;"));
        lines.push(format!("const q_u32 first_row = lines % down * {side}u;"));
        let others = |axis: &usize| !form.rows.axes.contains(axis) && !form.columns.axes.contains(axis);
        digits(lines, kernel, &(0..kernel.rank).filter(others).collect::<Vec<_>>(), "lines / down");
        let threads = BLOCK_TILE_SIDE / TILE_SIDE / WARP_TILE_COLUMNS;
        lines.push(format!("const q_u32 warp = Q_THREAD(0) / {WARP}u, lane = Q_THREAD(0) % {WARP}u;"));
        lines.push(format!(
            "const q_u32 own_row = (warp / {threads}u * {}u + lane / {WARP_TILE_COLUMNS}u) * {TILE_SIDE}u;",
            WARP as u32 / WARP_TILE_COLUMNS
        ));
        lines.push(format!("const q_u32 own_column = (warp % {threads}u * {WARP_TILE_COLUMNS}u + lane % {WARP_TILE_COLUMNS}u) * {TILE_SIDE}u;"));
    }

    /// Prints what is done for each position of the thread.
    fn each(
        &self,
        printer: &mut Printer<'_, '_>,
        print: impl FnOnce(&mut Printer<'_, '_>) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        let factors = [("i", &self.rows), ("j", &self.columns)];
        for (k, Factor { name, .. }) in factors {
            printer.lines.push("#pragma unroll");
            printer.lines.open(format!("for (q_u32 {k} = 0u; {k} < {TILE_SIDE}u; ++{k}) {{"));
            printer.lines.push(format!("const q_u32 {name} = first_{name} + own_{name} + {k};"));
        }
        printer.lines.open("if (row < rows && column < columns) {");
        for (_, factor) in factors {
            digits(&mut printer.lines, self.kernel, &factor.staged.axes, factor.name);
        }
        print(printer)?;
        (0..3).for_each(|_| printer.lines.close("}"));
        Ok(())
    }
}

/// A factor, and where its elements are.
struct Factor<'p> {
    name: &'static str,
    staged: &'p Staged,
    /// The type of an element.
    ty: String,
}

impl<'p> Factor<'p> {
    /// That of rows, or of columns.
    fn of(
        printer: &mut Printer<'_, 'p>,
        name: &'static str,
        staged: &'p Staged,
    ) -> Result<Factor<'p>, Malformed> {
        let variable = &printer.body.variables[staged.variable];
        Ok(Factor { name, staged, ty: printer.ty(&variable.ty, variable.span)? })
    }

    /// Declares the memory, and computes the positions whose elements the thread fetches.
    fn begin(&self, lines: &mut Lines, kernel: &Kernel) {
        let Factor { name, staged, ty } = self;
        lines.push(format!(
            "Q_SHARED_DECL Q_ALIGNED {ty} staged_{name}s[2][{BLOCK_TILE_STAGED}][{BLOCK_TILE_LINE}];"
        ));
        lines.push(format!("{ty} next_{name}s[{BLOCK_TILE_FETCHED}];"));
        lines.push(format!("q_i32 has_{name}[{BLOCK_TILE_FETCHED}];"));
        for axis in &staged.axes {
            lines.push(format!("q_i32 {name}_p{axis}[{BLOCK_TILE_FETCHED}];"));
        }
        self.for_fetched(lines, |lines| {
            lines.push(format!("const q_u32 at = first_{name} + {name};"));
            lines.push(format!("has_{name}[q] = at < {name}s;"));
            digits(lines, kernel, &staged.axes, "at");
            for axis in &staged.axes {
                lines.push(format!("{name}_p{axis}[q] = p{axis};"));
            }
        });
    }

    /// A loop over the elements that the thread fetches: `q`, with the row or column and the iteration of each.
    fn for_fetched(&self, lines: &mut Lines, print: impl FnOnce(&mut Lines)) {
        self.open_fetched(lines);
        print(lines);
        lines.close("}");
    }

    fn open_fetched(&self, lines: &mut Lines) {
        let Factor { name, staged, .. } = self;
        lines.push("#pragma unroll");
        lines.open(format!("for (q_u32 q = 0u; q < {BLOCK_TILE_FETCHED}u; ++q) {{"));
        lines.push(format!("const q_u32 element = Q_THREAD(0) + q * {BLOCK_TILE_THREADS}u;"));
        let (along, across) = if staged.along_loop {
            (BLOCK_TILE_STAGED, ["round", name])
        } else {
            (BLOCK_TILE_SIDE, [*name, "round"])
        };
        let [first, second] = across;
        lines.push(format!("const q_u32 {first} = element % {along}u, {second} = element / {along}u;"));
    }

    /// Moves what was fetched to shared memory.
    fn put(&self, lines: &mut Lines) {
        let name = self.name;
        self.for_fetched(lines, |lines| {
            lines.push(format!("staged_{name}s[which][round][{name}] = next_{name}s[q];"));
        });
    }
}

/// The number of positions along an axis of the launch, or of the part that this device has.
fn extent(kernel: &Kernel, axis: usize) -> String {
    if kernel.divisible && axis == 0 { "(part_end - part_start)".to_owned() } else { format!("n{axis}") }
}

/// Declares components of the position, of which a number has the digits.
fn digits(lines: &mut Lines, kernel: &Kernel, axes: &[usize], number: &str) {
    let mut rest = number.to_owned();
    for (k, axis) in axes.iter().enumerate().rev() {
        let start = if kernel.divisible && *axis == 0 { "part_start + " } else { "" };
        if k == 0 {
            lines.push(format!("const q_i32 p{axis} = {start}(q_i32)({rest});"));
            return;
        }
        let (next, extent) = (format!("above_{axis}"), extent(kernel, *axis));
        lines.push(format!("const q_u32 {next} = ({rest}) / (q_u32){extent};"));
        lines.push(format!("const q_i32 p{axis} = {start}(q_i32)(({rest}) - {next} * (q_u32){extent});"));
        rest = next;
    }
}

/// A loop whose iterations are numbered.
struct Counted {
    variable: VarId,
    from: String,
    count: String,
}

impl Printer<'_, '_> {
    /// Computes the bounds of the loops, and the number of iterations of all of them.
    fn counted_all(&mut self, loops: &[(VarId, &Range)]) -> Result<Vec<Counted>, Malformed> {
        let mut counted = Vec::new();
        for (variable, range) in loops {
            let (from, to) = (self.simple(&range.from)?, self.simple(&range.to)?);
            let count = match range.constant_count() {
                Some(count) => format!("{}u", count.max(0)),
                None => {
                    let count = self.temporary();
                    self.lines.push(format!("const q_u32 {count} = (q_u32)q_unit_steps({from}, {to});"));
                    count
                }
            };
            counted.push(Counted { variable: *variable, from, count });
        }
        let counts: Vec<&str> = counted.iter().map(|each| each.count.as_str()).collect();
        self.lines.push(format!("const q_u32 rounds = {};", counts.join(" * ")));
        Ok(counted)
    }

    /// Fetches what the next iterations need of a factor.
    fn fetch(&mut self, factor: &Factor<'_>, loops: &[Counted], value: &Stmt) -> Result<(), Malformed> {
        let Factor { name, staged, .. } = factor;
        factor.open_fetched(&mut self.lines);
        let next = format!("next_{name}s[q]");
        self.lines.push("const q_u32 number = stage + round;");
        self.lines.push(format!("{next} = 0;"));
        self.lines.open(format!("if (has_{name}[q] && number < rounds) {{"));
        for axis in &staged.axes {
            self.lines.push(format!("const q_i32 p{axis} = {name}_p{axis}[q];"));
        }
        let mut rest = "number".to_owned();
        for (k, Counted { variable, from, count }) in loops.iter().enumerate().rev() {
            let digit = if k == 0 {
                rest.clone()
            } else {
                let above = format!("above_{k}");
                self.lines.push(format!("const q_u32 {above} = {rest} / {count};"));
                let digit = format!("({rest} - {above} * {count})");
                rest = above;
                digit
            };
            self.lines.push(format!("{} = (q_i32)((q_u32)({from}) + {digit});", local_name(*variable)));
        }
        self.stmt(value)?;
        self.lines.push(format!("{next} = {};", local_name(staged.variable)));
        self.lines.close("}");
        self.lines.close("}");
        Ok(())
    }

    /// Grows the sums of the thread by what was staged before, all of it or what is left.
    fn grow(&mut self, tile: &Tile<'_>, sum: &str, step: &Stmt) -> Result<(), Malformed> {
        let factors = [("i", &tile.rows), ("j", &tile.columns)];
        let staged = BLOCK_TILE_STAGED;
        let code = |p: &mut Self| -> Result<(), Malformed> {
            for (k, Factor { name, ty, .. }) in factors {
                p.lines.push(format!("{ty} {name}[{TILE_SIDE}];"));
                p.lines.push("#pragma unroll");
                p.lines.push(format!("for (q_u32 {k} = 0u; {k} < {TILE_SIDE}u; ++{k}) {name}[{k}] = staged_{name}s[which ^ 1u][round][own_{name} + {k}];"));
            }
            for (k, _) in factors {
                p.lines.push("#pragma unroll");
                p.lines.open(format!("for (q_u32 {k} = 0u; {k} < {TILE_SIDE}u; ++{k}) {{"));
            }
            for (k, Factor { name, staged, .. }) in factors {
                p.lines.push(format!("{} = {name}[{k}];", local_name(staged.variable)));
            }
            p.lines.push(format!("{sum} = sums[{}];", own("i", "j")));
            p.stmt(step)?;
            p.lines.push(format!("sums[{}] = {sum};", own("i", "j")));
            (0..3).for_each(|_| p.lines.close("}"));
            Ok(())
        };
        self.lines.open("if (stage > 0u && stage <= rounds) {");
        self.lines.push("#pragma unroll");
        self.lines.open(format!("for (q_u32 round = 0u; round < {staged}u; ++round) {{"));
        code(self)?;
        self.lines.next("} else if (stage > rounds) {");
        self.lines.push("#pragma unroll 1");
        self.lines.open(format!("for (q_u32 round = 0u; round + stage < rounds + {staged}u; ++round) {{"));
        code(self)?;
        self.lines.close("}");
        Ok(())
    }
}
