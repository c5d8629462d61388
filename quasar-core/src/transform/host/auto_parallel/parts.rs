//! Long loops that are one kernel in order as several launches, between which a call is cancelled and tells its progress.
//!
//! ```text
//! for k = 0..n-1                  next = 0; last = n-1; more = 1
//!     ..                    =>    while more
//!                                     more = 0; count = 0                       % one kernel
//!                                     for k = next..last
//!                                         if count == 4096
//!                                             more = 1; next = k
//!                                             break
//!                                         count += 1
//!                                         ..
//! ```

use super::{Pass, outline};
use crate::ir::build::{self, int, of_ints};
use crate::ir::rewrite::{free_variables, set_in};
use crate::ir::{Block, Range, Stmt, StmtKind, Target, VarId, VarSet};
use crate::target::cpu::LAUNCHED_ITERATIONS;

impl Pass<'_> {
    /// The launches of a loop on the processor, where these variables may be set before.
    pub(super) fn in_parts(&mut self, mut stmt: Stmt, after: &VarSet, mut may_be_set: VarSet) -> Block {
        let span = stmt.span;
        let live = after.union(&free_variables(std::slice::from_ref(&stmt)));
        may_be_set.add(&set_in(std::slice::from_ref(&stmt)));
        let number = |pass: &mut Self| pass.body.temporary(build::int_type(), span);
        let (more, count) = (number(self), number(self));
        let mut result = vec![build::assign(more, int(1, span))];
        let mut leave = vec![build::assign(more, int(1, span))];
        let mut states = vec![more];
        if let StmtKind::For { variable, range, .. } = &mut stmt.kind {
            let (next, last) = (number(self), number(self));
            let again =
                Range { from: self.body.read(next, span), step: None, to: self.body.read(last, span) };
            let Range { from, step, to } = std::mem::replace(range, again);
            range.step = step;
            // The loop may set what its step is made of.
            if let Some(step) = range.step.as_mut().filter(|step| step.constant_int().is_none()) {
                let by = number(self);
                let read = self.body.read(by, span);
                result.push(build::assign(by, std::mem::replace(step, read)));
                states.push(by);
            }
            result.extend([build::assign(next, from), build::assign(last, to)]);
            leave.push(build::assign(next, self.body.read(*variable, span)));
            states.extend([next, last]);
        }
        self.stop_after_a_part(&mut stmt, count, leave);
        let block = vec![build::assign(more, int(0, span)), build::assign(count, int(0, span)), stmt];
        let live = live.union(&states.iter().copied().collect());
        may_be_set.extend(states);
        let name = self.kernel_name(span);
        let mut outlined = outline::serial(name, self.body, &block, &live, &may_be_set, span);
        outlined.kernel.attributes.target = Target::Processor;
        let body = vec![self.launch(outlined, vec![int(1, span)], span)];
        let condition = of_ints("not_equal", self.body.read(more, span), int(0, span));
        result.push(Stmt::new(StmtKind::While { condition, body }, span));
        result
    }

    /// Leaves a loop where it has had all the iterations of a launch.
    fn stop_after_a_part(&mut self, stmt: &mut Stmt, count: VarId, mut leave: Block) {
        let span = stmt.span;
        let (StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. }) =
            &mut stmt.kind
        else {
            return;
        };
        leave.push(Stmt::new(StmtKind::Break { levels: 0 }, span));
        let so_far = self.body.read(count, span);
        let all = of_ints("greater_equal", so_far.clone(), int(LAUNCHED_ITERATIONS, span));
        let step = build::assign(count, of_ints("add", so_far, int(1, span)));
        body.splice(0..0, [build::choice(all, leave, Vec::new(), span), step]);
    }
}
