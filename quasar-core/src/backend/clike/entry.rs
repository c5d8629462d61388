//! Prints the entry function of a kernel: parameters, the position of each thread, and code versions for one position.

use super::expr::{Printer, local_name};
use super::lines::Lines;
use super::types::rank;
use super::{
    DeviceKernel, Malformed, Space, Style, Unit, arrays, block_reduction, conditions, grid_stride, heap,
    malformed, register_tiles,
};
use crate::analysis::access_pattern::{DEPTH, by_reference, changes};
use crate::ir::affine::{AffineForm, Conditions, Symbol};
use crate::ir::numbers::NodeNumbers;
use crate::ir::rewrite::stored_in;
use crate::ir::schedule::{BlockLoops, BlockTile, DeviceSchedule, GridStride, Mapping, SplitReduction};
use crate::ir::versions::CodeVersion;
use crate::ir::{Body, ExprKind, Kernel, Storage, VarId, VarSet};
use crate::source::Span;
use crate::target::gpu::{
    BLOCK_TILE_THREADS, CONSTANT_ARRAYS, GRID_STRIDE_THREADS, POSITION_THREADS, SPLIT_COLUMNS, SPLIT_THREADS,
    TILE_THREADS,
};
use crate::types::Type;
use crate::types::known::known_bytes;
use quasar_devicelib::device_text::constant_place;
use std::collections::BTreeMap;

pub(super) fn kernel<'p>(
    unit: &mut Unit<'p>,
    kernel: &'p Kernel,
    schedule: &'p DeviceSchedule,
) -> Result<DeviceKernel, Malformed> {
    let style = Style::of(schedule, kernel);
    let grid_stride = match &schedule.mapping {
        Mapping::GridStride(grid_stride) => Some(grid_stride),
        _ => None,
    };
    let body = &kernel.body;
    let own = grid_stride.iter().flat_map(|each| &each.own).map(|own| own.array).collect();
    let mut entry = Entry::new(unit, kernel, &own)?;
    let mut printer = entry.printer(unit, kernel, style);
    let safe = match &schedule.mapping {
        Mapping::GridStride(grid_stride) => entry.walking(&mut printer, kernel, grid_stride)?,
        Mapping::RegisterTiles => {
            entry.params.push("q_i32 rows".to_owned());
            let (lines, safe) = register_tiles::print(&mut printer, kernel)?;
            entry.inside.append(&lines);
            safe
        }
        Mapping::CooperativeGrid { walks } => entry.grid(&mut printer, kernel, *walks).map(|()| None)?,
        Mapping::Positions | Mapping::Blocks => entry.one_each(&mut printer, kernel, style)?,
    };
    let constants = entry.constants.clone();
    let bounds = launch_bounds(kernel, style);
    let qualifier = if bounds.is_some() { " Q_BOUNDS" } else { "" };
    let text = entry.text(printer.unit, kernel.span, &entry_name(kernel), qualifier, grid_stride.is_none());
    let text = bounds.unwrap_or_default() + &text;
    let place = |array: &VarId| body.params.iter().position(|param| param == array);
    let tables = grid_stride.iter().flat_map(|each| &each.histograms);
    let tables = tables.filter_map(|table| Some((place(&table.array)?, table.kept().size()))).collect();
    let (sites, dynamic_shared, heap) = (std::mem::take(&mut unit.sites), unit.dynamic_shared, unit.heap);
    let (entry, safe) = (entry_name(kernel), safe.map(|safe| safe.sums().cloned().collect()));
    let (team, block, tile, iterations) = (None, None, None, Vec::new());
    Ok(DeviceKernel {
        entry,
        text,
        style,
        sites,
        dynamic_shared,
        heap,
        tables,
        constants,
        safe,
        team,
        block,
        tile,
        iterations,
    })
}

