//! Register tiling: kernels whose threads process several positions each. There are three versions: for tiles that need
//! no index map, for other tiles inside the launch whose indices are at most one extent out of bounds, and for single
//! positions. Square tiles have one more, which needs no index map and loads vectors; where it cannot run, a thread visits its columns
//! one after the other.

use super::conditions::printed;
use super::entry::{self, Version, end, positions};
use super::expr::{Printer, local_name};
use super::lines::Lines;
use super::types::rank;
use super::{Malformed, Space, Style, arrays, malformed};
use crate::ir::affine::Conditions;
use crate::ir::numbers::NodeNumbers;
use crate::ir::rewrite::stored_in;
use crate::ir::versions::CodeVersion;
use crate::ir::{Body, Kernel};

/// Prints the body after the parameter declarations. Returns the conditions under which a launch cannot fail; those of
/// tiles cover single positions too.
pub(super) fn print<'p>(
    printer: &mut Printer<'_, 'p>,
    kernel: &'p Kernel,
) -> Result<(Lines, Option<Conditions>), Malformed> {
    let mut lines = Lines::at(1);
    let versions = &printer.unit.schedule.versions;
    let (Some(strip), Some(facts)) = (&kernel.strip, &versions.tile) else {
        return malformed(kernel.span, "a kernel without a register tile");
    };
    let (axis, distance) = (kernel.rank.saturating_sub(2), (strip.rows - 1) * strip.apart);
    let square = match (&strip.square, &versions.square_tile) {
        (Some(square), Some(facts)) => {
            let near = versions.near_square_tile.as_ref();
            Some((square.side, Tile::of(printer, kernel, &square.body, facts, near)?))
        }
        _ => None,
    };
    let tile = Tile::of(printer, kernel, &strip.body, facts, versions.near_tile.as_ref())?;
    let safe = printer.succeeds_where(facts);
    let single = printer.version(kernel, 2, "return;", None)?;
    let side = square.as_ref().map_or(1, |(side, ..)| *side);
    positions(&mut lines, kernel, Style::Strips { rows: strip.rows, side });
    let end = end(kernel, axis);
    let mut left = "return;";
    if let Some((side, tile)) = &square {
        print_square(&mut lines, printer, kernel, *side, tile);
        left = "goto next_column;";
    }
    let mut conditions = vec![format!("rows == {} && {end} - p{axis} > {distance}", strip.rows)];
    conditions.extend(tile.conditions());
    lines.open(format!("if ({}) {{", conditions.join(" && ")));
    tile.print(&mut lines, left);
    lines.close("}");
    let apart = strip.apart;
    lines.push(format!("const q_i32 first = p{axis};"));
    lines.push("#pragma unroll 1");
    lines.open(format!("for (q_i32 row = 0; row < rows && row * {apart} < {end} - first; ++row) {{"));
    lines.push(format!("const q_i32 p{axis} = first + row * {apart};"));
    single.print(&mut lines);
    lines.close("}");
    if square.is_some() {
        lines.close("}");
        lines.push("next_column: ;");
        lines.close("}");
    }
    Ok((lines, safe))
}

/// Prints what happens where square tiles are whole, and begins a loop over the columns of others.
fn print_square(lines: &mut Lines, printer: &Printer<'_, '_>, kernel: &Kernel, side: u32, tile: &Tile<'_>) {
    let last = kernel.rank - 1;
    let mut conditions = vec![format!("columns == {side}")];
    conditions.extend([last - 1, last].map(|axis| format!("{} - p{axis} >= {side}", end(kernel, axis))));
    let vectors = Vectors::of(printer, kernel, side);
    conditions.extend(vectors.conditions());
    conditions.extend(tile.conditions());
    lines.open(format!("if ({}) {{", conditions.join(" && ")));
    vectors.open(lines);
    tile.print(lines, "return;");
    lines.close("}");
    lines.close("}");
    lines.push(format!("const q_i32 left = p{last};"));
    lines.push("#pragma unroll 1");
    let end = end(kernel, last);
    lines.open(format!("for (q_i32 column = 0; column < columns && column < {end} - left; ++column) {{"));
    lines.open("{");
    lines.push(format!("const q_i32 p{last} = left + column;"));
}

/// The code of a whole tile.
struct Tile<'p> {
    /// For threads whose indices are all inside.
    inner: Version,
    facts: &'p CodeVersion,
    /// For others.
    outer: Option<(Version, &'p CodeVersion)>,
}

