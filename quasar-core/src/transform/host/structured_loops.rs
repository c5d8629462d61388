//! Loops without `continue`: what an iteration would still do stands in the other branch, so that each statement of a loop runs in all
//! iterations or under a condition:
//!
//! ```text
//! for n = ..                             for n = ..
//!     if x[n] < 0                            if x[n] < 0
//!         continue                 =>        else
//!     endif                                      y[n] = sqrt(x[n])
//!     y[n] = sqrt(x[n])                      endif
//! ```

use crate::ir::rewrite::{blocks_mut, jumps_out};
use crate::ir::{Block, Program, StmtKind};
use crate::message::Sink;
use crate::transform::PassContext;

/// Looks at all host functions.
pub fn run(program: &mut Program, _: &PassContext<'_>, _: &mut Sink) {
    let ids: Vec<_> = program.functions.iter().filter(|(_, f)| !f.device).map(|(id, _)| id).collect();
    for id in ids {
        in_block(&mut program.functions[id].body.block);
    }
}

fn in_block(block: &mut Block) {
    for stmt in block.iter_mut() {
        blocks_mut(stmt, &mut |inner| in_block(inner));
        if let StmtKind::For { body, .. } = &mut stmt.kind {
            structure(body);
        }
    }
}

/// Removes jumps to the next iteration from the end of branches, the last ones first.
fn structure(body: &mut Block) {
    if matches!(body.last().map(|stmt| &stmt.kind), Some(StmtKind::Continue { levels: 0 })) {
        body.pop();
    }
    let mut at = body.len();
    while at > 0 {
        at -= 1;
        let rest = body.split_off(at + 1);
        match body.last_mut().map(|stmt| &mut stmt.kind) {
            Some(StmtKind::If { then, otherwise, .. }) if goes_on(then) && !jumps_out(otherwise, 0) => {
                then.pop();
                otherwise.extend(rest);
            }
            Some(StmtKind::If { then, otherwise, .. }) if goes_on(otherwise) && !jumps_out(then, 0) => {
                otherwise.pop();
                then.extend(rest);
            }
            _ => body.extend(rest),
        }
    }
}

/// Whether statements end with a jump to the next iteration, and have no other jumps.
fn goes_on(block: &Block) -> bool {
    match block.split_last() {
        Some((last, before)) => {
            matches!(last.kind, StmtKind::Continue { levels: 0 }) && !jumps_out(before, 0)
        }
        None => false,
    }
}
