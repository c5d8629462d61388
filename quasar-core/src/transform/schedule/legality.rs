//! Refuses kernels with a construct that devices have no form for, before anything is printed: statements and expressions in
//! the kernel and in the functions that it calls, and the types of what threads keep.

mod expressions;
mod statements;

use crate::analysis::access_pattern::by_reference;
use crate::analysis::heap::is_heap_array;
use crate::ir::rewrite::{set_in, stored_in, visit_stmts};
use crate::ir::schedule::{DeviceSchedule, Mapping};
use crate::ir::{Body, FunctionId, Kernel, Program, StmtKind, Storage, VarId};
use crate::source::Span;
use crate::types::known::{array_element, fixed, is_private, on_heap, rank, scalar};
use crate::types::{ElementType, Type};
use std::collections::BTreeMap;

/// The construct that no device runs, and where it stands.
type Refused = (Span, String);

/// Whether devices have a form for what was looked at.
type Legal = Result<(), Refused>;

fn refuse(span: Span, what: impl Into<String>) -> Legal {
    Err((span, what.into()))
}

/// Where the elements of an array lie that is accessed by reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    /// In memory that threads share.
    Common,
    /// In a variable of the thread that calls.
    Private,
    /// In memory that the thread allocated.
    Heap,
}

/// The functions that were looked at, by the spaces of their arrays; `false` while one is being looked at.
type Seen = BTreeMap<(FunctionId, Vec<Space>), bool>;

/// The body that is looked at.
struct Checker<'p, 's> {
    program: &'p Program,
    body: &'p Body,
    /// Arrays that are accessed by reference.
    in_memory: BTreeMap<VarId, Space>,
    seen: &'s mut Seen,
    /// How many loops are around the statement.
    loops: u32,
}

/// What keeps a kernel with this schedule from devices, if anything does.
pub(super) fn refused(program: &Program, kernel: &Kernel, schedule: &DeviceSchedule) -> Option<Refused> {
    check_kernel(program, kernel, schedule).err()
}

