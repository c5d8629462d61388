//! Launches on the virtual device: grid geometry, state shared by the threads of a launch, and scalar results.

use super::code::{BlockNode, Code, Extents, LaunchOp, Target};
use super::error::Fault;
use super::expressions::Eval;
use super::machine::Machine;
use super::memory::{self, MAX_DIMS};
use super::observer::{Space, ThreadId};
use super::thread::Thread;
use super::{finite, messages};
use crate::analysis::blocks::Needs;
use crate::ir::Coordinate;
use crate::types::{Overflow, Type};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::kernel::{
    BlockNeeds, asked_extents, default_block, explicit_block, groups, largest_of, shared_bytes, usual_of,
};
use quasar_devicelib::value::convert::convert_scalar;
use quasar_devicelib::value::{ArrayBuf, ArrayObject, Value, array};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// One number per dimension.
pub(super) type Coordinates = [i32; MAX_DIMS];

/// The geometry of a launch.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub(super) dims: Vec<usize>,
    pub(super) block: Vec<usize>,
    /// Number of blocks per dimension.
    pub(super) counts: Vec<usize>,
    launch_dim: Coordinates,
    block_dim: Coordinates,
    block_count: Coordinates,
}

/// The position of a thread in its launch.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    geometry: Rc<Geometry>,
    position: Coordinates,
    block_position: Coordinates,
    block_index: Coordinates,
    block: u64,
    thread: u64,
    /// Whether the position is outside the launch: the thread takes part in barriers, and modifies only private and
    /// shared memory.
    pub(super) shadow: bool,
    /// Whether the code runs in a launch at all.
    pub(super) active: bool,
}

/// State shared by the threads of a launch.
#[derive(Default)]
pub(super) struct LaunchState {
    /// The results that are a single variable of all threads.
    pub(super) outputs: Vec<Value>,
    /// Shared arrays, by block and variable.
    shared: BTreeMap<(u64, u32), Value>,
    /// Identities of the arrays that were passed to the launch, if needed.
    global: BTreeSet<usize>,
    shared_arrays: BTreeSet<usize>,
}

fn coordinates(items: &[usize]) -> Coordinates {
    let mut result = [0; MAX_DIMS];
    for (to, &from) in result.iter_mut().zip(items) {
        *to = i32::try_from(from).unwrap_or(i32::MAX);
    }
    result
}

/// The coordinates of the `k`-th point of a box in row-major order.
fn unravel(mut k: u64, extents: &[usize]) -> Coordinates {
    let mut result = [0; MAX_DIMS];
    for (axis, &extent) in extents.iter().enumerate().rev() {
        let extent = extent.max(1) as u64;
        result[axis] = (k % extent) as i32;
        k /= extent;
    }
    result
}

impl Geometry {
    fn new(dims: Vec<usize>, block: Vec<usize>) -> Geometry {
        let counts: Vec<usize> = dims.iter().zip(&block).map(|(&d, &b)| d.div_ceil(b)).collect();
        let (block_dim, block_count) = (coordinates(&block), coordinates(&counts));
        let launch_dim = coordinates(&dims);
        Geometry { dims, block, counts, launch_dim, block_dim, block_count }
    }

    /// The number of positions.
    pub(super) fn positions(&self) -> u64 {
        self.dims.iter().map(|&n| n as u64).product()
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> u64 {
        self.counts.iter().map(|&n| n as u64).product()
    }

    /// The number of threads per block, shadow threads included.
    pub(super) fn block_threads(&self) -> u64 {
        self.block.iter().map(|&n| n as u64).product()
    }
}

impl Lane {
    /// Code outside launches.
    pub(super) fn host() -> Lane {
        let geometry = Rc::new(Geometry::new(Vec::new(), Vec::new()));
        Lane { active: false, ..Lane::of_thread(&geometry, 0, 0) }
    }

    /// A thread, by the linear indices of its block and in its block.
    pub(super) fn of_thread(geometry: &Rc<Geometry>, block: u64, thread: u64) -> Lane {
        let block_index = unravel(block, &geometry.counts);
        let block_position = unravel(thread, &geometry.block);
        let mut position = [0; MAX_DIMS];
        let mut shadow = false;
        for axis in 0..geometry.dims.len() {
            let at =
                i64::from(block_index[axis]) * geometry.block[axis] as i64 + i64::from(block_position[axis]);
            position[axis] = i32::try_from(at).unwrap_or(i32::MAX);
            shadow |= at >= geometry.dims[axis] as i64;
        }
        let geometry = geometry.clone();
        Lane { geometry, position, block_position, block_index, block, thread, shadow, active: true }
    }

