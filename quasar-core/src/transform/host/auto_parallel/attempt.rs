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
        let may_be_set = self.may_be_set.clone();
        let found = self.tried(|pass| {
            let (kernels, made) = (pass.kernels.len(), pass.made.len());
            let block = form(pass);
            let is_kernel = pass.kernels.len() > kernels && pass.made.len() == made;
            block.filter(|block| is_kernel && !has_loops(block))
        });
        self.may_be_set = may_be_set;
        found
    }

    /// What `form` finds; where that is nothing, nothing has happened.
    pub(super) fn tried<T>(&mut self, form: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let variables = self.body.variables.len();
        let (kernels, made, said) = (self.kernels.len(), self.made.len(), self.sink.mark());
        let may_be_set = self.may_be_set.clone();
        let found = form(self);
        if found.is_none() {
            self.kernels.truncate(kernels);
            self.made.truncate(made);
            self.sink.back_to(said);
            self.body.variables.truncate(variables);
            self.may_be_set = may_be_set;
        }
        found
    }
}
