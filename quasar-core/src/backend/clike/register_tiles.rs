//! Register tiling: kernels whose threads process several positions each. There are three versions: for tiles that need
//! no index map, for other tiles inside the launch whose indices are at most one extent out of bounds, and for single
//! positions.

use super::conditions::printed;
use super::entry::{Version, end, positions};
use super::expr::Printer;
use super::lines::Lines;
use super::{Malformed, Style, malformed};
use crate::ir::affine::Conditions;
use crate::ir::numbers::NodeNumbers;
use crate::ir::versions::CodeVersion;
use crate::ir::{Kernel, RegisterTile};

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
    let inner = tile_version(printer, kernel, strip, facts, false)?;
    let safe = printer.succeeds_where(facts);
    let outer = match &versions.near_tile {
        Some(near) => Some((tile_version(printer, kernel, strip, near, true)?, near)),
        None => None,
    };
    let single = printer.version(kernel, 2, "return;", None)?;
    positions(&mut lines, kernel, Style::Strips(strip.rows));
    let end = end(kernel, axis);
    let mut conditions = vec![format!("rows == {} && {end} - p{axis} > {distance}", strip.rows)];
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
            lines.push("return;");
            match printed(&near.near) {
                Some(near) => lines.next(format!("}} else if ({near}) {{")),
                None => lines.next("} else {"),
            }
            outer.print(&mut lines);
            lines.push("return;");
            lines.close("}");
        }
        _ => {
            inner.print(&mut lines);
            lines.push("return;");
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
    Ok((lines, safe))
}

/// The code of a whole tile in one of its versions. If it `hoists`, mapped indices that the tile shares are computed in front.
fn tile_version<'p>(
    printer: &mut Printer<'_, 'p>,
    kernel: &'p Kernel,
    tile: &'p RegisterTile,
    version: &'p CodeVersion,
    hoists: bool,
) -> Result<Version, Malformed> {
    let body = std::mem::replace(&mut printer.body, &tile.body);
    let numbers = std::mem::replace(&mut printer.numbers, NodeNumbers::of(&tile.body.block));
    printer.hoisted = hoists.then(Vec::new);
    let printed = printer.version(kernel, 3, "return;", Some(version));
    (printer.body, printer.numbers) = (body, numbers);
    printed
}
