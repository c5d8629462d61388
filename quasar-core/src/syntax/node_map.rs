//! A map from node ids to values. Nodes of one function have contiguous ids, so they use a dense vector; synthesised
//! nodes use a tree map.

use super::ast::NodeId;
use std::collections::BTreeMap;
use std::fmt;

/// A map from node ids to values.
#[derive(Clone)]
pub struct NodeMap<V> {
    /// The id of the first slot.
    first: u32,
    slots: Vec<Option<V>>,
    /// Values of synthesised nodes.
    made: BTreeMap<NodeId, V>,
}

impl<V> NodeMap<V> {
    /// An empty map.
    pub fn new() -> Self {
        NodeMap { first: 0, slots: Vec::new(), made: BTreeMap::new() }
    }

    /// Sets the value of a node.
    pub fn insert(&mut self, id: NodeId, value: V) {
        if id.is_synthetic() {
            self.made.insert(id, value);
            return;
        }
        let place = self.make_room(id);
        self.slots[place] = Some(value);
    }

    /// The value of a node.
    pub fn get(&self, id: &NodeId) -> Option<&V> {
        match self.slots.get(id.0.wrapping_sub(self.first) as usize) {
            Some(slot) => slot.as_ref(),
            None => self.made.get(id),
        }
    }

    /// Whether a node has a value.
    pub fn contains_key(&self, id: &NodeId) -> bool {
        self.get(id).is_some()
    }

    /// Removes and returns the value of a node.
    pub fn remove(&mut self, id: &NodeId) -> Option<V> {
        match self.slots.get_mut(id.0.wrapping_sub(self.first) as usize) {
            Some(slot) => slot.take(),
            None => self.made.remove(id),
        }
    }

    /// Nodes and values in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &V)> {
        let ids = (self.first..).map(NodeId);
        let read = ids.zip(&self.slots).filter_map(|(id, slot)| Some((id, slot.as_ref()?)));
        read.chain(self.made.iter().map(|(id, value)| (*id, value)))
    }

    /// The values in the order of the ids.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.slots.iter().flatten().chain(self.made.values())
    }

    /// As [`NodeMap::values`], with mutable values.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.slots.iter_mut().flatten().chain(self.made.values_mut())
    }

    /// The slot of a node; grows the slots if necessary.
    fn make_room(&mut self, id: NodeId) -> usize {
        if self.slots.is_empty() {
            self.first = id.0;
        }
        if id.0 < self.first {
            // Amortised growth, since more nodes follow in front of this one.
            let more = (self.first - id.0).max(self.slots.len() as u32).min(self.first);
            self.slots.splice(0..0, (0..more).map(|_| None));
            self.first -= more;
        }
        let place = (id.0 - self.first) as usize;
        if place >= self.slots.len() {
            self.slots.resize_with(place + 1, || None);
        }
        place
    }
}

impl<V> Default for NodeMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for NodeMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn nodes_come_in_any_order() {
        let ids = [70, 69, 75, 3, 200, 68, 0, 75, 1, 199];
        let (mut map, mut expected) = (NodeMap::new(), BTreeMap::new());
        for (value, id) in ids.into_iter().enumerate() {
            map.insert(NodeId(id), value);
            expected.insert(NodeId(id), value);
            assert_eq!(map.iter().map(|(id, v)| (id, *v)).collect::<BTreeMap<_, _>>(), expected);
        }
        assert_eq!(map.remove(&NodeId(75)), Some(7));
        assert_eq!((map.remove(&NodeId(75)), map.remove(&NodeId(1000))), (None, None));
        assert!(map.contains_key(&NodeId(0)) && !map.contains_key(&NodeId(2)));
        map.values_mut().for_each(|v| *v += 1);
        assert_eq!(map.values().copied().collect::<Vec<_>>(), [7, 9, 4, 6, 2, 1, 10, 5]);
    }

    #[test]
    fn made_nodes_need_no_list() {
        let mut map = NodeMap::new();
        let (made, other) = (NodeId::made(5), NodeId::made(1_000_000));
        map.insert(made, 1);
        map.insert(NodeId(7), 2);
        map.insert(other, 3);
        assert_eq!(
            map.iter().map(|(id, v)| (id, *v)).collect::<Vec<_>>(),
            [(NodeId(7), 2), (made, 1), (other, 3)]
        );
        assert_eq!((map.remove(&other), map.remove(&other), map.get(&made)), (Some(3), None, Some(&1)));
        assert!(map.slots.len() < 10 && map.values().count() == 2);
    }

    #[test]
    fn no_values_are_there_at_first() {
        let mut map: NodeMap<u8> = NodeMap::default();
        assert_eq!(map.remove(&NodeId(5)), None);
        assert_eq!((map.get(&NodeId(0)), map.iter().count()), (None, 0));
    }
}