/// The split-reduction version of a kernel.
pub(super) fn team<'p>(
    unit: &mut Unit<'p>,
    kernel: &'p Kernel,
    split: &SplitReduction,
) -> Result<DeviceKernel, Malformed> {
    let columns = if split.columns { SPLIT_COLUMNS } else { 1 };
    let values = u32::try_from(split.accumulators.len()).unwrap_or(u32::MAX).saturating_mul(columns);
    let mut found = other(
        unit,
        kernel,
        Style::Team { values, columns },
        ("team", &format!("Q_THREADS({SPLIT_THREADS})")),
        |entry, printer| entry.team(printer, kernel, split).map(|()| None),
    )?;
    found.iterations = split.iterations.iter().cloned().collect();
    Ok(found)
}

/// The version of a kernel with a block of threads per position.
pub(super) fn block_loops<'p>(
    unit: &mut Unit<'p>,
    kernel: &'p Kernel,
    form: &'p BlockLoops,
) -> Result<DeviceKernel, Malformed> {
    let values = u32::try_from(form.values()).unwrap_or(u32::MAX);
    let style = Style::BlockEach { along_rows: form.along_rows, values };
    let mut found = other(
        unit,
        kernel,
        style,
        ("block", &format!("Q_MOST_THREADS({POSITION_THREADS})")),
        |entry, printer| entry.block_loops(printer, kernel, form),
    )?;
    found.iterations.clone_from(&form.iterations);
    Ok(found)
}

/// The version of a kernel with a block of threads per tile, if there are launches that cannot fail.
pub(super) fn block_tile<'p>(
    unit: &mut Unit<'p>,
    kernel: &'p Kernel,
    form: &'p BlockTile,
) -> Result<Option<DeviceKernel>, Malformed> {
    let mask = |axes: &[usize]| axes.iter().fold(0, |mask, axis| mask | 1 << axis);
    let style = Style::BlockTiles { rows: mask(&form.rows.axes), columns: mask(&form.columns.axes) };
    let bounds = ("tile", &*format!("Q_THREADS({BLOCK_TILE_THREADS})"));
    let mut found =
        other(unit, kernel, style, bounds, |entry, printer| entry.block_tile(printer, kernel, form))?;
    found.iterations.clone_from(&form.iterations);
    Ok(found.safe.is_some().then_some(found))
}

/// Another version of a kernel, with a name of its own and bounds on its blocks. `print` gives the conditions under which a launch cannot
/// fail.
fn other<'p>(
    unit: &mut Unit<'p>,
    kernel: &'p Kernel,
    style: Style,
    (suffix, bounds): (&str, &str),
    print: impl FnOnce(&mut Entry, &mut Printer<'_, 'p>) -> Result<Option<Conditions>, Malformed>,
) -> Result<DeviceKernel, Malformed> {
    let mut entry = Entry::new(unit, kernel, &VarSet::new())?;
    let mut printer = entry.printer(unit, kernel, style);
    let safe = print(&mut entry, &mut printer)?.map(|safe| safe.sums().cloned().collect());
    let name = format!("{}_{suffix}", entry_name(kernel));
    let constants = entry.constants.clone();
    let text = entry.text(printer.unit, kernel.span, &name, &format!(" {bounds}"), false);
    let sites = std::mem::take(&mut unit.sites);
    let (dynamic_shared, heap, tables) = (false, false, Vec::new());
    let (team, block, tile, iterations, entry) = (None, None, None, Vec::new(), name);
    Ok(DeviceKernel {
        entry,
        text,
        style,
        sites,
        dynamic_shared,
        heap,
        tables,
        constants,
        safe,
        team,
        block,
        tile,
        iterations,
    })
}

/// The program's `__launch_bounds__`, as a macro definition in front of the kernel, if the block sizes that the runtime
/// chooses respect them. Only CUDA has such bounds.
fn launch_bounds(kernel: &Kernel, style: Style) -> Option<String> {
    let bounds = kernel.attributes.bounds?;
    let own = matches!(style, Style::Positions | Style::Blocks | Style::Grid { .. });
    let blocks = bounds.blocks.map_or_else(String::new, |blocks| format!(", {blocks}"));
    (own || bounds.threads >= GRID_STRIDE_THREADS).then(|| {
        let attribute = format!("__launch_bounds__({}{blocks})", bounds.threads);
        format!("#ifdef Q_CUDA\n#define Q_BOUNDS {attribute}\n#else\n#define Q_BOUNDS\n#endif\n")
    })
}