impl<'p> Tile<'p> {
    fn of(
        printer: &mut Printer<'_, 'p>,
        kernel: &'p Kernel,
        body: &'p Body,
        facts: &'p CodeVersion,
        near: Option<&'p CodeVersion>,
    ) -> Result<Tile<'p>, Malformed> {
        let inner = tile_version(printer, kernel, body, facts, false)?;
        let outer = match near {
            Some(near) => Some((tile_version(printer, kernel, body, near, true)?, near)),
            None => None,
        };
        Ok(Tile { inner, facts, outer })
    }

    /// The conditions on a launch under which both versions are right.
    fn conditions(&self) -> Option<String> {
        let mut launch = self.facts.launch.clone();
        if let Some((_, near)) = &self.outer {
            near.launch.sums().for_each(|sum| launch.ask(sum.clone()));
        }
        printed(&launch)
    }

    /// Prints what whole tiles do; `left` stands behind it, and is not reached by threads that no version is right for.
    fn print(&self, lines: &mut Lines, left: &str) {
        match (&self.outer, printed(&self.facts.thread)) {
            (Some((outer, near)), Some(thread)) => {
                lines.open(format!("if ({thread}) {{"));
                self.inner.print(lines);
                lines.push(left);
                match printed(&near.near) {
                    Some(near) => lines.next(format!("}} else if ({near}) {{")),
                    None => lines.next("} else {"),
                }
                outer.print(lines);
                lines.push(left);
                lines.close("}");
            }
            _ => {
                self.inner.print(lines);
                lines.push(left);
            }
        }
    }
}

/// What lets a device's compiler join loads of neighbours to vectors: it sees that arrays are aligned, and that their rows and the
/// positions of a square tile begin at multiples of a vector.
struct Vectors {
    /// Arrays in global memory, as they are declared, and their names.
    arrays: Vec<(String, String)>,
    /// Extents and positions that are multiples of the side of a tile.
    multiples: Vec<String>,
    /// Those of them that a launch does not give by itself.
    asked: Vec<String>,
    side: u32,
}

impl Vectors {
    fn of(printer: &Printer<'_, '_>, kernel: &Kernel, side: u32) -> Vectors {
        let (mut arrays, mut asked) = (Vec::new(), Vec::new());
        let stored = stored_in(&kernel.body.block);
        for &param in &kernel.body.params {
            let (name, ty) = (local_name(param), &kernel.body.variables[param].ty);
            let global = printer.in_memory.get(&param) == Some(&Space::Global);
            if let (true, Some(pointed), Some(rank)) = (global, arrays::pointed(ty), rank(ty)) {
                if rank > 1 {
                    asked.push(format!("{name}_d{}", rank - 1));
                }
                arrays.push((entry::global_pointer(&kernel.body, &stored, param, &pointed), name));
            }
        }
        let position = format!("p{}", kernel.rank - 1);
        let multiples = asked.iter().cloned().chain([position]).collect();
        Vectors { arrays, multiples, asked, side }
    }

    fn conditions(&self) -> Vec<String> {
        let names: Vec<String> = self.arrays.iter().map(|(_, name)| format!("(size_t){name}")).collect();
        let mut all = vec![format!("(({}) & 15) == 0", names.join(" | "))];
        if !self.asked.is_empty() {
            all.push(format!("(({}) & {}) == 0", self.asked.join(" | "), self.side - 1));
        }
        all
    }

    /// Declares the same names again, with what is known of them. Opens a block.
    fn open(&self, lines: &mut Lines) {
        for (pointer, name) in &self.arrays {
            lines.push(format!("{pointer} aligned_{name} = Q_ALIGNED_POINTER({pointer}, {name});"));
        }
        for name in &self.multiples {
            lines.push(format!("const q_i32 aligned_{name} = {name} & ~{};", self.side - 1));
        }
        lines.open("{");
        for (pointer, name) in &self.arrays {
            lines.push(format!("{pointer} {name} = aligned_{name};"));
        }
        for name in &self.multiples {
            lines.push(format!("const q_i32 {name} = aligned_{name};"));
        }
    }
}

/// The code of a whole tile in one of its versions. If it `hoists`, mapped indices that the tile shares are computed in front.
fn tile_version<'p>(
    printer: &mut Printer<'_, 'p>,
    kernel: &'p Kernel,
    body: &'p Body,
    version: &'p CodeVersion,
    hoists: bool,
) -> Result<Version, Malformed> {
    let numbers = std::mem::replace(&mut printer.numbers, NodeNumbers::of(&body.block));
    let body = std::mem::replace(&mut printer.body, body);
    printer.hoisted = hoists.then(Vec::new);
    let printed = printer.version(kernel, 3, "return;", Some(version));
    (printer.body, printer.numbers) = (body, numbers);
    printed
}
