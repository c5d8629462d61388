//! Register tiling: kernels whose threads process several positions each. There are three versions: for tiles that need
//! no index map, for other tiles inside the launch whose indices are at most one extent out of bounds, and for single
//! positions. Tiles of several columns have one more, which needs no index map; where it cannot run, a thread visits its columns one
//! after the other.

use super::conditions::printed;
use super::entry::{Version, end, positions};
use super::expr::Printer;
use super::lines::Lines;
use super::{Malformed, Style, malformed};
use crate::ir::affine::Conditions;
use crate::ir::numbers::NodeNumbers;
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
    let columns = match (&strip.wide, &versions.wide_tile) {
        (Some(wide), Some(facts)) => {
            let version = tile_version(printer, kernel, &wide.body, facts, false)?;
            Some((wide.columns, wide.apart, version, facts))
        }
        _ => None,
    };
    let inner = tile_version(printer, kernel, &strip.body, facts, false)?;
    let safe = printer.succeeds_where(facts);
    let outer = match &versions.near_tile {
        Some(near) => Some((tile_version(printer, kernel, &strip.body, near, true)?, near)),
        None => None,
    };
    let single = printer.version(kernel, 2, "return;", None)?;
    let count = columns.as_ref().map_or(1, |(count, ..)| *count);
    positions(&mut lines, kernel, Style::Strips { rows: strip.rows, columns: count });
    let (end_of_columns, end) = (end(kernel, kernel.rank - 1), end(kernel, axis));
    let whole = format!("rows == {} && {end} - p{axis} > {distance}", strip.rows);
    let mut left = "return;";
    if let Some((count, apart, version, facts)) = &columns {
        let (last, distance) = (kernel.rank - 1, (count - 1) * apart);
        let mut conditions = vec![format!("columns == {count} && {whole}")];
        conditions.push(format!("{end_of_columns} - p{last} > {distance}"));
        conditions.extend(printed(&facts.launch));
        conditions.extend(printed(&facts.thread));
        lines.open(format!("if ({}) {{", conditions.join(" && ")));
        version.print(&mut lines);
        lines.push("return;");
        lines.close("}");
        lines.push(format!("const q_i32 left = p{last};"));
        lines.push("#pragma unroll 1");
        lines.open(format!("for (q_i32 column = 0; column < columns && column * {apart} < {end_of_columns} - left; ++column) {{"));
        lines.open("{");
        lines.push(format!("const q_i32 p{last} = left + column * {apart};"));
        left = "goto next_column;";
    }
    let mut conditions = vec![whole];
    // Both tile versions must be right where the condition holds.
    let mut launch = facts.launch.clone();
    if let Some((_, near)) = &outer {
        near.launch.sums().for_each(|sum| launch.ask(sum.clone()));
    }
    conditions.extend(printed(&launch));
    lines.open(format!("if ({}) {{", conditions.join(" && ")));
    match (outer, printed(&facts.thread)) {
        (Some((outer, near)), Some(thread)) => {
            lines.open(format!("if ({thread}) {{"));
            inner.print(&mut lines);
            lines.push(left);
            match printed(&near.near) {
                Some(near) => lines.next(format!("}} else if ({near}) {{")),
                None => lines.next("} else {"),
            }
            outer.print(&mut lines);
            lines.push(left);
            lines.close("}");
        }
        _ => {
            inner.print(&mut lines);
            lines.push(left);
        }
    }
    lines.close("}");
    let apart = strip.apart;
    lines.push(format!("const q_i32 first = p{axis};"));
    lines.push("#pragma unroll 1");
    lines.open(format!("for (q_i32 row = 0; row < rows && row * {apart} < {end} - first; ++row) {{"));
    lines.push(format!("const q_i32 p{axis} = first + row * {apart};"));
    single.print(&mut lines);
    lines.close("}");
    if columns.is_some() {
        lines.close("}");
        lines.push("next_column: ;");
        lines.close("}");
    }
    Ok((lines, safe))
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