/// The type of a parameter that is an array in global memory.
pub(super) fn global_pointer(body: &Body, stored: &VarSet, param: VarId, pointed: &str) -> String {
    let read_only = !stored.contains(&param) && !passed(body, param);
    if read_only { format!("Q_GLOBAL const {pointed}* Q_RESTRICT") } else { format!("Q_GLOBAL {pointed}*") }
}

fn entry_name(kernel: &Kernel) -> String {
    format!("k_{}", kernel.name)
}

/// The entry function under construction.
pub(super) struct Entry {
    /// C parameters of the kernel.
    pub(super) params: Vec<String>,
    /// Arrays accessed through pointers, with their address spaces.
    in_memory: BTreeMap<VarId, Space>,
    /// The program's parameters that are arrays in constant memory.
    constants: Vec<usize>,
    /// The function body.
    pub(super) inside: Lines,
}

impl Entry {
    /// Arrays in `own`, of which threads access only their own elements, stay in global memory even if constant was
    /// requested.
    fn new(unit: &mut Unit<'_>, kernel: &Kernel, own: &VarSet) -> Result<Entry, Malformed> {
        let body = &kernel.body;
        let (mut params, mut far, mut inside) = (Vec::new(), BTreeMap::new(), Lines::at(1));
        let mut constants = Constants::default();
        let stored = stored_in(&body.block);
        for (k, &param) in body.params.iter().enumerate() {
            let (v, ty) = (local_name(param), &body.variables[param].ty);
            if by_reference(unit.program, body, param) {
                let (Some(pointed), Some(rank)) = (arrays::pointed(ty), rank(ty)) else {
                    return malformed(kernel.span, "a parameter of this type");
                };
                let asked_for = body.variables[param].storage == Storage::Constant && !own.contains(&param);
                let unchanged = !changes(unit.program, &body.block, param, DEPTH);
                let few = constants.params.len() < CONSTANT_ARRAYS;
                if asked_for && unchanged && few {
                    far.insert(param, Space::Constant);
                    params.push(format!("Q_CONSTANT_PARAM({pointed}, {v})"));
                    inside.push(constants.place(k, &v, &pointed, ty));
                } else {
                    far.insert(param, Space::Global);
                    params.push(format!("{} {v}", global_pointer(body, &stored, param, &pointed)));
                }
                params.extend((0..rank).map(|axis| format!("q_i32 {v}_d{axis}")));
            } else {
                value_param(unit, &mut params, &mut inside, &v, ty, kernel)?;
            }
        }
        params.extend((0..kernel.rank).map(|axis| format!("q_i32 n{axis}")));
        if kernel.divisible {
            params.extend(["part_start", "part_end"].map(|name| format!("q_i32 {name}")));
        }
        let shared = body.variables.iter().filter(|(_, variable)| variable.storage == Storage::Shared);
        far.extend(shared.map(|(id, _)| (id, Space::Shared)));
        heap::add(&unit.schedule.heap.kernel, &mut far);
        Ok(Entry { params, in_memory: far, constants: constants.params, inside })
    }

