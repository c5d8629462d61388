//! Other forms of a loop, which are taken where they are kernels.

use super::Pass;
use super::rows::has_loops;
use crate::ir::{Block, LoopMode};

impl Pass<'_> {
    /// Whether a loop of this mode may become a kernel in another form.
    pub(super) fn may_be_kernel(&self, mode: LoopMode) -> bool {
        let wanted = match mode {
            LoopMode::Automatic => self.context.auto_parallel,
            LoopMode::Parallel | LoopMode::Serial => true,
            LoopMode::Host | LoopMode::Threads => false,
        };
        wanted && !self.context.only_blocks
    }

    /// What a form of a loop becomes, if that is launches and no loop beside them; else nothing has happened.
    pub(super) fn attempt(&mut self, form: impl FnOnce(&mut Self) -> Option<Block>) -> Option<Block> {
        let variables = self.body.variables.len();
        let (kernels, made, said) = (self.kernels.len(), self.made.len(), self.sink.mark());
        let may_be_set = self.may_be_set.clone();
        let block = form(self);
        let is_kernel = self.kernels.len() > kernels && self.made.len() == made;
        let found = block.filter(|block| is_kernel && !has_loops(block));
        if found.is_none() {
            self.kernels.truncate(kernels);
            self.made.truncate(made);
            self.sink.back_to(said);
            self.body.variables.truncate(variables);
        }
        self.may_be_set = may_be_set;
        found
    }
}
