//! What may fail in lanes: numbers that do not fit, and elements at indices that are tested. A branch for each lane would keep them
//! from being vectors, so that failures are noted, and a vector with one gives up before it writes. The code of single positions does
//! it again and says what failed.

use super::super::super::code::{Code, quote};
use super::LaneCode;
use crate::analysis::{lanes, may_fail};
use crate::ir::Stmt;

impl LaneCode<'_> {
    /// Whether lanes may fail in some statements.
    pub(super) fn gives_up(&self, block: &[Stmt]) -> bool {
        let (uniform, loops) = &self.before;
        may_fail::narrows(block) || lanes::tests(uniform, loops, block)
    }

    /// What stands around the statements of a lane.
    pub(super) fn notes(&self, body: &[Stmt]) -> (Code, Code) {
        match self.gives_up(body) {
            true => (quote!(let mut here = 0_u32;), quote!(odd = odd.max(here);)),
            false => Default::default(),
        }
    }

    /// What stands before all of them, and before a vector is written.
    pub(super) fn verdict(&self) -> (Code, Code) {
        match self.gives_up(&self.vector.block) {
            true => (
                quote!(let mut odd = 0_u32;),
                quote!(if odd >= ops::ODD {
                    return false;
                }),
            ),
            false => Default::default(),
        }
    }
}