    fn printer<'u, 'p>(
        &mut self,
        unit: &'u mut Unit<'p>,
        kernel: &'p Kernel,
        style: Style,
    ) -> Printer<'u, 'p> {
        Printer {
            heap: &unit.schedule.heap.kernel,
            unit,
            body: &kernel.body,
            lines: Lines::at(1),
            in_memory: std::mem::take(&mut self.in_memory),
            loops: Vec::new(),
            temporaries: 0,
            leave: String::new(),
            leaves_at_once: matches!(
                style,
                Style::Positions | Style::BlockEach { .. } | Style::BlockTiles { .. }
            ),
            shadows: matches!(style, Style::Blocks | Style::Grid { .. }),
            accumulates: matches!(style, Style::Blocks | Style::Grid { .. }),
            version: None,
            wide: VarSet::new(),
            hoisted: None,
            before: None,
            histograms: &[],
            begins: Vec::new(),
            numbers: NodeNumbers::of(&kernel.body.block),
            sections: None,
            block_loops: None,
        }
    }

    /// A grid-stride kernel. Returns the conditions under which a launch cannot fail.
    fn walking<'p>(
        &mut self,
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        walk: &'p GridStride,
    ) -> Result<Option<Conditions>, Malformed> {
        printer.histograms = &walk.histograms;
        let fast = printer.fast_version(kernel, 4, "goto fast_next;")?;
        let safe = fast.as_ref().and_then(|(_, facts)| printer.succeeds_where(facts)).map(|mut safe| {
            for (array, axis) in walk.own.iter().flat_map(|own| (0..kernel.rank).map(move |k| (own.array, k)))
            {
                safe.ask(
                    AffineForm::symbol(Symbol::Extent(array, axis))
                        .minus(&AffineForm::symbol(Symbol::Launch(axis))),
                );
            }
            safe
        });
        let fast = fast.filter(|(_, facts)| !walk.own.is_empty() || !facts.launch.is_empty());
        let general = printer.version(kernel, 4, "goto next;", None)?;
        printer.results(kernel)?;
        self.declared(printer);
        walk.print(&mut self.inside, kernel, fast, &general)?;
        self.inside.append(&grid_stride::reduction(kernel, &mut self.params)?);
        printer.unit.dynamic_shared |= !walk.histograms.is_empty();
        Ok(safe)
    }

    /// A kernel with one thread per position. It has a fast and a general version if the fast one can drop bounds
    /// checks. Returns the conditions under which a launch cannot fail.
    fn one_each<'p>(
        &mut self,
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        style: Style,
    ) -> Result<Option<Conditions>, Malformed> {
        let leave = if style == Style::Positions { "return;" } else { "" };
        let fast = printer.fast_version(kernel, 2, leave)?;
        let safe = fast.as_ref().and_then(|(_, facts)| printer.succeeds_where(facts));
        let general = printer.version(kernel, 1, leave, None)?;
        printer.shared_arrays()?;
        printer.results(kernel)?;
        self.declared(printer);
        positions(&mut self.inside, kernel, style);
        if let Some((fast, facts)) = fast
            && let Some(condition) = conditions::printed(&facts.launch)
        {
            self.inside.open(format!("if ({condition}) {{"));
            fast.print(&mut self.inside);
            self.inside.push("return;");
            self.inside.close("}");
        }
        general.print(&mut self.inside);
        self.inside.append(&block_reduction::combined(kernel, &mut self.params)?);
        Ok(safe)
    }

    /// Moves printed declarations into the function.
    pub(super) fn declared(&mut self, printer: &mut Printer<'_, '_>) {
        self.inside.append(&std::mem::replace(&mut printer.lines, Lines::at(1)));
    }

    /// The complete text. `bounds` follows the function's qualifiers; `allocates` says whether the kernel may allocate
    /// shared memory itself.
    fn text(mut self, unit: &Unit<'_>, place: Span, name: &str, bounds: &str, allocates: bool) -> String {
        let constants = !self.constants.is_empty();
        if unit.dynamic_shared {
            self.params.push("q_u32 shared_bytes".to_owned());
        }
        if unit.heap {
            self.params.extend(heap::PARAMS.map(str::to_owned));
        }
        if unit.fails {
            self.params.push("Q_GLOBAL q_fault* fault".to_owned());
        }
        // OpenCL passes dynamic shared memory as the last parameter; in CUDA the macro is empty.
        let last = if unit.dynamic_shared { " Q_DYNAMIC_SHARED_PARAM(shared_memory)" } else { "" };
        let mut lines = Lines::at(0);
        if let Some(directive) = unit.directive(place) {
            lines.push(directive);
        }
        lines.open(format!("Q_KERNEL{bounds} void {name}({}{last}) {{", self.params.join(", ")));
        if unit.dynamic_shared {
            lines.push("Q_DYNAMIC_SHARED(shared_memory);");
        }
        if unit.dynamic_shared && allocates {
            lines.push("q_u32 shared_used = 0;");
        }
        if unit.heap {
            heap::BEGIN.iter().for_each(|line| lines.push(*line));
        }
        lines.append(&self.inside);
        if unit.heap {
            lines.push("q_heap_end(heap);");
        }
        lines.close("}");
        let structures: String = unit.structures.iter().map(|(_, text)| format!("{text}\n")).collect();
        let memory = if constants { "Q_CONSTANT_MEMORY\n" } else { "" };
        format!("{memory}{structures}{}{}", unit.printed.concat(), lines.into_text())
    }
}

