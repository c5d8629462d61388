//! Evaluates expressions. They have no side effects and call no user function, so a thread never suspends inside one.

use super::code::{Conversion, EnumNames, IndexNode, Node, Place, RangeNode};
use super::convert::convert;
use super::error::Fault;
use super::kernel::{Lane, LaunchState};
use super::memory::{self, Position, Selection};
use super::observer::{Access as Seen, Kind, Observer, Outside};
use super::{messages, objects, operators};
use quasar_devicelib::element::{ElementType, Overflow, Scalar};
use quasar_devicelib::value::ValueError;
use quasar_devicelib::value::convert::convert_scalar;
use quasar_devicelib::value::index::{self, Access, Boundary};
use quasar_devicelib::value::object::Instance;
use quasar_devicelib::value::{
    ArrayBuf, ArrayData, ArrayObject, Host, Value, elementwise, library, sequence, shape,
};
use std::rc::Rc;
use std::sync::Arc;

/// The environment of an expression.
pub(super) struct Eval<'a> {
    pub(super) host: &'a mut dyn Host,
    pub(super) observer: Option<&'a mut dyn Observer>,
    pub(super) globals: &'a [Value],
    pub(super) slots: &'a [Value],
    pub(super) names: &'a [Rc<str>],
    pub(super) function: Option<&'a Rc<str>>,
    pub(super) launch: &'a LaunchState,
    pub(super) lane: &'a Lane,
    pub(super) working: ElementType,
    /// Whether launches are to go as on a device.
    pub(super) on_device: bool,
}

/// An evaluated lvalue.
#[derive(Clone)]
pub(super) struct Located {
    pub(super) array: Value,
    pub(super) selection: Selection,
}

impl<'a> Eval<'a> {
    /// The value of a numeric expression.
    pub(super) fn scalar(&mut self, node: &Node) -> Result<Scalar, Fault> {
        match node {
            Node::Constant(x) => Ok(*x),
            Node::Local(k) => match &self.slots[*k as usize] {
                Value::Scalar(x) => Ok(*x),
                _ => self.local(*k)?.as_scalar().ok_or_else(|| self.not_a_number(node)),
            },
            Node::Fast { op, args } => {
                let (a, b) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                operators::evaluate(*op, a, b)
                    .ok_or_else(|| messages::internal(format_args!("{op:?} on {a:?} and {b:?}")))
            }
            Node::Unary { eval, arg } => Ok(eval(&[self.scalar(arg)?])),
            Node::Binary { eval, args } => {
                let operands = [self.scalar(&args[0])?, self.scalar(&args[1])?];
                Ok(eval(&operands))
            }
            Node::Apply { eval, args } => {
                let mut operands = [Scalar::I32(0); 4];
                for (operand, arg) in operands.iter_mut().zip(args) {
                    *operand = self.scalar(arg)?;
                }
                Ok(eval(&operands[..args.len().min(4)]))
            }
            Node::ToScalar { arg, to, overflow } => {
                let x = self.scalar(arg)?;
                if x.element_type() == *to { Ok(x) } else { Ok(convert_scalar(x, *to, *overflow)?) }
            }
            Node::And(args) => Ok(truth(self.truth(&args[0])? && self.truth(&args[1])?)),
            Node::Or(args) => Ok(truth(self.truth(&args[0])? || self.truth(&args[1])?)),
            Node::Select(args) => {
                let chosen = if self.truth(&args[0])? { &args[1] } else { &args[2] };
                self.scalar(chosen)
            }
            Node::Load(place) if place.element => self.load_number(place),
            Node::Extent(of, axis) => self.extent(of, *axis),
            Node::Count(of) => self.count(of),
            Node::Coordinate(which, k) => Ok(Scalar::I32(self.lane.coordinate(*which, *k))),
            Node::Literal(_)
            | Node::Global(_)
            | Node::Output(_)
            | Node::Map { .. }
            | Node::Convert(_)
            | Node::Array { .. }
            | Node::Cell(_)
            | Node::Tuple(_)
            | Node::Field(..)
            | Node::New(..)
            | Node::Function(..)
            | Node::Member(..)
            | Node::Same(_)
            | Node::Sequence(_)
            | Node::Load(_)
            | Node::Kept(..)
            | Node::Reduce { .. }
            | Node::Library { .. }
            | Node::BlockSize(_)
            | Node::EnumName { .. } => {
                let value = self.value(node)?;
                value.as_scalar().ok_or_else(|| messages::no_number(&value.kind()))
            }
        }
    }

