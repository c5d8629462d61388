//! How kernels declare their parameters.

use super::code::{Code, quote};
use super::names::{self, number};
use super::types::{self, array_element, rank};
use crate::analysis::reach::{Reach, Table};
use crate::ir::{Kernel, VarId};
use crate::types::Type;
use std::collections::BTreeMap;

/// The parameters of one kernel in the printed code.
pub(super) struct Params {
    pub(super) pattern: Code,
    pub(super) ty: Code,
}

pub(super) fn params(reaches: &BTreeMap<VarId, Reach>, kernel: &Kernel) -> Option<Params> {
    let (mut pattern, mut ty) = (quote!(()), quote!(()));
    for &param in kernel.body.params.iter().rev() {
        let name = names::local(param);
        let declared = &kernel.body.variables[param].ty;
        let own = match reaches.get(&param) {
            Some(reach) => view_type(*reach, declared, quote!('a))?,
            None => types::device(declared)?,
        };
        pattern = quote!((mut #name, #pattern));
        ty = quote!((#own, #ty));
    }
    Some(Params { pattern, ty })
}

/// The type of an array argument of a launch.
fn view_type(reach: Reach, ty: &Type, lifetime: Code) -> Option<Code> {
    let (e, n) = (types::element(array_element(ty)?), number(rank(ty)?));
    Some(match reach {
        Reach::View => quote!(lib::View<#lifetime, #e, #n>),
        Reach::Band { .. } => quote!(lib::Band<#lifetime, #e, #n>),
        Reach::Scatter => quote!(lib::Scatter<#lifetime, #e, #n>),
        Reach::Tally(_) => quote!(&#lifetime lib::Tally<#lifetime, #e, lib::Add, #n>),
        Reach::Whole => quote!(lib::Whole<#lifetime, #e, #n>),
        Reach::Cells => quote!(lib::Cells<#lifetime, #e, #n>),
    })
}

/// The type by which the code of a position gets an array.
pub(super) fn point_type(reach: Reach, ty: &Type) -> Option<Code> {
    let (e, n) = (types::element(array_element(ty)?), number(rank(ty)?));
    Some(match reach {
        Reach::View => quote!(&mut lib::View<'_, #e, #n>),
        Reach::Band { .. } => quote!(&mut lib::Band<'_, #e, #n>),
        Reach::Scatter => quote!(&mut lib::Scatter<'_, #e, #n>),
        Reach::Tally(Table::Counts) => quote!(&mut lib::ByteCounts),
        Reach::Tally(Table::Bytes) => quote!(&mut lib::ByteTables<#e>),
        Reach::Tally(Table::Any) => quote!(&mut lib::Table<'_, '_, #e, lib::Add, #n>),
        Reach::Whole => quote!(&mut lib::Whole<'_, #e, #n>),
        Reach::Cells => quote!(&mut lib::Cells<'_, #e, #n>),
    })
}