/// Arrays in constant memory, laid out consecutively.
#[derive(Default)]
struct Constants {
    params: Vec<usize>,
    /// Offset of the next array; `None` once an array of unknown size has been placed.
    at: Option<usize>,
}

impl Constants {
    /// The statement that declares where an array lies. Launches compute the same offsets.
    fn place(&mut self, param: usize, name: &str, pointed: &str, ty: &Type) -> String {
        let at = if self.params.is_empty() { Some(0) } else { self.at };
        self.params.push(param);
        self.at = at.zip(known_bytes(ty)).map(|(at, bytes)| at + constant_place(bytes));
        let at = at.map_or_else(|| format!("{name}_at"), |at| at.to_string());
        format!("Q_CONSTANT_ARRAY({pointed}, {name}, {at})")
    }
}

/// The code for one position, with its variables.
pub(super) struct Version {
    pub(super) locals: String,
    pub(super) code: String,
    /// Hoisted values with their names.
    pub(super) hoisted: Vec<(String, String)>,
}

impl Version {
    /// Appends hoisted values, locals and code.
    pub(super) fn print(&self, lines: &mut Lines) {
        for (value, name) in &self.hoisted {
            lines.push(format!("const q_i32 {name} = {value};"));
        }
        lines.append_text(&self.locals);
        lines.append_text(&self.code);
    }
}

impl<'p> Printer<'_, 'p> {
    /// The conditions under which the version that was printed before all others cannot fail, if it contains no error site.
    /// Where they hold, all versions access the same elements.
    pub(super) fn succeeds_where(&self, facts: &CodeVersion) -> Option<Conditions> {
        (!self.unit.fails).then(|| facts.launch.clone())
    }

    /// The version of the code for one position that needs no tests, if there is one.
    fn fast_version(
        &mut self,
        kernel: &Kernel,
        depth: usize,
        leave: &str,
    ) -> Result<Option<(Version, &'p CodeVersion)>, Malformed> {
        let facts = self.unit.schedule.versions.position.as_ref();
        facts.map(|facts| Ok((self.version(kernel, depth, leave, Some(facts))?, facts))).transpose()
    }

    /// Prints the code for one position. `leave` is the statement that follows an error.
    pub(super) fn version(
        &mut self,
        kernel: &Kernel,
        depth: usize,
        leave: &str,
        facts: Option<&'p CodeVersion>,
    ) -> Result<Version, Malformed> {
        leave.clone_into(&mut self.leave);
        (self.version, self.wide) = (facts, VarSet::new());
        let outer = std::mem::replace(&mut self.lines, Lines::at(depth));
        self.block(&self.body.block)?;
        let code = std::mem::replace(&mut self.lines, Lines::at(depth)).into_text();
        // Variables of one position only; results live across all positions that a thread processes.
        self.locals(&kernel.body.params, &kernel.body.results)?;
        let locals = std::mem::replace(&mut self.lines, outer).into_text();
        self.version = None;
        Ok(Version { locals, code, hoisted: self.hoisted.take().unwrap_or_default() })
    }
}

