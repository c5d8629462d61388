//! Finds objects that only refer to each other: their references are counted, so nobody else gives them back.
//!
//! All watched objects are frozen, so that no thread can take a reference out of one or put one into it. Then the
//! references inside are counted. An object that is referred to more often has a reference outside, on the stack of
//! some thread, and it and all it leads to stay; the others are emptied.

use super::{Frozen, Object, release};
use crate::value::array::values;
use crate::value::{ArrayObject, FunctionObject, SharedArray, Value, array};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How many objects are watched before the first collection.
const FIRST: usize = 10_000;

/// The objects that may be part of a circle.
struct Watched {
    objects: Vec<Weak<dyn Object>>,
    /// How many objects make a collection worth its time.
    limit: usize,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { objects: Vec::new(), limit: FIRST });

/// Looks after an object from now on. Collects now and then, so no lock may be held.
pub(super) fn watch(object: &Arc<dyn Object>) {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    watched.objects.push(Arc::downgrade(object));
    if watched.objects.len() < watched.limit {
        return;
    }
    let garbage = collect_among(&mut watched.objects);
    watched.limit = FIRST.max(2 * watched.objects.len());
    drop(watched);
    release(garbage);
}

/// Gives back all objects that nothing but they themselves refers to.
pub fn collect() {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    let garbage = collect_among(&mut watched.objects);
    drop(watched);
    release(garbage);
}

/// Something that references lead to: a watched object, or an array that holds objects.
#[derive(Default)]
struct Target {
    /// References to it from inside.
    inside: usize,
    /// Where its own references lead.
    to: Vec<usize>,
    live: bool,
}

/// Forgets objects that are gone, and empties those that are garbage; gives what they held.
fn collect_among(watched: &mut Vec<Weak<dyn Object>>) -> Vec<Value> {
    let objects: Vec<Arc<dyn Object>> = watched.iter().filter_map(Weak::upgrade).collect();
    *watched = objects.iter().map(Arc::downgrade).collect();
    let mut frozen: Vec<Option<Box<dyn Frozen + '_>>> =
        objects.iter().map(|object| object.frozen()).collect();
    let mut graph = Graph::new(&objects);
    for (k, object) in frozen.iter().enumerate() {
        let Some(object) = object else { continue };
        graph.references(k, object.references());
    }
    graph.open_arrays();
    graph.mark(&objects);
    let mut garbage = Vec::new();
    for (k, object) in frozen.iter_mut().enumerate() {
        if let Some(object) = object.as_mut().filter(|_| !graph.is_partial && !graph.targets[k].live) {
            garbage.extend(object.emptied());
        }
    }
    drop(graph);
    drop(frozen);
    // Objects that ended meanwhile are dropped by whoever drops the list.
    garbage.extend(objects.into_iter().map(Value::Object));
    garbage
}

fn address<T: ?Sized>(shared: &Arc<T>) -> *const () {
    Arc::as_ptr(shared).cast()
}

#[derive(Default)]
struct Graph {
    targets: Vec<Target>,
    places: HashMap<*const (), usize>,
    /// Arrays that may hold objects, with their targets, and whether their elements were counted.
    arrays: Vec<(Arc<dyn ArrayObject>, usize, bool)>,
    /// Functions that captured something, with their targets. What they captured never changes.
    functions: Vec<(Arc<dyn FunctionObject>, usize)>,
    /// An array could not be read: whoever uses it may wait for a frozen object, so nobody waits for the array here. Nothing is
    /// collected then; the next collection comes.
    is_partial: bool,
}

impl Graph {
    fn new(objects: &[Arc<dyn Object>]) -> Graph {
        let places = objects.iter().enumerate().map(|(k, object)| (address(object), k)).collect();
        Graph { targets: objects.iter().map(|_| Target::default()).collect(), places, ..Graph::default() }
    }

    /// Counts the references of a target.
    fn references(&mut self, from: usize, values: Vec<Value>) {
        for value in values {
            match value {
                Value::Object(object) => {
                    if let Some(&to) = self.places.get(&address(&object)) {
                        self.targets[to].inside += 1;
                        self.targets[from].to.push(to);
                    }
                }
                Value::Array(array) if array.element_type().is_none() => {
                    let to = self.array(array);
                    self.targets[to].inside += 1;
                    self.targets[from].to.push(to);
                }
                Value::Function(function) => {
                    let to = self.function(function);
                    self.targets[to].inside += 1;
                    self.targets[from].to.push(to);
                }
                // Several values at once may be held by others as well: what they lead to stays.
                Value::Tuple(items) => self.keep(&items),
                _ => {}
            }
        }
    }

