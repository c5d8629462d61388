//! Prints arrays that threads allocate at run time: pointers into the device heap that the launch provides, with
//! extents.

use super::expr::{Printer, extent_name, local_name};
use super::types::{array_element, rank, scalar, suffix};
use super::{Malformed, Part, Site, Space, Unit, arrays, malformed};
use crate::ir::schedule::HeapScopes;
use crate::ir::{Expr, ExprKind, VarId};
use crate::source::Span;
use crate::types::Type;
use crate::types::known::on_heap;
use std::collections::BTreeMap;

/// Adds the heap-allocated arrays of a body to those accessed through pointers.
pub(super) fn add(scopes: &HeapScopes, far: &mut BTreeMap<VarId, Space>) {
    for array in &scopes.arrays {
        far.entry(*array).or_insert(Space::Heap);
    }
}

/// What functions allocate that allocate nothing.
pub(super) static NOTHING: HeapScopes = HeapScopes { arrays: Vec::new(), loops: Vec::new(), call: false };

/// The prologue of a kernel that uses the heap.
pub(super) const BEGIN: [&str; 4] = [
    "q_heap own_heap;",
    "Q_PRIVATE q_heap* const heap = &own_heap;",
    "const q_u32 heap_block = (q_u32)((Q_BLOCK(2) * Q_GRID_DIM(1) + Q_BLOCK(1)) * Q_GRID_DIM(0) + Q_BLOCK(0)) * (q_u32)(Q_BLOCK_DIM(0) * Q_BLOCK_DIM(1) * Q_BLOCK_DIM(2));",
    "q_heap_begin(heap, heap_words, heap_pages, heap_count, heap_block + (q_u32)((Q_THREAD(2) * Q_BLOCK_DIM(1) + Q_THREAD(1)) * Q_BLOCK_DIM(0) + Q_THREAD(0)));",
];

/// The parameters that pass the heap to a kernel.
pub(super) const PARAMS: [&str; 3] =
    ["Q_GLOBAL q_u32* heap_words", "Q_GLOBAL q_u8* heap_pages", "q_u32 heap_count"];

impl Unit<'_> {
    /// The C type of a function result; a heap array is a pointer with extents.
    pub(super) fn result_type(&mut self, ty: &Type) -> Option<String> {
        if !on_heap(ty) {
            return self.ty(ty);
        }
        let (element, rank) = (suffix(array_element(ty)?), rank(ty)?);
        let name = format!("h_{element}_{rank}");
        self.structure(&name, format!("Q_GLOBAL q_{element}* p; q_i32 d[{rank}];"));
        Some(name)
    }

    /// A struct of several results.
    pub(super) fn results_type(&mut self, types: &[Type]) -> Option<String> {
        if !types.iter().any(on_heap) {
            return self.tuple(types);
        }
        let types: Vec<String> = types.iter().map(|ty| self.result_type(ty)).collect::<Option<_>>()?;
        let fields: Vec<String> = types.iter().enumerate().map(|(k, ty)| format!("{ty} f{k};")).collect();
        let name = format!("r_{}_", types.join("_").replace("q_", ""));
        self.structure(&name, fields.join(" "));
        Some(name)
    }
}

impl Printer<'_, '_> {
    /// Declares a heap array, initially empty.
    pub(super) fn declare_made(&mut self, id: VarId) -> Result<(), Malformed> {
        let variable = &self.body.variables[id];
        let (Some(pointed), Some(rank)) = (arrays::pointed(&variable.ty), rank(&variable.ty)) else {
            return malformed(variable.span, "an array of this type");
        };
        self.lines.push(format!("Q_GLOBAL {pointed}* {} = 0;", local_name(id)));
        let extents: Vec<String> = (0..rank).map(|axis| format!("{} = 0", extent_name(id, axis))).collect();
        self.lines.push(format!("q_i32 {};", extents.join(", ")));
        Ok(())
    }

    /// `variable = value`
    pub(super) fn assign_made(&mut self, variable: VarId, value: &Expr, span: Span) -> Result<(), Malformed> {
        let rank = rank(&self.body.variables[variable].ty).unwrap_or(1);
        let numbers = |args: &[Expr]| args.len() == rank && args.iter().all(|dim| scalar(&dim.ty).is_some());
        match &value.kind {
            ExprKind::Local(from) if self.in_memory.get(from) == Some(&Space::Heap) => {
                let extents = (0..rank).map(|axis| extent_name(*from, axis)).collect::<Vec<_>>();
                self.take_over(variable, &local_name(*from), &extents);
                Ok(())
            }
            ExprKind::Library { name: "reshape", args } => {
                let Some((Expr { kind: ExprKind::Local(from), .. }, dims)) = args.split_first() else {
                    return malformed(span, "other dimensions of this array");
                };
                if self.in_memory.get(from) != Some(&Space::Heap) || !numbers(dims) {
                    return malformed(span, "other dimensions of this array");
                }
                let dims = dims.iter().map(|dim| self.simple(dim)).collect::<Result<Vec<_>, _>>()?;
                self.take_over(variable, &local_name(*from), &dims);
                Ok(())
            }
            ExprKind::Library { name: name @ ("zeros" | "uninit"), args } if numbers(args) => {
                self.allocate(variable, args, *name == "zeros", span)
            }
            _ => malformed(span, "this array of unknown size"),
        }
    }

