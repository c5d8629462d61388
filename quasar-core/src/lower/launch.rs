//! `parallel_do`, `serial_do`, `multi_parallel_do` and `schedule`.

use super::body::Lowering;
use super::loops::unwrapped;
use crate::ir::build::{self, int_type};
use crate::ir::{Dims, Expr, ExprKind, Index, LaunchMode, Stmt, StmtKind, Target};
use crate::sema::model::{Argument, CompileTarget, Definition, InstanceId};
use crate::source::Span;
use crate::syntax::ast::{self, NodeId};
use crate::types::{ElementType, Rank, Type};

/// Where a version with a target runs.
fn runs_on(target: Target) -> &'static str {
    match target {
        Target::Any => "everywhere",
        Target::Processor => "on the processor",
        Target::Device => "on GPUs",
        Target::Cuda => "through CUDA",
        Target::OpenCl => "through OpenCL",
        Target::NvidiaOpenCl => "through OpenCL of NVIDIA",
        Target::AmdOpenCl => "through OpenCL of AMD",
    }
}

/// Which devices run a kernel that names a target and was compiled for one; `None` where they exclude each other.
pub(super) fn meant_for(compiled: CompileTarget, declared: Target) -> Option<Target> {
    use Target::{AmdOpenCl, Any, Cuda, Device, NvidiaOpenCl, OpenCl};
    match (compiled, declared) {
        (CompileTarget::Processor, _) => Some(declared),
        (_, Target::Processor) => None,
        (CompileTarget::Device, _) => Some(declared),
        (CompileTarget::Cuda, Any | Device | Cuda) => Some(Cuda),
        (CompileTarget::OpenCl, Any | Device) => Some(OpenCl),
        (CompileTarget::OpenCl, OpenCl | NvidiaOpenCl | AmdOpenCl) => Some(declared),
        (CompileTarget::NvidiaOpenCl, Any | Device | OpenCl | NvidiaOpenCl) => Some(NvidiaOpenCl),
        (CompileTarget::AmdOpenCl, Any | Device | OpenCl | AmdOpenCl) => Some(AmdOpenCl),
        (
            CompileTarget::Cuda
            | CompileTarget::OpenCl
            | CompileTarget::NvidiaOpenCl
            | CompileTarget::AmdOpenCl,
            _,
        ) => None,
    }
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn launch(
        &mut self,
        expr: &'a ast::Expr,
        (instance, closure): (InstanceId, Option<NodeId>),
        dims: NodeId,
        args: &'a [Argument],
        mode: LaunchMode,
        wanted: bool,
    ) -> Vec<Expr> {
        let span = expr.span;
        let Some(super::Target::Kernel(kernel)) = self.cx.targets.get(instance.index()).copied() else {
            self.not_supported(span, "launching a function that is no kernel");
            return Vec::new();
        };
        let Some(written) = self.expression(dims) else { return Vec::new() };
        let rank = self.cx.model.instances[instance].rank.max(1);
        let linear = self.position_is_number(instance);
        let (grid, block) = self.grid_and_block(written);
        let dims = self.dims(grid, rank, linear);
        let block = block.map(|block| self.dims(block, rank, false));
        let args = self.full_arguments(instance, closure, args, span);
        let (results, values) = self.targets(instance, wanted, span);
        self.emit(StmtKind::Launch { kernel, dims, block, args, results, mode }, span);
        values
    }

    /// `schedule`: the kernels for devices are offered to the device in use, one after the other, until one of them runs; if
    /// none does, the one for the processor is launched.
    pub(super) fn schedule(
        &mut self,
        expr: &'a ast::Expr,
        versions: &'a [(InstanceId, Option<NodeId>)],
        dims: NodeId,
        args: &'a [Argument],
        wanted: bool,
    ) -> Vec<Expr> {
        let span = expr.span;
        let (Some((first, _)), Some(written)) = (versions.first(), self.expression(dims)) else {
            return Vec::new();
        };
        let (mut grid, mut block) = self.grid_and_block(written);
        let mark = self.out.len();
        let args = self.arguments(*first, args);
        let mut both: Vec<Expr> = std::iter::once(grid.clone()).chain(block.clone()).collect();
        self.protect(&mut both, mark);
        grid = self.atom(both.swap_remove(0));
        block = both.pop().map(|block| self.atom(block));
        let args: Vec<Expr> = args.into_iter().map(|arg| self.atom(arg)).collect();
        let (results, values) = self.targets(*first, wanted, span);
        let order = self.in_order_of_choice(versions, span);
        let last = order.len() - 1;
        let mut open = Vec::new();
        for (k, (instance, closure)) in order.into_iter().enumerate() {
            let Some(super::Target::Kernel(kernel)) = self.cx.targets.get(instance.index()).copied() else {
                continue;
            };
            let rank = self.cx.model.instances[instance].rank.max(1);
            let linear = self.position_is_number(instance);
            let dims = self.dims(grid.clone(), rank, linear);
            let block = block.clone().map(|block| self.dims(block, rank, false));
            let mut all = self.captures(instance, closure, span);
            all.extend(args.iter().cloned());
            let (mut results, mode) = (results.clone(), LaunchMode::IfProfitable);
            if k == last {
                let mode = LaunchMode::Parallel;
                self.emit(StmtKind::Launch { kernel, dims, block, args: all, results, mode }, span);
                continue;
            }
            let ran = self.body.temporary(int_type(), span);
            results.push(Some(ran));
            self.emit(StmtKind::Launch { kernel, dims, block, args: all, results, mode }, span);
            open.push((std::mem::take(&mut self.out), self.body.read(ran, span)));
        }
        for (mut before, ran) in open.into_iter().rev() {
            let then = std::mem::take(&mut self.out);
            let condition = self.row("equal", vec![ran, build::int(0, span)], &int_type(), span);
            before.push(Stmt { kind: StmtKind::If { condition, then, otherwise: Vec::new() }, span });
            self.out = before;
        }
        values
    }

    /// The versions that may be chosen, each once, in the order in which they are offered; the last one runs where no device
    /// takes any of the others. Those of one kind of device come before those of all devices, and these before those of all
    /// targets. What was compiled for the processor beside versions for devices comes last, if only they are there.
    fn in_order_of_choice(
        &mut self,
        versions: &[(InstanceId, Option<NodeId>)],
        span: Span,
    ) -> Vec<(InstanceId, Option<NodeId>)> {
        let compiled = |this: &Self, id: InstanceId| this.cx.model.instances[id].compile_target;
        let definition = |this: &Self, id: InstanceId| this.cx.model.instances[id].definition;
        let mut chosen: Vec<(Target, (InstanceId, Option<NodeId>))> = Vec::new();
        let mut last: Vec<(InstanceId, Option<NodeId>)> = Vec::new();
        for version in versions {
            let declared = self.target_of(version.0);
            let is_other = |other: &(InstanceId, Option<NodeId>)| {
                compiled(self, other.0) != CompileTarget::Processor
                    && definition(self, other.0) == definition(self, version.0)
            };
            let on_processor = compiled(self, version.0) == CompileTarget::Processor;
            if on_processor && declared != Target::Processor && versions.iter().any(is_other) {
                last.push(*version);
                continue;
            }
            let Some(target) = meant_for(compiled(self, version.0), declared) else { continue };
            match chosen.iter().find(|(known, _)| *known == target) {
                None => chosen.push((target, *version)),
                Some((_, (first, _))) if definition(self, *first) == definition(self, version.0) => {}
                Some((_, (first, _))) => {
                    let name = |id: InstanceId| self.cx.model.instances[id].name.clone();
                    let (first, other) = (name(*first), name(version.0));
                    super::messages::never_chosen(self.cx.sink, span, &other, &first);
                }
            }
        }
        chosen.sort_by_key(|(target, _)| match target {
            Target::NvidiaOpenCl | Target::AmdOpenCl => 0,
            Target::Cuda | Target::OpenCl => 1,
            Target::Device => 2,
            Target::Any => 3,
            Target::Processor => 4,
        });
        let ends_on_device = chosen
            .last()
            .map(|(_, (id, _))| *id)
            .filter(|id| compiled(self, *id) != CompileTarget::Processor);
        if let Some(device) = ends_on_device {
            let own = last.into_iter().find(|(id, _)| definition(self, *id) == definition(self, device));
            chosen.extend(own.map(|version| (Target::Processor, version)));
        }
        let said: Vec<String> = chosen
            .iter()
            .map(|(target, (id, _))| {
                let versions = compiled(self, *id) != CompileTarget::Processor && *target == Target::Any;
                let place = runs_on(if versions { Target::Device } else { *target });
                format!("'{}' {place}", self.cx.model.instances[*id].name)
            })
            .collect();
        super::messages::scheduled(self.cx.sink, span, &said.join(", "));
        chosen.into_iter().map(|(_, version)| version).collect()
    }

    /// The target that the attributes at the start of a kernel name.
    fn target_of(&self, instance: InstanceId) -> Target {
        let body = match self.cx.model.instances[instance].definition {
            Definition::Function(node) => self.cx.index.function(node).map(|function| &function.body),
            Definition::Lambda(_) | Definition::Module(_) => None,
        };
        body.into_iter().flatten().find_map(|stmt| self.target_in(stmt)).unwrap_or_default()
    }

    /// Whether `pos` is one `int`, so that positions of a box of more dimensions are numbered.
    fn position_is_number(&self, instance: InstanceId) -> bool {
        let params = &self.cx.model.instances[instance].params;
        let position = params.iter().find(|param| param.special && param.name == "pos");
        position.is_some_and(|position| matches!(position.ty, Type::Scalar(..)))
    }

    /// `dims`, or `[dims, block]` as a matrix of two rows.
    fn grid_and_block(&mut self, written: &'a ast::Expr) -> (Expr, Option<Expr>) {
        let matrix = matches!(self.type_of(written), Type::Array(array) if array.rank == Rank::Known(2));
        if let (true, ast::ExprKind::Array(rows)) = (matrix, &unwrapped(written).kind)
            && let [ast::Element::Expr(grid), ast::Element::Expr(block)] = &rows[..]
        {
            let mut both = self.ordered([grid, block], |this, row| this.expr(row));
            if let (Some(block), Some(grid)) = (both.pop(), both.pop()) {
                return (grid, Some(block));
            }
        }
        let value = self.expr(written);
        if !matrix {
            return (value, None);
        }
        let value = self.atom(value);
        let row = |this: &Self, k: i32| {
            let span = value.span;
            let index = vec![Index::At(build::int(k, span)), Index::All];
            let (element, width) = match &value.ty {
                Type::Array(array) => ((*array.element).clone(), array.sizes.get(1).copied().flatten()),
                other => (other.clone(), None),
            };
            let boundary = this.default_mode().boundary;
            let kind = ExprKind::Load { array: Box::new(value.clone()), index, boundary };
            Expr::new(kind, build::sized_type(element, vec![width]), span)
        };
        (row(self, 0), Some(row(self, 1)))
    }

    /// One extent per component of the position.
    fn dims(&mut self, value: Expr, rank: usize, linear: bool) -> Dims {
        let span = value.span;
        let mut each = match (&value.ty, self.known_length(&value.ty)) {
            (Type::Scalar(..), _) => vec![value],
            (Type::Array(_), Some(count)) => self.components(value, count),
            (Type::Array(_), None) => {
                let ty = build::with_element(&value.ty, ElementType::Int32);
                return Dims::Vector(build::convert(value, &ty));
            }
            _ => return Dims::Vector(build::convert(value, &build::array_type(int_type(), 1))),
        };
        each = each.into_iter().map(|extent| self.convert_number(extent, &int_type())).collect();
        if linear && each.len() > 1 {
            let mut product: Option<Expr> = None;
            for extent in each {
                product = Some(match product {
                    None => extent,
                    Some(before) => self.row("multiply", vec![before, extent], &int_type(), span),
                });
            }
            return Dims::Each(product.into_iter().collect());
        }
        each.truncate(rank);
        while each.len() < rank {
            each.push(build::int(1, span));
        }
        Dims::Each(each)
    }
}