    /// The value of any expression.
    pub(super) fn value(&mut self, node: &Node) -> Result<Value, Fault> {
        match node {
            Node::Constant(_)
            | Node::Fast { .. }
            | Node::Unary { .. }
            | Node::Binary { .. }
            | Node::Apply { .. }
            | Node::ToScalar { .. }
            | Node::And(_)
            | Node::Or(_)
            | Node::Extent(..)
            | Node::Count(_)
            | Node::Coordinate(..) => Ok(Value::Scalar(self.scalar(node)?)),
            Node::Literal(value) => Ok(value.clone()),
            Node::Local(k) => self.local(*k).cloned(),
            Node::Global(k) => self.global(*k).cloned(),
            Node::Output(k) => self.output(*k).cloned(),
            Node::Map { row, args, known } => {
                let args = self.values(args)?;
                let result = elementwise::apply(row, &args, self.working)?;
                Ok(if *known { result.without_mask() } else { result })
            }
            Node::Convert(conversion) => self.convert(conversion),
            Node::Kept(value, rank) => Ok(self.value(value)?.kept(*rank)?),
            Node::Select(args) => {
                let chosen = if self.truth(&args[0])? { &args[1] } else { &args[2] };
                self.value(chosen)
            }
            Node::Array { items, element } => self.array(items, *element),
            Node::Cell(items) => Ok(Value::cell(self.values(items)?)),
            Node::Tuple(items) => Ok(Value::Tuple(self.values(items)?.into())),
            Node::Field(of, k) => self.field(of, *k),
            Node::New(class, fields) => Ok(Instance::object(class.clone(), self.values(fields)?)),
            Node::Function(named, captures) => Ok(super::host::function(named, self.values(captures)?)),
            Node::Member(of, field) => self.with(of, |_, object| objects::member(object, field)),
            Node::Same(sides) => {
                let (a, b) = (self.value(&sides[0])?, self.value(&sides[1])?);
                Ok(Value::from(objects::same(&a, &b)))
            }
            Node::Sequence(range) => self.sequence(range),
            Node::Load(place) => self.load(place),
            Node::Reduce { row, arg, axis } => self.reduce(row.name, arg, *axis),
            Node::Library { name: "on_device", .. } => Ok(Value::from(self.on_device)),
            Node::Library { name, args } => {
                let args = self.values(args)?;
                let mut results = library::call(name, &args, 1, self.host)?.into_iter();
                Ok(results.next().unwrap_or_default())
            }
            Node::BlockSize(asked) => self.block_size(asked),
            Node::EnumName { arg, names } => Ok(named(self.scalar(arg)?, names)),
        }
    }

    pub(super) fn values(&mut self, nodes: &[Node]) -> Result<Vec<Value>, Fault> {
        nodes.iter().map(|node| self.value(node)).collect()
    }

    /// The truth value of a condition.
    pub(super) fn truth(&mut self, node: &Node) -> Result<bool, Fault> {
        match node {
            Node::Fast { .. } | Node::Binary { .. } | Node::Unary { .. } | Node::And(_) | Node::Or(_) => {
                Ok(self.scalar(node)?.is_truthy())
            }
            _ => Ok(self.value(node)?.is_true()?),
        }
    }

    /// The value of an integer expression.
    pub(super) fn integer(&mut self, node: &Node) -> Result<i64, Fault> {
        match self.scalar(node)? {
            Scalar::I32(x) => Ok(i64::from(x)),
            other => Ok(other.as_i64()),
        }
    }