/// Whether an array is passed to a function, which may modify it.
fn passed(body: &crate::ir::Body, param: VarId) -> bool {
    let mut found = false;
    crate::ir::rewrite::visit_stmts(&body.block, &mut |stmt| {
        if let crate::ir::StmtKind::Call { args, .. } = &stmt.kind {
            found |= args.iter().any(|arg| matches!(arg.kind, ExprKind::Local(v) if v == param));
        }
    });
    found
}

/// Declares a value parameter. A tuple is passed as one parameter for each scalar or small array in it.
fn value_param(
    unit: &mut Unit<'_>,
    params: &mut Vec<String>,
    prologue: &mut Lines,
    name: &str,
    ty: &Type,
    kernel: &Kernel,
) -> Result<(), Malformed> {
    let parts: Vec<Type> = match ty {
        Type::Tuple(parts) => parts.clone(),
        Type::Closure(closure) => closure.captures.iter().map(|(_, ty)| ty.clone()).collect(),
        _ => {
            let Some(ty) = unit.ty(ty) else {
                return malformed(kernel.span, format!("a parameter of type '{ty}'"));
            };
            params.push(format!("{ty} {}", name.replace('.', "_")));
            if name.contains('.') {
                prologue.push(format!("{name} = {};", name.replace('.', "_")));
            }
            return Ok(());
        }
    };
    if !name.contains('.') {
        let Some(ty) = unit.ty(ty) else {
            return malformed(kernel.span, format!("a parameter of type '{ty}'"));
        };
        prologue.push(format!("{ty} {name};"));
    }
    for (k, part) in parts.iter().enumerate() {
        value_param(unit, params, prologue, &format!("{name}.f{k}"), part, kernel)?;
    }
    Ok(())
}

impl Printer<'_, '_> {
    /// Declares the kernel's shared arrays.
    pub(super) fn shared_arrays(&mut self) -> Result<(), Malformed> {
        let body = self.body;
        for (id, variable) in body.variables.iter() {
            if variable.storage != Storage::Shared {
                continue;
            }
            let (Some(pointed), Some(rank)) = (arrays::pointed(&variable.ty), rank(&variable.ty)) else {
                return malformed(variable.span, "a shared array of this type");
            };
            let name = local_name(id);
            for axis in 0..rank {
                self.lines.push(format!("q_i32 {name}_d{axis} = 0;"));
            }
            match self.unit.schedule.shared.get(&id) {
                Some(Some(count)) => self.lines.push(format!("Q_SHARED_DECL {pointed} {name}[{count}];")),
                Some(None) => self.lines.push(format!("Q_SHARED {pointed}* {name} = 0;")),
                None => {
                    return malformed(variable.span, "a shared array that is not allocated in the kernel");
                }
            }
        }
        Ok(())
    }
}

/// The exclusive end of positions along an axis: that of this device's part, or the extent.
pub(super) fn end(kernel: &Kernel, axis: usize) -> String {
    if kernel.divisible && axis == 0 { "part_end".to_owned() } else { format!("n{axis}") }
}