    fn keep(&mut self, values: &[Value]) {
        for value in values {
            match value {
                Value::Object(object) => {
                    if let Some(&to) = self.places.get(&address(object)) {
                        self.targets[to].live = true;
                    }
                }
                Value::Array(array) if array.element_type().is_none() => {
                    let to = self.array(array.clone());
                    self.targets[to].live = true;
                }
                Value::Function(function) => {
                    let to = self.function(function.clone());
                    self.targets[to].live = true;
                }
                Value::Tuple(items) => self.keep(items),
                _ => {}
            }
        }
    }

    fn function(&mut self, function: Arc<dyn FunctionObject>) -> usize {
        let place = address(&function);
        if let Some(&known) = self.places.get(&place) {
            return known;
        }
        let target = self.targets.len();
        self.targets.push(Target::default());
        self.places.insert(place, target);
        let captured = function.captured();
        self.functions.push((function, target));
        self.references(target, captured);
        target
    }

    fn array(&mut self, array: Arc<dyn ArrayObject>) -> usize {
        let place = address(&array);
        *self.places.entry(place).or_insert_with(|| {
            self.targets.push(Target::default());
            self.arrays.push((array, self.targets.len() - 1, false));
            self.targets.len() - 1
        })
    }

    /// Counts what arrays hold. While others refer to an array they may change it: what it holds then stays. An array
    /// that only frozen objects refer to cannot change any more.
    fn open_arrays(&mut self) {
        loop {
            let ready = self.arrays.iter().position(|(array, target, open)| {
                // One reference is that of the list.
                !open
                    && !self.targets[*target].live
                    && Arc::strong_count(array) - 1 == self.targets[*target].inside
            });
            let Some(ready) = ready else { break };
            self.arrays[ready].2 = true;
            let (array, target) = (self.arrays[ready].0.clone(), self.arrays[ready].1);
            let items = self.items(&*array);
            self.references(target, items);
        }
        for k in 0..self.arrays.len() {
            let (array, target, open) = self.arrays[k].clone();
            if !open {
                self.targets[target].live = true;
                let items = self.items(&*array);
                self.keep(&items);
            }
        }
    }

    /// What an array holds, as far as nobody changes it.
    fn items(&mut self, array: &dyn ArrayObject) -> Vec<Value> {
        let itself: &dyn Any = array;
        let items = match itself.downcast_ref::<SharedArray>() {
            Some(shared) => shared.items_now(),
            None => Some(array::read(array, values)),
        };
        self.is_partial |= items.is_none();
        items.unwrap_or_default()
    }