    /// The thread of the `k`-th position in row-major order.
    pub(super) fn of_position(geometry: &Rc<Geometry>, k: u64) -> Lane {
        let position = unravel(k, &geometry.dims);
        let (mut block_position, mut block_index) = ([0; MAX_DIMS], [0; MAX_DIMS]);
        let (mut block, mut thread) = (0u64, 0u64);
        for axis in 0..geometry.dims.len() {
            let extent = geometry.block_dim[axis];
            block_index[axis] = position[axis] / extent;
            block_position[axis] = position[axis] % extent;
            block = block * geometry.counts[axis] as u64 + block_index[axis] as u64;
            thread = thread * geometry.block[axis] as u64 + block_position[axis] as u64;
        }
        let geometry = geometry.clone();
        Lane { geometry, position, block_position, block_index, block, thread, shadow: false, active: true }
    }

    pub(super) fn id(&self) -> ThreadId {
        ThreadId { block: self.block, thread: self.thread }
    }

    /// How many threads its block has.
    pub(super) fn block_threads(&self) -> usize {
        self.geometry.block_threads() as usize
    }

    /// The position, formatted for messages.
    pub(super) fn text(&self) -> String {
        let items: Vec<String> =
            self.position.iter().take(self.geometry.dims.len()).map(i32::to_string).collect();
        format!("[{}]", items.join(","))
    }

    /// The number of components of the position.
    pub(super) fn rank(&self) -> usize {
        self.geometry.dims.len()
    }

    pub(super) fn coordinate(&self, which: Coordinate, k: usize) -> i32 {
        let all = match which {
            Coordinate::Position => &self.position,
            Coordinate::BlockPosition => &self.block_position,
            Coordinate::BlockDim => &self.geometry.block_dim,
            Coordinate::BlockIndex => &self.block_index,
            Coordinate::BlockCount => &self.geometry.block_count,
            Coordinate::LaunchDim => &self.geometry.launch_dim,
            Coordinate::WarpSize => return groups::warp_size() as i32,
        };
        all.get(k).copied().unwrap_or(0)
    }
}

impl LaunchState {
    /// Whether an array was passed to the launch.
    pub(super) fn is_global(&self, array: &Arc<dyn ArrayObject>) -> bool {
        self.global.contains(&array.storage())
    }

    /// The address space of an array that several threads can access.
    pub(super) fn space(&self, array: &Arc<dyn ArrayObject>, lane: &Lane) -> Option<Space> {
        let identity = array.storage();
        match lane.active {
            true if self.global.contains(&identity) => Some(Space::Global),
            true if self.shared_arrays.contains(&identity) => Some(Space::Shared),
            _ => None,
        }
    }

    /// The shared array of a block, if a thread has allocated it.
    pub(super) fn shared(&self, lane: &Lane, slot: u32) -> Option<&Value> {
        self.shared.get(&(lane.block, slot))
    }

    /// The bytes of a block's shared arrays.
    pub(super) fn shared_taken(&self, lane: &Lane) -> usize {
        let bytes = |value: &Value| match value {
            Value::Array(a) => {
                let size = a.element_type().map_or(0, ElementType::size);
                shared_bytes(a.dims().iter().product(), size)
            }
            _ => 0,
        };
        self.shared.range((lane.block, 0)..=(lane.block, u32::MAX)).map(|(_, value)| bytes(value)).sum()
    }

    /// Allocates a shared array of a block; returns it with its identity.
    pub(super) fn make_shared(
        &mut self,
        lane: &Lane,
        slot: u32,
        dims: Vec<usize>,
        element: ElementType,
    ) -> Result<(Value, Option<usize>), Fault> {
        let value = Value::from(ArrayBuf::zeros(dims, element)?);
        let mut identity = None;
        if let Value::Array(a) = &value {
            identity = Some(a.storage());
            self.shared_arrays.extend(identity);
        }
        self.shared.insert((lane.block, slot), value.clone());
        Ok((value, identity))
    }

    /// Frees the shared memory of all blocks.
    pub(super) fn end_blocks(&mut self) {
        self.shared.clear();
        self.shared_arrays.clear();
    }

    fn note_global<'v>(&mut self, values: impl Iterator<Item = &'v Value>) {
        for value in values {
            memory::arrays_in(value, &mut |a| {
                self.global.insert(a.storage());
            });
        }
    }
}

/// The extents of a launch, adapted to the number of components of the position (language reference §5.1).
fn fitted(mut dims: Vec<i64>, rank: usize) -> Vec<i64> {
    if rank == 1 && dims.len() > 1 {
        let empty = dims.iter().any(|&n| n <= 0);
        let count = dims.iter().fold(1i64, |count, &n| count.saturating_mul(n));
        return vec![if empty { 0 } else { count }];
    }
    dims.resize(rank, 1);
    dims
}