fn check_kernel(program: &Program, kernel: &Kernel, schedule: &DeviceSchedule) -> Legal {
    let body = &kernel.body;
    let mut seen = Seen::new();
    let mut checker = Checker { program, body, in_memory: BTreeMap::new(), seen: &mut seen, loops: 0 };
    checker.params(kernel)?;
    checker.versions(kernel, &schedule.mapping)?;
    let grid_stride = matches!(schedule.mapping, Mapping::GridStride(_));
    if !grid_stride && !matches!(schedule.mapping, Mapping::RegisterTiles) {
        shared_arrays(body)?;
    }
    for accumulator in &kernel.accumulators {
        match scalar(&body.variables[accumulator.variable].ty) {
            None => return refuse(kernel.span, "a result of this type"),
            Some(ElementType::Half) if !grid_stride => {
                return refuse(kernel.span, "a half that several blocks accumulate");
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Shared arrays are of numbers and are allocated somewhere.
fn shared_arrays(body: &Body) -> Legal {
    for (id, variable) in body.variables.iter().filter(|(_, one)| one.storage == Storage::Shared) {
        if array_element(&variable.ty).is_none() || rank(&variable.ty).is_none() {
            return refuse(variable.span, "a shared array of this type");
        }
        let mut allocated = false;
        visit_stmts(&body.block, &mut |stmt| {
            allocated |= matches!(&stmt.kind, StmtKind::Shared { variable, .. } if *variable == id);
        });
        if !allocated {
            return refuse(variable.span, "a shared array that is not allocated in the kernel");
        }
    }
    Ok(())
}

impl<'p> Checker<'p, '_> {
    /// The parameters of a kernel, and where its arrays lie.
    fn params(&mut self, kernel: &Kernel) -> Legal {
        for &param in &self.body.params {
            let ty = &self.body.variables[param].ty;
            if !by_reference(self.program, self.body, param) {
                value_param(ty, kernel)?;
                continue;
            }
            if array_element(ty).is_none() || rank(ty).is_none() {
                return refuse(kernel.span, "a parameter of this type");
            }
            self.in_memory.insert(param, Space::Common);
        }
        let shared = self.body.variables.iter().filter(|(_, one)| one.storage == Storage::Shared);
        self.in_memory.extend(shared.map(|(id, _)| (id, Space::Common)));
        self.add_heap_arrays();
        Ok(())
    }

    fn add_heap_arrays(&mut self) {
        for id in self.body.variables.ids() {
            if is_heap_array(self.body, id) {
                self.in_memory.entry(id).or_insert(Space::Heap);
            }
        }
    }

    /// The code of one position, and that of a register tile.
    fn versions(&mut self, kernel: &'p Kernel, mapping: &Mapping) -> Legal {
        if let (Mapping::RegisterTiles, Some(tile)) = (mapping, &kernel.strip) {
            self.body = &tile.body;
            self.block(&tile.body.block)?;
            self.locals(&kernel.body.params, &kernel.body.results)?;
            self.body = &kernel.body;
        }
        self.block(&kernel.body.block)?;
        self.locals(&kernel.body.params, &kernel.body.results)
    }

    /// The variables that a thread keeps, except parameters and those that are declared elsewhere.
    fn locals(&self, params: &[VarId], others: &[VarId]) -> Legal {
        let body = self.body;
        let (set, stored) = (set_in(&body.block), stored_in(&body.block));
        for (id, variable) in body.variables.iter() {
            let used = set.contains(&id) || stored.contains(&id) || body.results.contains(&id);
            if params.contains(&id) || others.contains(&id) || self.in_memory.contains_key(&id) || !used {
                continue;
            }
            if array_element(&variable.ty).is_some() && fixed(&variable.ty).is_none() {
                let what = format!("the variable '{}', whose size is not known", variable.name);
                return refuse(variable.span, what);
            }
            private(&variable.ty, variable.span)?;
        }
        Ok(())
    }

    /// A device function, once for each list of the spaces of its arrays.
    fn function(&mut self, id: FunctionId, spaces: Vec<Space>, span: Span) -> Legal {
        let function = &self.program.functions[id];
        if function.processor {
            return refuse(span, "a function that asks for its '$target', called by a loop");
        }
        let body = &function.body;
        if !body
            .results
            .iter()
            .map(|result| &body.variables[*result].ty)
            .all(|ty| on_heap(ty) || is_private(ty))
        {
            return refuse(span, "a result of this type");
        }
        let key = (id, spaces.clone());
        match self.seen.get(&key) {
            Some(true) => return Ok(()),
            Some(false) => return refuse(span, "a function that calls itself"),
            None => self.seen.insert(key.clone(), false),
        };
        let (program, seen) = (self.program, &mut *self.seen);
        let mut inner = Checker { program, body, in_memory: BTreeMap::new(), seen, loops: 0 };
        let mut spaces = spaces.into_iter();
        for &param in &body.params {
            let ty = &body.variables[param].ty;
            let legal = if by_reference(program, body, param) {
                inner.in_memory.insert(param, spaces.next().unwrap_or(Space::Common));
                array_element(ty).is_some() && rank(ty).is_some()
            } else {
                is_private(ty)
            };
            if !legal {
                return refuse(function.span, "this parameter of a device function");
            }
        }
        inner.add_heap_arrays();
        inner.locals(&body.params, &[])?;
        inner.block(&body.block)?;
        self.seen.insert(key, true);
        Ok(())
    }
}

/// A parameter that is passed by value: tuples and closures, part by part.
fn value_param(ty: &Type, kernel: &Kernel) -> Legal {
    match ty {
        Type::Tuple(parts) => parts.iter().try_for_each(|part| value_param(part, kernel)),
        Type::Closure(closure) => closure.captures.iter().try_for_each(|(_, part)| value_param(part, kernel)),
        _ if is_private(ty) => Ok(()),
        _ => refuse(kernel.span, format!("a parameter of type '{ty}'")),
    }
}

/// A value that a thread keeps.
fn private(ty: &Type, span: Span) -> Legal {
    if is_private(ty) { Ok(()) } else { refuse(span, format!("a value of type '{ty}'")) }
}
