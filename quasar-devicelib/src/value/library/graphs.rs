//! Graphs of objects as kernels see them: all objects of a class that pointers lead to in one array, and pointers as
//! positions in it, -1 for `nullptr`. Lowering writes these calls before and after launches.

use super::Call;
use crate::value::array::{self, ArrayData};
use crate::value::{ArrayBuf, Object, Value, ValueError};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// How many objects each thread may make in loops,
const MADE_IN_LOOPS: i64 = 16;
/// and for how many bytes of others there is room.
const ROOM_FOR_LOOPS: i64 = 4 << 20;

fn address(object: &Arc<dyn Object>) -> *const () {
    Arc::as_ptr(object).cast()
}

/// The objects of some classes, whose numbers come first, that the other arguments lead to: an array for each class.
pub(super) fn reached(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let classes: Vec<usize> =
        c.integers(0)?.into_iter().map(|id| usize::try_from(id).unwrap_or(usize::MAX)).collect();
    let mut found: Vec<Vec<Value>> = vec![Vec::new(); classes.len()];
    let mut seen = HashSet::new();
    let mut open: VecDeque<Value> = c.args[1..].iter().cloned().collect();
    while let Some(value) = open.pop_front() {
        match &value {
            Value::Object(object) => {
                let Some(k) = classes.iter().position(|class| object.is_of(*class)) else { continue };
                if seen.insert(address(object)) {
                    open.extend(object.references());
                    found[k].push(value);
                }
            }
            other => open.extend(other.cell_items()?.unwrap_or_default()),
        }
    }
    Ok(found.into_iter().map(Value::cell).collect())
}

/// The position of each object of an array.
fn numbered(objects: &Value) -> Result<HashMap<*const (), usize>, ValueError> {
    let items = objects.cell_items()?.unwrap_or_default();
    let objects = items.iter().enumerate().filter_map(|(k, item)| match item {
        Value::Object(object) => Some((address(object), k)),
        _ => None,
    });
    Ok(objects.collect())
}

fn place(numbered: &HashMap<*const (), usize>, pointer: &Value) -> i32 {
    let known = match pointer {
        Value::Object(object) => numbered.get(&address(object)),
        _ => None,
    };
    known.and_then(|k| i32::try_from(*k).ok()).unwrap_or(-1)
}

/// Where in the first array the object of a pointer stands, or each object of an array of pointers.
pub(super) fn places(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let numbered = numbered(&c.args[0])?;
    Ok(vec![match c.args[1].cell_items()? {
        Some(items) => {
            let places = array::collect(items.len(), items.iter().map(|item| place(&numbered, item)))?;
            ArrayBuf::new(c.args[1].dims(), ArrayData::I32(places))?.into()
        }
        None => Value::int(place(&numbered, &c.args[1]).into()),
    }])
}

/// Where in the third argument that stands to which a field of each object points; so many positions.
pub(super) fn links(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let numbered = numbered(&c.args[2])?;
    let mut places = array::filled(-1, c.count(3)?)?;
    let Value::Text(name) = &c.args[1] else { return Err(c.wrong(1, "the name of a field")) };
    for (object, to) in c.args[0].cell_items()?.unwrap_or_default().iter().zip(&mut places) {
        if let Value::Object(object) = object {
            *to = place(&numbered, &object.field(name).unwrap_or_default());
        }
    }
    Ok(vec![ArrayBuf::vec(places).into()])
}

/// An array with room for so many objects.
pub(super) fn extended(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let old = c.args[0].cell_items()?.unwrap_or_default();
    let mut items = array::reserve(c.count(1)?.max(old.len()))?;
    items.extend(old);
    items.resize(items.capacity().min(c.count(1)?.max(items.len())), Value::Null);
    Ok(vec![Value::cell(items)])
}

/// For how many objects of a class, of so many bytes, a launch of threads has room, of which each makes so many outside
/// of loops, and perhaps more in loops.
pub(super) fn reserve(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (threads, each, in_loops, bytes) = (c.integer(0)?, c.integer(1)?, c.integer(2)?, c.integer(3)?);
    let (most, room) = if in_loops == 0 { (0, 0) } else { (MADE_IN_LOOPS, ROOM_FOR_LOOPS / bytes.max(1)) };
    let all = threads.max(0).saturating_mul(each.max(0) + most).saturating_add(room);
    Ok(vec![Value::int(all.min(i64::from(i32::MAX / 2)))])
}
