//! The abstract state of the flow-sensitive inference: an environment of variables at one program point, and its join.

use super::model::{Constant, Mode};
use crate::source::Span;
use crate::syntax::ast::{FunctionKind, NodeId};
use crate::types::resolve::Access;
use crate::types::{Boundary, Type, lattice};
use std::collections::BTreeMap;

/// The unknown (SSA-like value number) under which the facts refer to a variable's current value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// Not assigned yet: created on demand.
    Unknown,
    /// This unknown.
    Value(u32),
    /// Never: other threads may change the variable.
    Volatile,
}

/// The state of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variable {
    /// The current type.
    pub(super) ty: Type,
    /// The type that an annotation fixed; the current one may know more sizes.
    pub(super) declared: Option<Type>,
    /// Access modifiers.
    pub(super) access: Access,
    /// The value, if it is a known constant.
    pub(super) value: Option<Constant>,
    /// The known components of an integer vector.
    pub(super) known_components: Option<Vec<Option<i64>>>,
    /// Whether it is definitely assigned, on every path.
    pub(super) definite: bool,
    /// Whether it is symbolic: an unknown number without a value.
    pub(super) symbolic: bool,
    /// Whether it is a special kernel parameter.
    pub(super) special: bool,
    /// The unique name, for a module-level variable that functions share.
    pub(super) global: Option<String>,
    /// The function or lambda whose own name this is, inside its body.
    pub(super) self_function: Option<NodeId>,
    /// The unknown of its value.
    pub(super) identity: Identity,
    /// The span of its introduction.
    pub(super) span: Span,
}

impl Variable {
    pub(super) fn new(ty: Type, span: Span) -> Variable {
        Variable {
            ty,
            declared: None,
            access: Access::default(),
            value: None,
            known_components: None,
            definite: true,
            symbolic: false,
            special: false,
            global: None,
            self_function: None,
            identity: Identity::Unknown,
            span,
        }
    }
}

/// All variables in scope, by name.
pub(super) type Environment = BTreeMap<String, Variable>;

/// The mode of a variable in a function of this kind; the default boundary mode depends on the kind.
pub(super) fn mode(access: Access, kind: FunctionKind) -> Mode {
    let default = match kind {
        FunctionKind::Host => Boundary::Checked,
        FunctionKind::Device | FunctionKind::Kernel => Boundary::Safe,
    };
    let Access { boundary, constant, shared, hardware_constant, nocopy, texture } = access;
    Mode { boundary: boundary.unwrap_or(default), constant, shared, hardware_constant, nocopy, texture }
}

/// Joins the states of a variable where two paths meet.
pub(super) fn join_variables(a: &Variable, b: &Variable) -> Variable {
    let ty = match &a.declared {
        Some(_) if a.ty == b.ty => a.ty.clone(),
        // A function type gives a signature, not the set of possible functions: join that set.
        Some(Type::Function(_)) => lattice::join(&a.ty, &b.ty),
        Some(fixed) => fixed.clone(),
        None => lattice::join(&a.ty, &b.ty),
    };
    Variable {
        ty,
        declared: a.declared.clone().filter(|_| b.declared.is_some()),
        access: Access {
            boundary: if a.access.boundary == b.access.boundary { a.access.boundary } else { None },
            constant: a.access.constant && b.access.constant,
            shared: a.access.shared && b.access.shared,
            hardware_constant: a.access.hardware_constant && b.access.hardware_constant,
            nocopy: a.access.nocopy && b.access.nocopy,
            texture: a.access.texture.filter(|_| a.access.texture == b.access.texture),
        },
        symbolic: a.symbolic && b.symbolic,
        value: if a.value == b.value { a.value.clone() } else { None },
        known_components: match (&a.known_components, &b.known_components) {
            (Some(x), Some(y)) if x.len() == y.len() => {
                Some(x.iter().zip(y).map(|(x, y)| if x == y { *x } else { None }).collect())
            }
            _ => None,
        },
        definite: a.definite && b.definite,
        special: a.special && b.special,
        global: a.global.clone(),
        self_function: if a.self_function == b.self_function { a.self_function } else { None },
        identity: match (a.identity, b.identity) {
            (one, other) if one == other => one,
            (Identity::Volatile, _) | (_, Identity::Volatile) => Identity::Volatile,
            _ => Identity::Unknown,
        },
        span: a.span,
    }
}

/// Joins the environments of all paths; a variable absent from some path becomes indefinite.
pub(super) fn join(paths: &[Environment]) -> Environment {
    let Some((first, rest)) = paths.split_first() else { return Environment::new() };
    let mut result = first.clone();
    for other in rest {
        for (name, variable) in &mut result {
            match other.get(name) {
                Some(theirs) => *variable = join_variables(variable, theirs),
                None => *variable = indefinite(variable),
            }
        }
        for (name, variable) in other {
            result.entry(name.clone()).or_insert_with(|| indefinite(variable));
        }
    }
    result
}

/// A variable that one of the paths does not assign: reading it may fail, so its value must not be assumed.
fn indefinite(variable: &Variable) -> Variable {
    Variable {
        definite: false,
        value: None,
        known_components: None,
        identity: Identity::Unknown,
        ..variable.clone()
    }
}