/// The neutral element of a reduction.
fn neutral(row: &str, element: ElementType) -> Result<Scalar, Fault> {
    let bits = element.bits();
    let largest = |positive: bool| match (element.is_integer(), element.is_signed()) {
        (true, true) if positive => Ok(Scalar::from_i64(i64::MAX >> (64 - bits), element)),
        (true, true) => Ok(Scalar::from_i64(i64::MIN >> (64 - bits), element)),
        (true, false) => Ok(Scalar::from_i64(if positive { -1 } else { 0 }, element)),
        (false, _) => {
            let infinity = if positive { f64::INFINITY } else { f64::NEG_INFINITY };
            Ok(convert_scalar(Scalar::F64(infinity), element, Overflow::Wrap)?)
        }
    };
    match row {
        "multiply" => Ok(Scalar::one(element)),
        "min" => largest(true),
        "max" => largest(false),
        "and" => Ok(Scalar::from_i64(-1, element)),
        _ => Ok(Scalar::zero(element)),
    }
}

/// The initial value of a kernel's result.
fn zero(ty: &Type) -> Result<Value, Fault> {
    match ty {
        Type::Scalar(element, _) => Ok(Value::Scalar(Scalar::zero(*element))),
        Type::Enum(_) => Ok(Value::int(0)),
        Type::Array(array) => {
            let element = match &*array.element {
                Type::Scalar(element, _) => *element,
                _ => ElementType::Int32,
            };
            let dims = array.sizes.iter().map(|size| size.unwrap_or(0) as usize).collect();
            Ok(Value::from(ArrayBuf::zeros(dims, element)?))
        }
        _ => Err(messages::internal("a kernel with a result that is no number")),
    }
}

/// The integers of a vector.
fn integers(value: &Value) -> Result<Vec<i64>, Fault> {
    if let Some(x) = value.as_scalar() {
        return Ok(vec![x.as_i64()]);
    }
    let Value::Array(a) = value else { return Err(messages::no_number(&value.kind())) };
    array::read(&**a, |view| {
        (0..view.data.len())
            .map(|k| view.data.scalar(k).map(Scalar::as_i64).ok_or_else(|| messages::no_number("a cell")))
            .collect()
    })
}

impl Eval<'_> {
    fn extents(&mut self, extents: &Extents) -> Result<Vec<i64>, Fault> {
        match extents {
            Extents::Each(nodes) => nodes.iter().map(|node| self.integer(node)).collect(),
            Extents::Vector(node) => integers(&self.value(node)?),
        }
    }

    /// Answers a query of block sizes; the virtual device follows the rules of the CPU.
    pub(super) fn block_size(&mut self, asked: &BlockNode) -> Result<Value, Fault> {
        let name = if asked.largest { "max_block_size" } else { "opt_block_size" };
        let given = asked.dims.as_ref().map(|node| self.value(node)).transpose()?;
        let given = given.map(|value| integers(&value)).transpose()?;
        let dims = given.map(|dims| asked_extents(name, &dims).map_err(messages::extents)).transpose()?;
        let versions: Vec<BlockNeeds<'_>> = asked.versions.iter().map(Needs::borrowed).collect();
        let block = match asked.largest {
            true => largest_of(&versions, dims, &[]),
            false => usual_of(&versions, dims.as_deref()),
        };
        Ok(ArrayBuf::ints(block).into())
    }
}

/// Name prefix of outlined kernels.
const MADE: &str = "opt__";

/// A launch with all arguments evaluated.
#[derive(Clone)]
pub(super) struct Request {
    dims: Vec<i64>,
    block: Option<Vec<i64>>,
    pub(super) args: Vec<Value>,
}

