//! The table of classes.

use crate::ir::{Class, Field};
use crate::sema::model::SemanticModel;
use crate::types::{ClassType, Type};
use std::collections::BTreeSet;

/// The classes of a unit by their ids.
pub(super) fn of(model: &SemanticModel) -> Vec<Class> {
    let fields = |fields: &[(String, Type)]| {
        fields.iter().map(|(name, ty)| Field { name: name.clone(), ty: ty.clone() }).collect()
    };
    let classes = model.classes.iter();
    classes
        .map(|(ty, own)| Class { ty: ty.clone(), fields: fields(own), circular: is_circular(model, ty) })
        .collect()
}

/// Whether references from an object of the class may lead back to it.
fn is_circular(model: &SemanticModel, class: &ClassType) -> bool {
    let mut reached = BTreeSet::new();
    let mut open = vec![class.id];
    while let Some(id) = open.pop() {
        for (_, ty) in model.classes.get(id.0 as usize).map_or(&[][..], |(_, fields)| fields) {
            if leads_back(model, ty, class, &mut |next| {
                if reached.insert(next) {
                    open.push(next);
                }
            }) {
                return true;
            }
        }
    }
    false
}

/// Whether a value of a type may be, or hold, an object of the class; names the other classes that it may lead to.
fn leads_back(
    model: &SemanticModel,
    ty: &Type,
    class: &ClassType,
    reach: &mut dyn FnMut(crate::types::ClassId),
) -> bool {
    match ty {
        Type::Dynamic | Type::Function(_) => true,
        Type::Array(array) => leads_back(model, &array.element, class, reach),
        Type::Class(found) | Type::Pointer(found) => {
            // What inherits from the class that is declared may stand there as well.
            let heirs = model.classes.iter().filter(|(heir, _)| heir.steps_to(found).is_some());
            heirs.clone().for_each(|(heir, _)| reach(heir.id));
            heirs.clone().any(|(heir, _)| heir.id == class.id)
        }
        _ => false,
    }
}
