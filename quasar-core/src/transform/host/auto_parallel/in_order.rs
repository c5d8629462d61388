//! Loops that run in order: around the launches of loops inside, or compiled as a whole.

use super::nest::{Nest, nest_of};
use super::{Pass, barrier_in, has_elements, waits};
use crate::analysis::dependence::Dependence;
use crate::ir::print::type_text;
use crate::ir::{Block, Stmt, VarSet, build};
use crate::message::{Decision, Mark};
use crate::transform::host::aliased::aliased;
use crate::transform::host::kernel_rules::Refusal;
use crate::transform::host::names::{self, Meet};
use crate::transform::host::outline::{self, Outlined};
use crate::transform::messages;

impl Pass<'_> {
    /// A loop of unknown length: loops inside it may be parallel; otherwise, when it works on elements of arrays, it is
    /// compiled as a whole, which looks up its arrays once instead of for each element.
    pub(super) fn while_loop(&mut self, stmt: Stmt, after: &VarSet) -> Block {
        self.with_state_arrays(&stmt.clone(), after, |pass| pass.plain_while_loop(stmt, after))
    }

    fn plain_while_loop(&mut self, stmt: Stmt, after: &VarSet) -> Block {
        let whole = vec![stmt];
        let (pairs, testable) = names::pairs(&self.aliases, &whole[0]);
        let refusal = self.allowed(&whole, after).and_then(|()| self.keeps_results(&whole)).err();
        let worthwhile = has_elements(&whole) && testable && refusal.is_none();
        let (kernels, made, said) = (self.kernels.len(), self.made.len(), self.sink.mark());
        let may_be_set = self.may_be_set.clone();
        let outer = std::mem::replace(&mut self.in_order_outside, worthwhile && pairs.is_empty());
        let mut inner = self.inside(whole[0].clone(), after);
        let tried = std::mem::replace(&mut self.in_order_outside, outer) && !outer;
        if !worthwhile || self.is_parallel_since(kernels, made) {
            let span = whole[0].span;
            if tried && self.made.len() == made {
                inner = self.inside_again(whole[0].clone(), after, (kernels, said, &may_be_set));
                inner = self.where_small(&whole[0], &inner, &may_be_set, after).unwrap_or(inner);
            }
            let (at, why) = match refusal {
                Some(refusal) => (refusal.span, refusal.what),
                None if !has_elements(&whole) => (span, "reads and writes no elements of arrays".to_string()),
                None => (span, "has a number of rounds that is not known before".to_string()),
            };
            self.stays(span, at, &why);
            return vec![inner];
        }
        if pairs.is_empty() {
            self.kernels.truncate(kernels);
        }
        self.may_be_set = may_be_set;
        let span = whole[0].span;
        let name = self.kernel_name(span);
        let outlined = outline::serial(name, self.body, &whole, after, &self.may_be_set, span);
        self.sink.push(messages::compiled(span));
        let one = || vec![build::int(1, span)];
        let condition = names::same(self.body, &pairs, Meet::Elements, span);
        let in_order = condition.as_ref().and_then(|_| aliased(&outlined.kernel)).map(|kernel| {
            let (args, results) = (outlined.args.clone(), outlined.results.clone());
            vec![self.launch(Outlined { kernel, args, results }, one(), span)]
        });
        let launch = vec![self.launch(outlined, one(), span)];
        match condition {
            Some(condition) => {
                vec![build::choice(condition, in_order.unwrap_or_else(|| vec![inner]), launch, span)]
            }
            None => launch,
        }
    }

    /// A nest with a dependence: loops inside it may be parallel; otherwise it is compiled as a whole.
    pub(super) fn dependent(
        &mut self,
        stmt: Stmt,
        dependence: Dependence,
        dims: usize,
        after: &VarSet,
    ) -> Block {
        if let Some(block) = self.rows_in_order(&stmt, after).or_else(|| self.distributed(&stmt, after)) {
            return block;
        }
        let (kernels, made) = (self.kernels.len(), self.made.len());
        let said = self.sink.mark();
        let may_be_set = self.may_be_set.clone();
        let outer = std::mem::replace(&mut self.in_order_outside, true);
        let mut inner = self.inside(stmt.clone(), after);
        self.in_order_outside = outer;
        if self.made.len() > made || self.pays(std::slice::from_ref(&inner)) {
            if !outer && self.made.len() == made {
                inner = self.inside_again(stmt.clone(), after, (kernels, said, &may_be_set));
                inner = self.where_small(&stmt, &inner, &may_be_set, after).unwrap_or(inner);
                inner = self.one_on_devices(&stmt, inner, after);
            }
            let name = self.body.variables[dependence.variable].name.clone();
            let why = Decision::Depends { name, what: dependence.what.to_string() };
            self.sink.remark(why.remark(stmt.span, dependence.span));
            return vec![inner];
        }
        if let Err(refusal) = self.keeps_results(std::slice::from_ref(&stmt)) {
            // The loops inside were seen: to see them again would take twice as long at each level.
            self.sink.push(messages::interpreted(stmt.span, refusal.span, &refusal.what));
            return vec![inner];
        }
        // Kernels of inner loops stay unused; the whole nest takes their place.
        self.kernels.truncate(kernels);
        self.sink.back_to(said);
        self.may_be_set = may_be_set;
        let Some(nest) = nest_of(&stmt, self.body) else { return vec![stmt] };
        match self.serial(&stmt, &nest, after) {
            Ok(block) => {
                let variable = &self.body.variables[dependence.variable];
                let line = self.context.line(dependence.span);
                let (name, ty) = (variable.name.clone(), type_text(&variable.ty));
                let warning =
                    messages::dependence(nest.span, dims, dependence.span, line, &name, dependence.what, &ty);
                self.sink.push(warning);
                block
            }
            Err(refusal) => {
                self.sink.push(messages::interpreted(nest.span, refusal.span, &refusal.what));
                vec![self.inside(stmt, after)]
            }
        }
    }

    /// Goes into a loop again, since launches of a loop inside of it may be small where not all are.
    fn inside_again(
        &mut self,
        stmt: Stmt,
        after: &VarSet,
        (kernels, said, may_be_set): (usize, Mark, &VarSet),
    ) -> Stmt {
        self.kernels.truncate(kernels);
        self.sink.back_to(said);
        self.may_be_set = may_be_set.clone();
        self.inside(stmt, after)
    }

    pub(super) fn serial(&mut self, stmt: &Stmt, nest: &Nest<'_>, after: &VarSet) -> Result<Block, Refusal> {
        self.allowed(nest.blocks[0], after)?;
        if let Some(barrier) = barrier_in(nest.blocks[0]) {
            return Err(waits(barrier));
        }
        self.keeps_results(std::slice::from_ref(stmt))?;
        let name = self.kernel_name(nest.span);
        let outlined =
            outline::serial(name, self.body, &vec![stmt.clone()], after, &self.may_be_set, nest.span);
        self.sink.push(messages::serialised(nest.span, nest.loops.len()));
        let one = build::int(1, nest.span);
        Ok(vec![self.launch(outlined, vec![one], nest.span)])
    }
}