    /// Marks what somebody outside refers to, and what that leads to.
    fn mark(&mut self, objects: &[Arc<dyn Object>]) {
        let mut open = Vec::new();
        for (target, object) in self.targets.iter_mut().zip(objects) {
            // One reference is that of the list.
            target.live |= Arc::strong_count(object) - 1 > target.inside;
        }
        for (function, target) in &self.functions {
            let target = &mut self.targets[*target];
            target.live |= Arc::strong_count(function) - 1 > target.inside;
        }
        open.extend((0..self.targets.len()).filter(|&k| self.targets[k].live));
        while let Some(k) = open.pop() {
            for to in std::mem::take(&mut self.targets[k].to) {
                if !self.targets[to].live {
                    self.targets[to].live = true;
                    open.push(to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::{Class, Field, FieldKind, Instance, Node};
    use super::*;
    use std::borrow::Cow;

    fn class() -> Arc<Class> {
        let field =
            |name| Field { name: Cow::Borrowed(name), inside: false, kind: FieldKind::Any, names: None };
        Arc::new(Class {
            name: Cow::Borrowed("node"),
            line: Cow::Borrowed(&[0]),
            fields: vec![field("next"), field("other")].into(),
            circular: true,
            mutable: true,
        })
    }

    fn node(next: Value) -> Value {
        Instance::object(class(), vec![next, Value::Null])
    }

    fn set(object: &Value, field: usize, value: Value) {
        let Value::Object(object) = object else { panic!("an object") };
        let node = object.as_any().downcast_ref::<Node<Instance>>().expect("an instance");
        node.replace(value, |fields| fields.place(field));
    }

    fn watched(value: &Value) -> Weak<dyn Object> {
        match value {
            Value::Object(object) => Arc::downgrade(object),
            _ => panic!("an object"),
        }
    }

    fn gone(object: &Weak<dyn Object>) -> bool {
        object.upgrade().is_none()
    }

    /// While one test changes an array, no collection of another one succeeds.
    static CHANGES: Mutex<()> = Mutex::new(());

    /// Other tests may collect at the same time, which changes nothing.
    fn collected(objects: &[&Weak<dyn Object>]) -> Vec<bool> {
        let _unchanged = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
        collect();
        objects.iter().map(|object| gone(object)).collect()
    }

    #[test]
    fn circles_go_when_nobody_refers_to_them() {
        let a = node(Value::Null);
        let b = node(a.clone());
        set(&a, 0, b.clone());
        let (a_weak, b_weak) = (watched(&a), watched(&b));
        drop(a);
        assert_eq!(collected(&[&a_weak, &b_weak]), [false, false]);
        drop(b);
        assert_eq!(collected(&[&a_weak, &b_weak]), [true, true]);
    }

    #[test]
    fn what_a_circle_refers_to_goes_with_it_unless_it_is_used_elsewhere() {
        let (kept, lost) = (node(Value::Null), node(Value::Null));
        let a = node(Value::Null);
        set(&a, 0, a.clone());
        set(&a, 1, Value::cell(vec![kept.clone(), lost.clone()]));
        let weak = [watched(&a), watched(&kept), watched(&lost)];
        drop((a, lost));
        assert_eq!(collected(&[&weak[0], &weak[1], &weak[2]]), [true, false, true]);
        drop(kept);
        assert!(gone(&weak[1]));
    }

    #[test]
    fn circles_through_arrays_go_too() {
        let parent = node(Value::Null);
        let child = node(parent.clone());
        let children = Value::cell(vec![child.clone(), Value::cell(vec![child.clone()])]);
        set(&parent, 1, children.clone());
        let weak = [watched(&parent), watched(&child)];
        drop((parent, child));
        assert_eq!(collected(&[&weak[0], &weak[1]]), [false, false], "somebody holds the array");
        drop(children);
        assert_eq!(collected(&[&weak[0], &weak[1]]), [true, true]);
    }

    #[test]
    fn a_collection_does_not_wait_for_an_array_that_somebody_changes() {
        let object = node(Value::Null);
        let items = Value::cell(vec![object.clone(), Value::Null]);
        set(&object, 0, items.clone());
        let weak = watched(&object);
        drop(object);
        let Value::Array(list) = &items else { panic!("an array") };
        // Who changes the array may wait for an object, which the collection has.
        let changes = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
        array::write(&**list, |_| std::thread::scope(|scope| _ = scope.spawn(collect).join()));
        drop(changes);
        assert!(!gone(&weak));
        drop(items);
        assert_eq!(collected(&[&weak]), [true]);
    }

    struct Captured(Vec<Value>);

    impl FunctionObject for Captured {
        fn describe(&self) -> String {
            "lambda()".into()
        }

        fn call(&self, _: &[Value]) -> Result<Vec<Value>, crate::value::ValueError> {
            Ok(Vec::new())
        }

        fn as_any(&self) -> &dyn std::any::Any {
            self
        }

        fn captured(&self) -> Vec<Value> {
            self.0.clone()
        }
    }

    #[test]
    fn circles_through_functions_go_unless_the_function_is_in_use() {
        let object = node(Value::Null);
        let function = Value::Function(Arc::new(Captured(vec![Value::cell(vec![object.clone()])])));
        set(&object, 0, function.clone());
        set(&object, 1, function.clone());
        let weak = watched(&object);
        drop(object);
        assert_eq!(collected(&[&weak]), [false], "somebody may call the function");
        drop(function);
        assert_eq!(collected(&[&weak]), [true]);
    }

    #[test]
    fn long_lists_go_without_recursion() {
        let mut list = Value::Null;
        for _ in 0..200_000 {
            list = node(list);
        }
        let last = watched(&list);
        drop(list);
        assert!(gone(&last));
    }
}