    /// Binds a variable to existing elements.
    fn take_over(&mut self, variable: VarId, pointer: &str, dims: &[String]) {
        let sets = dims.iter().enumerate().map(|(axis, dim)| (extent_name(variable, axis), dim));
        let sets: Vec<String> =
            sets.filter(|(name, dim)| name != *dim).map(|(name, dim)| format!("{name} = {dim};")).collect();
        self.lines.push(format!("{} = {pointer}; {}", local_name(variable), sets.join(" ")));
    }

    fn allocate(
        &mut self,
        variable: VarId,
        dims: &[Expr],
        zeroed: bool,
        span: Span,
    ) -> Result<(), Malformed> {
        self.unit.heap = true;
        let declared = &self.body.variables[variable];
        let Some(element) = array_element(&declared.ty) else {
            return malformed(span, "an array of this type");
        };
        let (name, ty) = (local_name(variable), format!("q_{}", suffix(element)));
        let dims = dims.iter().map(|dim| self.simple(dim)).collect::<Result<Vec<_>, _>>()?;
        let line = self.unit.line(span);
        let mut message = vec![Part::Text("out of dynamic memory: no room for an array of size ".into())];
        for k in 0..dims.len() {
            if k > 0 {
                message.push(Part::Text("x".into()));
            }
            message.push(Part::Number(crate::types::ElementType::Int32));
        }
        let site = self.unit.site(Site { subject: String::new(), line, message });
        let bytes = self.temporary();
        // Saturates instead of computing a product that might overflow; the allocation fails in either case.
        self.lines.push(format!("q_u64 {bytes} = {};", element.size()));
        for dim in &dims {
            self.lines.push(format!(
                "{bytes} = {bytes} > 32768u && {dim} > 0 ? {bytes} : {bytes} * (q_u64)(q_u32){dim};"
            ));
        }
        let extents: Vec<String> = (0..dims.len()).map(|axis| extent_name(variable, axis)).collect();
        for (extent, dim) in extents.iter().zip(&dims) {
            self.lines.push(format!("{extent} = {dim};"));
        }
        self.lines.push(format!("{name} = (Q_GLOBAL {ty}*)q_heap_bytes(heap, {bytes});"));
        self.lines.open(format!("if ({name} == 0) {{"));
        self.lines.open(format!("if (q_fail(fault, 3, {site})) {{"));
        for (k, extent) in extents.iter().enumerate() {
            self.lines.push(format!("q_record_i32(fault, {k}, {extent});"));
        }
        self.lines.close("}");
        self.lines.push(format!("{} = 0;", extents.join(" = ")));
        self.leave();
        self.lines.close("}");
        if zeroed {
            let (k, zero) = (self.temporary(), super::expr::zero(element));
            let count = extents.iter().map(|d| format!("(Q_INDEX){d}")).collect::<Vec<_>>().join(" * ");
            self.lines.push(format!("for (Q_INDEX {k} = 0; {k} < {count}; ++{k}) {name}[{k}] = {zero};"));
        }
        Ok(())
    }

    /// Binds a variable to the array that a function returned.
    pub(super) fn receive_made(&mut self, variable: VarId, result: &str) {
        let rank = rank(&self.body.variables[variable].ty).unwrap_or(1);
        let dims: Vec<String> = (0..rank).map(|axis| format!("{result}.d[{axis}]")).collect();
        self.take_over(variable, &format!("{result}.p"), &dims);
    }

    /// Stores an array into a function's result.
    pub(super) fn give_made(&mut self, result: &str, variable: VarId) {
        let rank = rank(&self.body.variables[variable].ty).unwrap_or(1);
        self.lines.push(format!("{result}.p = {};", local_name(variable)));
        for axis in 0..rank {
            self.lines.push(format!("{result}.d[{axis}] = {};", extent_name(variable, axis)));
        }
    }

    /// Saves the thread's heap position under a new name.
    pub(super) fn mark(&mut self) -> String {
        let mark = self.temporary();
        self.lines.push(format!(
            "const q_u32 {mark}_p = heap->page, {mark}_u = heap->used, {mark}_s = heap->size;"
        ));
        mark
    }

    /// Frees everything that the thread has allocated since `mark`.
    pub(super) fn release(&mut self, mark: &str) {
        self.lines.push(format!("q_heap_release(heap, {mark}_p, {mark}_u, {mark}_s);"));
    }
}