    fn local(&self, k: u32) -> Result<&'a Value, Fault> {
        match &self.slots[k as usize] {
            Value::Unit => Err(messages::unassigned(&self.names[k as usize])),
            value => Ok(value),
        }
    }

    fn global(&self, k: u32) -> Result<&'a Value, Fault> {
        match self.globals.get(k as usize) {
            Some(Value::Unit) | None => Err(messages::unassigned("of the module")),
            Some(value) => Ok(value),
        }
    }

    fn output(&self, k: u32) -> Result<&'a Value, Fault> {
        self.launch.outputs.get(k as usize).ok_or_else(|| messages::internal("a result outside a launch"))
    }

    fn not_a_number(&self, node: &Node) -> Fault {
        match node {
            Node::Local(k) => messages::no_number(&self.slots[*k as usize].kind()),
            _ => messages::no_number("another value"),
        }
    }

    /// Passes a value to `f`, without cloning its handle if it is a variable.
    fn with<R>(
        &mut self,
        node: &Node,
        f: impl FnOnce(&mut Self, &Value) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        match node {
            Node::Local(k) => {
                let value = self.local(*k)?;
                f(self, value)
            }
            Node::Global(k) => {
                let value = self.global(*k)?;
                f(self, value)
            }
            Node::Output(k) => {
                let value = self.output(*k)?;
                f(self, value)
            }
            other => {
                let value = self.value(other)?;
                f(self, &value)
            }
        }
    }

    fn extent(&mut self, of: &Node, axis: usize) -> Result<Scalar, Fault> {
        self.with(of, |_, value| {
            let extent = match value {
                Value::Text(text) if axis == 0 => text.chars().count(),
                Value::Tuple(items) if axis == 0 => items.len(),
                Value::Array(a) => {
                    let mut extent = 1;
                    a.read(&mut |view| extent = view.dims.get(axis).copied().unwrap_or(1));
                    extent
                }
                _ => 1,
            };
            Ok(int(extent))
        })
    }

    fn count(&mut self, of: &Node) -> Result<Scalar, Fault> {
        self.with(of, |_, value| {
            let count = match value {
                Value::Text(text) => text.chars().count(),
                Value::Tuple(items) => items.len(),
                Value::Array(a) => {
                    let mut count = 0;
                    a.read(&mut |view| count = view.data.len());
                    count
                }
                _ => 1,
            };
            Ok(int(count))
        })
    }

    fn field(&mut self, of: &Node, k: usize) -> Result<Value, Fault> {
        self.with(of, |_, value| {
            let item = match value {
                Value::Tuple(items) => items.get(k).cloned(),
                other => other.cell_item(k),
            };
            item.ok_or_else(|| messages::wrong_type("tuple", &value.kind()))
        })
    }

    fn convert(&mut self, conversion: &Conversion) -> Result<Value, Fault> {
        let value = self.value(&conversion.arg)?;
        convert(value, &conversion.to)
    }

    fn array(&mut self, items: &[Node], element: Option<ElementType>) -> Result<Value, Fault> {
        let Some(element) = element else {
            return Ok(Value::cell(self.values(items)?));
        };
        let mut numbers = Vec::with_capacity(items.len());
        let mut rows: Option<Vec<usize>> = None;
        for item in items {
            let value = self.value(item)?;
            if let Some(x) = value.as_scalar().filter(|_| rows.is_none()) {
                numbers.push(convert_scalar(x, element, Overflow::Wrap)?);
                continue;
            }
            let Value::Array(a) = &value else { return Err(messages::no_number(&value.kind())) };
            let dims = a.dims();
            match &rows {
                None if numbers.is_empty() => rows = Some(dims),
                Some(first) if shape::same(first, &dims) => {}
                first => return Err(messages::ragged(first.as_deref().unwrap_or(&[]), &dims)),
            }
            append(&mut numbers, &**a, element)?;
        }
        let dims = match rows {
            None => vec![items.len()],
            Some(rows) => std::iter::once(items.len()).chain(rows).collect(),
        };
        Ok(ArrayBuf::new(dims, ArrayData::from_scalars(element, &numbers)?)?.into())
    }

    /// The first value, the step and the last value of a range, converted to its type.
    pub(super) fn bounds(&mut self, range: &RangeNode) -> Result<[Scalar; 3], Fault> {
        let from = self.scalar(&range.from)?;
        let step = match &range.step {
            Some(step) => self.scalar(step)?,
            None => Scalar::one(from.element_type()),
        };
        let to = self.scalar(&range.to)?;
        Ok([from, step, to])
    }

    fn sequence(&mut self, range: &RangeNode) -> Result<Value, Fault> {
        let [from, step, to] = self.bounds(range)?;
        let array = Value::from(sequence::sequence(from, step, to)?);
        if array.element_type() == Some(range.element) {
            return Ok(array);
        }
        Ok(quasar_devicelib::value::convert::convert(&array, range.element, Overflow::Wrap)?)
    }

    fn reduce(&mut self, row: &str, arg: &Node, axis: Option<usize>) -> Result<Value, Fault> {
        let name = match (row, axis) {
            ("add", _) => "sum",
            ("multiply", _) => "prod",
            ("min", Some(_)) => "mindim",
            ("max", Some(_)) => "maxdim",
            (other, _) => other,
        };
        let mut args = vec![self.value(arg)?];
        if let Some(axis) = axis {
            args.push(Value::int(axis as i64));
        }
        let mut results = library::call(name, &args, 1, self.host)?.into_iter();
        Ok(results.next().unwrap_or_default())
    }

    fn position(&mut self, indices: &[IndexNode]) -> Result<Position, Fault> {
        let mut position = Position::new();
        for index in indices {
            let i = match index {
                IndexNode::At(node) => self.integer(node)?,
                _ => return Err(messages::internal("an index of another kind beside numbers")),
            };
            if !position.push(i) {
                return Err(messages::internal("too many indices"));
            }
        }
        Ok(position)
    }

    fn indices(&mut self, indices: &[IndexNode]) -> Result<Vec<index::Index>, Fault> {
        indices.iter().map(|index| self.index(index)).collect()
    }

    fn index(&mut self, index: &IndexNode) -> Result<index::Index, Fault> {
        Ok(match index {
            IndexNode::At(node) => {
                let value = self.value(node)?;
                match value.as_scalar() {
                    Some(x) if !x.element_type().is_complex() => index::Index::At(x.as_i64()),
                    _ => index::Index::from_value(&value)?,
                }
            }
            IndexNode::Range(range) => {
                let [from, step, to] = self.bounds(range)?;
                let (from, step, to) = (from.as_i64(), step.as_i64(), to.as_i64());
                let count = sequence::count_integers(from, step, to)?;
                index::Index::Range { from, step, count }
            }
            IndexNode::List(node) => index::Index::from_value(&self.value(node)?)?,
            IndexNode::All => index::Index::All,
            IndexNode::Position(node) => match index::Index::from_value(&self.value(node)?)? {
                index::Index::List(items) => index::Index::Position(items),
                other => other,
            },
        })
    }

    fn load_number(&mut self, place: &Place) -> Result<Scalar, Fault> {
        let at = self.position(&place.index)?;
        self.with(&place.array, |eval, value| {
            let Value::Array(a) = value else {
                let value = index::load(value, &memory::as_indices(&at), place.access())?;
                return value.as_scalar().ok_or_else(|| messages::no_number(&value.kind()));
            };
            let read = memory::read_number(&**a, &at, place.access());
            let (x, offset) = read.map_err(|error| eval.fault_at(error, place))?;
            match offset {
                Some(offset) => eval.see(Kind::Load, a, &[offset], x, place),
                None => eval.see_outside(Kind::Load, a, &at, place),
            }
            match x {
                Some(x) => Ok(x),
                None => {
                    let (value, _) = memory::read_element(&**a, &at, place.access())?;
                    value.as_scalar().ok_or_else(|| messages::no_number(&value.kind()))
                }
            }
        })
    }

    fn load(&mut self, place: &Place) -> Result<Value, Fault> {
        if place.element {
            let at = self.position(&place.index)?;
            return self
                .with(&place.array, |eval, value| eval.read_at(value, &Selection::Element(at), place, true));
        }
        let indices = self.indices(&place.index)?;
        self.with(&place.array, |eval, value| eval.read_at(value, &Selection::Part(indices), place, true))
    }

    /// Whether the thread must not modify an array. Atomic operations of such threads do nothing at all, so their read
    /// does not fail either.
    fn is_suppressed(&self, array: &Arc<dyn ArrayObject>) -> bool {
        self.lane.shadow && self.launch.is_global(array)
    }

    /// The current value of a selection; `seen` tells that it is a load and not a part of an atomic operation.
    pub(super) fn read_at(
        &mut self,
        value: &Value,
        selection: &Selection,
        place: &Place,
        seen: bool,
    ) -> Result<Value, Fault> {
        match (selection, value) {
            (Selection::Whole, value) => Ok(value.clone()),
            (Selection::Element(at), Value::Array(a)) => {
                let mut access = place.access();
                if !seen && self.is_suppressed(a) {
                    access.boundary = Boundary::Safe;
                }
                let read = memory::read_element(&**a, at, access);
                let (x, offset) = read.map_err(|error| self.fault_at(error, place))?;
                match offset {
                    _ if !seen => {}
                    Some(offset) => self.see(Kind::Load, a, &[offset], x.as_scalar(), place),
                    None => self.see_outside(Kind::Load, a, at, place),
                }
                Ok(x)
            }
            (Selection::Element(at), value) => {
                Ok(index::load(value, &memory::as_indices(at), place.access())?)
            }
            (Selection::Part(indices), value) => {
                let mut access = place.access();
                if let Value::Array(a) = value
                    && !seen
                    && self.is_suppressed(a)
                {
                    access.boundary = Boundary::Safe;
                }
                let result = index::load(value, indices, access)?;
                if let Value::Array(a) = value
                    && seen
                {
                    self.see_part(Kind::Load, a, indices, place);
                }
                Ok(result)
            }
        }
    }

    /// Evaluates the lvalue of a statement.
    pub(super) fn locate(&mut self, place: &Place) -> Result<Located, Fault> {
        let selection = match &place.index {
            index if index.is_empty() && place.variable.is_some() => {
                return Ok(Located { array: Value::Unit, selection: Selection::Whole });
            }
            index if index.is_empty() => Selection::Whole,
            index if place.element => Selection::Element(self.position(index)?),
            index => Selection::Part(self.indices(index)?),
        };
        let array = self.value(&place.array)?;
        let selection = match (selection, &array) {
            (Selection::Whole, Value::Array(a)) => Selection::Part(vec![index::Index::All; a.dims().len()]),
            (selection, _) => selection,
        };
        Ok(Located { array, selection })
    }

    /// Writes to a part of an array. Shadow threads write only to private and shared memory.
    pub(super) fn write(
        &mut self,
        located: &Located,
        value: &Value,
        place: &Place,
        kind: Kind,
    ) -> Result<(), Fault> {
        let Value::Array(a) = &located.array else {
            let found = located.array.kind();
            return Err(messages::wrong_type("array", &found));
        };
        if self.is_suppressed(a) {
            return Ok(());
        }
        match (&located.selection, value.as_scalar()) {
            (Selection::Element(at), Some(x)) if a.element_type().is_some() => {
                let written = memory::write_number(&**a, at, x, place.access());
                match written.map_err(|error| self.fault_at(error, place))? {
                    Some(offset) => self.see(kind, a, &[offset], Some(x), place),
                    None => self.see_outside(kind, a, at, place),
                }
            }
            (Selection::Element(at), _) => {
                let indices = memory::as_indices(at);
                index::store(&located.array, &indices, value, place.access())?;
                self.see_part(kind, a, &indices, place);
            }
            (Selection::Part(indices), _) => {
                index::store(&located.array, indices, value, place.access())?;
                self.see_part(kind, a, indices, place);
            }
            (Selection::Whole, _) => return Err(messages::internal("a store to a variable")),
        }
        Ok(())
    }

    /// An access error, located at the access rather than at its statement.
    fn fault_at(&self, error: ValueError, place: &Place) -> Fault {
        match self.function {
            Some(function) => Fault::from(error).at(function, place.span),
            None => error.into(),
        }
    }

    /// Reports an access to the observer, with the value if it is a single element.
    fn see(
        &mut self,
        kind: Kind,
        array: &Arc<dyn ArrayObject>,
        offsets: &[usize],
        value: Option<Scalar>,
        place: &Place,
    ) {
        let Some(observer) = self.observer.as_deref_mut() else { return };
        let Some(space) = self.launch.space(array, self.lane) else { return };
        let (dims, array) = (array.dims(), array.storage());
        for &offset in offsets {
            let seen = Seen {
                kind,
                space,
                array,
                name: &place.name,
                dims: &dims,
                offset,
                value,
                thread: self.lane.id(),
                function: self.function.map_or("", |name| name),
                span: place.span,
            };
            observer.access(&seen);
        }
    }

    /// Reports an out-of-bounds access to the observer, unless it is a load that the boundary mode defines.
    fn see_outside(&mut self, kind: Kind, array: &Arc<dyn ArrayObject>, at: &Position, place: &Place) {
        let dropped = place.boundary != Boundary::Unchecked;
        if (!dropped || kind != Kind::Load && self.lane.active && self.launch.is_global(array))
            && let Some(observer) = self.observer.as_deref_mut()
        {
            observer.outside(&Outside {
                kind,
                name: &place.name,
                dims: &array.dims(),
                index: at.items(),
                dropped,
                thread: self.lane.active.then(|| self.lane.id()),
                span: place.span,
            });
        }
    }

    fn see_part(
        &mut self,
        kind: Kind,
        array: &Arc<dyn ArrayObject>,
        indices: &[index::Index],
        place: &Place,
    ) {
        if self.observer.is_some() && self.launch.space(array, self.lane).is_some() {
            let offsets = memory::offsets(&**array, indices, place.boundary);
            self.see(kind, array, &offsets, None, place);
        }
    }
}

