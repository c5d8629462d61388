//! Register tiling: kernels whose threads process several positions each. There are three versions: for tiles that need
//! no index map, for other tiles inside the launch whose indices are at most one extent out of bounds, and for single
//! positions.

use super::entry::{Version, end, positions};
use super::expr::Printer;
use super::lines::Lines;
use super::loop_versioning::{self, Assumptions};
use super::{Malformed, Style};
use crate::analysis::symbolic_range::Conditions;
use crate::ir::{Body, Kernel, RegisterTile, VarSet};

/// Prints the body after the parameter declarations. Returns the conditions under which a launch cannot fail; those of
/// tiles cover single positions too.
pub(super) fn print<'p>(
    printer: &mut Printer<'_, 'p>,
    kernel: &'p Kernel,
) -> Result<(Lines, Option<Conditions>), Malformed> {
    let mut lines = Lines::at(1);
    let Some(strip) = &kernel.strip else { return Ok((lines, None)) };
    let (axis, distance) = (kernel.rank.saturating_sub(2), (strip.rows - 1) * strip.apart);
    let inner = strip_version(printer, kernel, strip, true)?;
    let safe = inner.surely_succeeds(printer);
    let thread = inner.assumptions.thread.as_ref().and_then(loop_versioning::printed);
    let outer = if thread.is_some() { Some(strip_version(printer, kernel, strip, false)?) } else { None };
    let single = printer.version(kernel, 2, "return;", None)?;
    positions(&mut lines, kernel, Style::Strips(strip.rows));
    let end = end(kernel, axis);
    let mut conditions = vec![format!("rows == {} && {end} - p{axis} > {distance}", strip.rows)];
    // Both tile versions must be right where the condition holds.
    let mut launch = inner.assumptions.launch.clone();
    if let Some(outer) = &outer {
        outer.assumptions.launch.sums().for_each(|sum| launch.ask(sum.clone()));
    }
    conditions.extend(loop_versioning::printed(&launch));
    lines.open(format!("if ({}) {{", conditions.join(" && ")));
    match (outer, thread) {
        (Some(outer), Some(thread)) => {
            lines.open(format!("if ({thread}) {{"));
            inner.print(&mut lines);
            lines.push("return;");
            match outer.assumptions.near.as_ref().and_then(loop_versioning::printed) {
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

/// The version for a whole tile. `free` assumes that no index needs a map.
fn strip_version<'p>(
    printer: &mut Printer<'_, 'p>,
    kernel: &'p Kernel,
    strip: &'p RegisterTile,
    free: bool,
) -> Result<Version, Malformed> {
    let (axis, distance) = (kernel.rank.saturating_sub(2), (strip.rows - 1) * strip.apart);
    let granted = Assumptions::new(&strip.body, VarSet::new(), Some((axis, i64::from(distance))), free);
    let body: &'p Body = std::mem::replace(&mut printer.body, &strip.body);
    printer.hoisted = (!free).then(Vec::new);
    let version = printer.version(kernel, 3, "return;", Some(granted));
    printer.body = body;
    version
}