/// Computes the position of a thread. A device that has a part of the positions numbers blocks as the whole launch
/// does: parts of block-dependent kernels begin at a block boundary.
pub(super) fn positions(lines: &mut Lines, kernel: &Kernel, style: Style) {
    let rank = kernel.rank;
    // The grid dimension of a component: the last one runs along x.
    let along = |axis: usize| (rank - 1 - axis).min(2);
    let lead = rank.saturating_sub(2);
    if style == Style::Blocks {
        lines.push("const q_i32 thread = (q_i32)((Q_THREAD(2) * Q_BLOCK_DIM(1) + Q_THREAD(1)) * Q_BLOCK_DIM(0) + Q_THREAD(0));");
        lines.push("const q_i32 threads = (q_i32)(Q_BLOCK_DIM(0) * Q_BLOCK_DIM(1) * Q_BLOCK_DIM(2));");
    }
    if rank > 3 {
        // Leading components are unfolded from the third dimension of the grid, and where that is too short from layers of the second.
        let leading = (0..lead).map(|axis| match kernel.divisible && axis == 0 {
            true => "(q_u32)(part_end - part_start)".to_owned(),
            false => format!("(q_u32)n{axis}"),
        });
        let leading: Vec<String> = leading.collect();
        lines.push(format!(
            "const q_u32 layers = ({} + Q_GRID_DIM(2) - 1u) / Q_GRID_DIM(2);",
            leading.join(" * ")
        ));
        lines.push("q_u32 row = Q_BLOCK(1), lead = Q_BLOCK(2);");
        lines.push("if (layers > 1u) {");
        lines.push("    const q_u32 across = Q_GRID_DIM(1) / layers;");
        lines.push("    lead += row / across * Q_GRID_DIM(2);");
        lines.push("    row %= across;");
        lines.push("}");
    }
    for axis in 0..rank {
        if axis + 2 < rank && rank > 3 {
            continue;
        }
        let k = along(axis);
        let part = kernel.divisible && axis == 0;
        let before = if part { format!(" + part_start / bd{axis}") } else { String::new() };
        // Grids are short along y: the third dimension goes on where there is no other use for it.
        let number = match rank {
            2 if k == 1 => "(Q_BLOCK(1) + Q_BLOCK(2) * Q_GRID_DIM(1))".to_owned(),
            4.. if k == 1 => "row".to_owned(),
            _ => format!("Q_BLOCK({k})"),
        };
        lines.push(format!("const q_i32 bd{axis} = (q_i32)Q_BLOCK_DIM({k}), bp{axis} = (q_i32)Q_THREAD({k}), bi{axis} = (q_i32){number}{before};"));
        let block = if part { number } else { format!("(q_u32)bi{axis}") };
        let here = format!("{block} * (q_u32)bd{axis} + (q_u32)bp{axis}");
        let here = match style {
            Style::Strips { .. } if rank == 1 => {
                let threads = TILE_THREADS;
                format!("{block} * ((q_u32)rows * {threads}u) + (q_u32)bp{axis}")
            }
            Style::Strips { .. } if axis + 2 == rank => format!("({here}) * (q_u32)rows"),
            _ => here,
        };
        let here = if part { format!("(q_u32)part_start + {here}") } else { here };
        lines.push(format!(
            "const q_i32 bc{axis} = (n{axis} + bd{axis} - 1) / bd{axis}, p{axis} = (q_i32)({here});"
        ));
    }
    if rank > 3 {
        // Blocks have one position along leading components. The last layer may go beyond the first of them.
        for axis in (0..lead).rev() {
            let here = match (axis, kernel.divisible) {
                (0, true) => "part_start + (q_i32)lead".to_owned(),
                (0, false) => "(q_i32)lead".to_owned(),
                _ => format!("(q_i32)(lead % (q_u32)n{axis})"),
            };
            lines.push(format!("const q_i32 bd{axis} = 1, bp{axis} = 0, bc{axis} = n{axis}, p{axis} = {here}, bi{axis} = p{axis};"));
            lines.push(format!("lead /= (q_u32)n{axis};"));
        }
    }
    let outside = (0..rank).map(|axis| format!("(q_u32)p{axis} >= (q_u32){}", end(kernel, axis)));
    let outside: Vec<String> = outside.collect();
    match style {
        Style::Blocks => lines.push(format!("const q_i32 shadow = {};", outside.join(" || "))),
        Style::Positions
        | Style::Strips { .. }
        | Style::Walk { .. }
        | Style::Team { .. }
        | Style::BlockEach { .. }
        | Style::BlockTiles { .. }
        | Style::Grid { .. } => lines.push(format!("if ({}) return;", outside.join(" || "))),
    }
}
