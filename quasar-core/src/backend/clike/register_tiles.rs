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
    let tile = Tile::of(printer, kernel, &strip.body, facts, versions.near_tile.as_ref())?;
    let safe = printer.succeeds_where(facts);
    let single = printer.version(kernel, 2, "return;", None)?;
    positions(&mut lines, kernel, Style::Strips { rows: strip.rows });
    let end = end(kernel, axis);
    let mut conditions = vec![format!("rows == {} && {end} - p{axis} > {distance}", strip.rows)];
    conditions.extend(tile.conditions());
    lines.open(format!("if ({}) {{", conditions.join(" && ")));
    tile.print(&mut lines);
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

    /// Prints what whole tiles do. Threads that no version is right for go on behind it.
    fn print(&self, lines: &mut Lines) {
        let left = "return;";
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