impl Machine<'_> {
    /// Runs a kernel and assigns its results to variables of the calling thread.
    pub(super) fn launch(
        &mut self,
        thread: &mut Thread,
        launch: &mut LaunchState,
        op: &LaunchOp,
    ) -> Result<(), Fault> {
        let mut eval = self.eval(thread, launch);
        let dims = eval.extents(&op.dims)?;
        let block = op.block.as_ref().map(|b| eval.extents(b)).transpose()?;
        let request = Request { dims, block, args: eval.values(&op.args)? };
        let place = thread.frames.last().map_or(0, |frame| frame.code.program);
        let code = self.kernel_code(place, op.kernel)?;
        let kernel = &self.program(place).kernels[op.kernel];
        let (rank, serial) = (kernel.rank, op.serial || !kernel.parallel);
        let outputs = match self.options.check_numbers && !kernel.fills_tables() {
            true => finite::outputs(self.program(place), kernel, &request.args)?,
            false => Vec::new(),
        };
        let made = code.name.starts_with(MADE);
        let results = match self.options.compare_orders && made && !serial {
            true => self.execute_twice(&code, rank, request),
            false => self.execute(&code, rank, request, serial),
        };
        let results = results.and_then(|results| finite::check(outputs, &code.name).map(|()| results));
        let results = results.map_err(|fault| fault.in_launch(&code.name, op.serial))?;
        for ((target, value), output) in op.results.iter().zip(results).zip(&code.outputs) {
            let value = match (output.row, self.current(thread, launch, *target)) {
                (Some(row), Some(Value::Scalar(old))) => match value {
                    Value::Scalar(new) => Value::Scalar((row.eval)(&[old, new])),
                    other => other,
                },
                _ => value,
            };
            self.assign(thread, launch, *target, value);
        }
        Ok(())
    }

    fn current(&self, thread: &Thread, launch: &LaunchState, target: Target) -> Option<Value> {
        match target {
            Target::Slot(k) => thread.slot(k).cloned(),
            Target::Output(k) => launch.outputs.get(k as usize).cloned(),
            Target::Nowhere => None,
        }
    }

    pub(super) fn execute(
        &mut self,
        code: &Rc<Code>,
        rank: usize,
        request: Request,
        serial: bool,
    ) -> Result<Vec<Value>, Fault> {
        let mut launch = LaunchState::default();
        for output in &code.outputs {
            launch.outputs.push(match (output.row, &output.ty) {
                (Some(row), Type::Scalar(element, _)) => Value::Scalar(neutral(row.name, *element)?),
                _ => zero(&output.ty)?,
            });
        }
        let dims = fitted(request.dims, rank.max(1));
        if dims.iter().any(|&n| n <= 0) {
            return Ok(launch.outputs);
        }
        let dims: Vec<usize> = dims.iter().map(|&n| n as usize).collect();
        let in_range = dims.iter().all(|&n| i32::try_from(n).is_ok());
        if !in_range || dims.iter().try_fold(1u64, |count, &n| count.checked_mul(n as u64)).is_none() {
            return Err(messages::grid_too_large());
        }
        let block = match request.block {
            Some(block) => explicit_block(&fitted_block(block, dims.len())).map_err(messages::block)?,
            None => default_block(&dims),
        };
        let geometry = Rc::new(Geometry::new(dims, block));
        let padded = geometry.dims.iter().zip(&geometry.block).any(|(d, b)| d % b != 0);
        if padded || self.observer.is_some() {
            launch.note_global(request.args.iter().chain(&self.programs[code.program].globals));
            let outputs = launch.outputs.clone();
            launch.note_global(outputs.iter());
        }
        if let Some(observer) = &mut self.observer {
            observer.begin_launch(&code.name, &geometry.dims, &geometry.block, serial);
        }
        let result =
            self.nested(|machine| machine.run_grid(code, &geometry, &mut launch, &request.args, serial));
        if let Some(observer) = &mut self.observer {
            observer.end_launch();
        }
        result?;
        Ok(launch.outputs)
    }
}

fn fitted_block(mut block: Vec<i64>, rank: usize) -> Vec<i64> {
    block.resize(rank, 1);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_fit_the_components_of_positions() {
        assert_eq!(fitted(vec![4, 5, 3], 1), [60]);
        assert_eq!(fitted(vec![4, 5, 3], 2), [4, 5]);
        assert_eq!(fitted(vec![4], 3), [4, 1, 1]);
        assert_eq!(fitted(vec![-4, -5], 1), [0]);
    }

    #[test]
    fn lanes_agree_by_position_and_by_thread() {
        let geometry = Rc::new(Geometry::new(vec![5, 7], vec![2, 4]));
        let mut positions = 0;
        for block in 0..geometry.blocks() {
            for thread in 0..geometry.block_threads() {
                let lane = Lane::of_thread(&geometry, block, thread);
                if !lane.shadow {
                    let k = lane.position[0] as u64 * 7 + lane.position[1] as u64;
                    let other = Lane::of_position(&geometry, k);
                    assert_eq!((other.position, other.block_index), (lane.position, lane.block_index));
                    assert_eq!((other.block_position, other.id()), (lane.block_position, lane.id()));
                    positions += 1;
                }
            }
        }
        assert_eq!(positions, geometry.positions());
    }

    #[test]
    fn neutral_elements_change_nothing() {
        let max = quasar_devicelib::ops::find("max").unwrap();
        assert_eq!(neutral("max", ElementType::Int32).unwrap(), Scalar::I32(i32::MIN));
        assert_eq!(neutral("min", ElementType::UInt8).unwrap(), Scalar::U8(255));
        assert_eq!(
            (max.eval)(&[neutral("max", ElementType::Single).unwrap(), Scalar::F32(-3.0)]),
            Scalar::F32(-3.0)
        );
        assert_eq!(neutral("and", ElementType::Int32).unwrap(), Scalar::I32(-1));
    }
}