impl Place {
    pub(super) fn access(&self) -> Access<'_> {
        Access { name: &self.name, boundary: self.boundary, overflow: self.overflow }
    }
}

fn append(numbers: &mut Vec<Scalar>, array: &dyn ArrayObject, element: ElementType) -> Result<(), Fault> {
    let mut result = Ok(());
    array.read(&mut |view| {
        let count = view.data.len();
        if numbers.try_reserve(count).is_err() {
            result = Err(ValueError::out_of_memory(count, None).into());
            return;
        }
        for k in 0..view.data.len() {
            let x = view.data.scalar(k).ok_or_else(|| messages::no_number("a cell"));
            match x.and_then(|x| Ok(convert_scalar(x, element, Overflow::Wrap)?)) {
                Ok(x) => numbers.push(x),
                Err(fault) => result = Err(fault),
            }
        }
    });
    result
}

pub(super) fn named(x: Scalar, names: &EnumNames) -> Value {
    let number = x.as_i64() as i32;
    match names.members.iter().find(|(_, n)| *n == number) {
        Some((name, _)) => Value::Enum { type_name: names.name.clone(), name: name.clone(), number },
        None => Value::Scalar(x),
    }
}

fn truth(holds: bool) -> Scalar {
    Scalar::I32(i32::from(holds))
}

fn int(n: usize) -> Scalar {
    Scalar::I32(i32::try_from(n).unwrap_or(i32::MAX))
}
