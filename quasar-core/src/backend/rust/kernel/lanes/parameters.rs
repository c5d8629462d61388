//! What functions of lanes are called with: the position, arrays, and places for vectors that cross the border of their array.

use super::super::super::code::{Code, Ident, quote};
use super::super::super::names::{self, number};
use super::super::super::params::point_type;
use super::super::super::stmt::anonymous;
use super::super::super::types;
use super::super::Shaped;
use super::super::cpu_rows::used_variables;
use super::{Form, LaneCode, Role};
use crate::analysis::access_pattern::AccessPattern;
use crate::ir::Kernel;
use crate::types::ElementType;

/// Places for vectors that cross the border of their array, with their names.
pub(super) type Spares = Vec<(Ident, ElementType, usize)>;

impl LaneCode<'_> {
    /// The places that the printed code needs, and their declarations.
    pub(super) fn spares(&self) -> (Spares, Code) {
        let name = |(k, (element, apart))| (self.role.spare(self.form, k), element, apart);
        let spares: Spares = self.spares.take().into_iter().enumerate().map(name).collect();
        let once = spares.iter().map(|(t, element, apart)| {
            let (e, apart) = (types::element(*element), number(*apart));
            quote!(let mut #t = [[<#e>::default(); #apart]; lib::MAX_LANES];)
        });
        let once = once.collect();
        (spares, once)
    }
}

impl Role {
    /// The name of a place for a vector.
    pub(super) fn spare(self, form: Form, k: usize) -> Ident {
        let prefix = match (self, form) {
            (Role::Whole | Role::Threads, Form::Row) => "t",
            (Role::Whole | Role::Threads, Form::Tile { .. }) => "tt",
            (Role::Whole | Role::Threads, Form::Collapsed) => "tc",
            (Role::Part { .. }, _) => "tp",
            (Role::Values { .. } | Role::Across { .. }, _) => "tv",
        };
        anonymous(prefix, k)
    }
}

/// The parameters of the function for one vector, and what the code of a row gives for them.
pub(super) fn parameters(shaped: &Shaped<'_>, kernel: &Kernel, form: Form, spares: &Spares) -> (Code, Code) {
    let (mut params, mut args) = (Code::new(), Code::new());
    for axis in 0..kernel.rank - 1 - usize::from(form == Form::Collapsed) {
        let p = names::position(axis);
        params.extend(quote!(#p: i32,));
        args.extend(quote!(#p,));
    }
    let used = used_variables(kernel);
    for &param in &kernel.body.params {
        let (v, ty) = (names::local(param), &kernel.body.variables[param].ty);
        match shaped.reaches.get(&param).map(|reach| point_type(*reach, kernel, param)) {
            Some(Some(ty)) => {
                params.extend(quote!(#v: #ty,));
                args.extend(quote!(&mut #v,));
            }
            None if used.contains(&param) => {
                let ty = types::device(ty);
                params.extend(quote!(#v: #ty,));
                args.extend(quote!(#v,));
            }
            _ => {}
        }
    }
    // Updates of tables say which index is outside.
    if shaped.reaches.values().any(|reach| matches!(reach, AccessPattern::Histogram(_))) {
        params.extend(quote!(fault: &lib::Fault,));
        args.extend(quote!(fault,));
    }
    for (t, element, apart) in spares {
        let (e, apart) = (types::element(*element), number(*apart));
        params.extend(quote!(#t: &mut [[#e; #apart]; lib::MAX_LANES],));
        args.extend(quote!(&mut #t,));
    }
    (params, args)
}
