//! Classes as types. The table of classes of the unit holds their fields.

use super::resolve::Bound;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Identifies a class of the unit; a parametric class has one id for each list of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// A class with its base class. Classes are equal if their ids are.
#[derive(Clone, Debug)]
pub struct ClassType {
    /// Index in the table of classes.
    pub id: ClassId,
    /// Spelling with arguments: `pair[int,scalar]`.
    pub name: String,
    /// The values of its parameters.
    pub args: Vec<Bound>,
    /// The base class.
    pub base: Option<Arc<ClassType>>,
    /// Whether fields of its objects may be changed.
    pub mutable: bool,
}

impl PartialEq for ClassType {
    fn eq(&self, other: &ClassType) -> bool {
        self.id == other.id
    }
}

impl Eq for ClassType {}

impl Hash for ClassType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl ClassType {
    /// The class and its ancestors, nearest first.
    pub fn line(self: &Arc<Self>) -> impl Iterator<Item = &Arc<ClassType>> {
        std::iter::successors(Some(self), |class| class.base.as_ref())
    }

    /// The number of inheritance steps from this class to `other`, if it is or derives from that.
    pub fn steps_to(self: &Arc<Self>, other: &ClassType) -> Option<u32> {
        self.line().position(|class| class.id == other.id).map(|steps| steps as u32)
    }

    /// The nearest common ancestor.
    pub fn common(self: &Arc<Self>, other: &Arc<ClassType>) -> Option<Arc<ClassType>> {
        self.line().find(|class| other.steps_to(class).is_some()).cloned()
    }

    /// The name without arguments.
    pub fn plain_name(&self) -> &str {
        self.name.split('[').next().unwrap_or_default()
    }

    /// The topmost ancestor.
    pub fn root(self: &Arc<Self>) -> &Arc<ClassType> {
        self.line().last().unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(id: u32, base: Option<&Arc<ClassType>>) -> Arc<ClassType> {
        let name = format!("c{id}");
        Arc::new(ClassType { id: ClassId(id), name, args: Vec::new(), base: base.cloned(), mutable: true })
    }

    #[test]
    fn lines_meet_where_they_have_a_class_in_common() {
        let animal = class(0, None);
        let bird = class(1, Some(&animal));
        let duck = class(2, Some(&bird));
        let dog = class(3, Some(&animal));
        assert_eq!(duck.steps_to(&animal), Some(2));
        assert_eq!(animal.steps_to(&duck), None);
        assert_eq!(duck.common(&dog), Some(animal.clone()));
        assert_eq!(duck.common(&bird), Some(bird.clone()));
        assert_eq!(duck.root(), &animal);
        assert_eq!(class(9, None).common(&dog), None);
    }
}
