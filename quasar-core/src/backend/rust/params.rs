//! How kernels declare their parameters.

use super::code::{Code, quote};
use super::names::{self, number};
use super::types::{self, array_element, rank};
use crate::analysis::access_pattern::{AccessPattern, HistogramKind};
use crate::ir::{Kernel, VarId};
use crate::types::Type;
use std::collections::BTreeMap;

/// The parameters of one kernel in the printed code.
pub(super) struct Params {
    pub(super) pattern: Code,
    pub(super) ty: Code,
}

pub(super) fn params(reaches: &BTreeMap<VarId, AccessPattern>, kernel: &Kernel) -> Option<Params> {
    let (mut pattern, mut ty) = (quote!(()), quote!(()));
    for &param in kernel.body.params.iter().rev() {
        let name = names::local(param);
        let declared = &kernel.body.variables[param].ty;
        let own = match reaches.get(&param) {
            Some(reach) => view_type(*reach, declared, read_view(kernel, param), quote!('a))?,
            None => types::device(declared)?,
        };
        pattern = quote!((mut #name, #pattern));
        ty = quote!((#own, #ty));
    }
    Some(Params { pattern, ty })
}

/// The kind of view through which a kernel reads an array: of all rows, or of those in a line buffer.
pub(super) fn read_view(kernel: &Kernel, param: VarId) -> Code {
    if kernel.schedule.rows.contains_key(&param) { quote!(Rows) } else { quote!(View) }
}

/// The type of an array argument of a launch.
fn view_type(reach: AccessPattern, ty: &Type, read: Code, lifetime: Code) -> Option<Code> {
    let (e, n) = (types::element(array_element(ty)?), number(rank(ty)?));
    Some(match reach {
        AccessPattern::ReadOnly => quote!(lib::#read<#lifetime, #e, #n>),
        AccessPattern::OwnRows { .. } => quote!(lib::Band<#lifetime, #e, #n>),
        AccessPattern::Bands { count } => {
            let count = number(count);
            quote!(lib::Bands<#lifetime, #e, #n, #count>)
        }
        AccessPattern::AxisSlices { axis } => {
            let axis = number(axis);
            quote!(lib::AxisSlices<#lifetime, #e, #n, #axis>)
        }
        AccessPattern::Scatter => quote!(lib::Scatter<#lifetime, #e, #n>),
        AccessPattern::Histogram(_) => quote!(&#lifetime lib::Tally<#lifetime, #e, lib::Add, #n>),
        AccessPattern::Exclusive => quote!(lib::Whole<#lifetime, #e, #n>),
        AccessPattern::Cells => quote!(lib::Cells<#lifetime, #e, #n>),
    })
}

/// The type by which the code of a position gets an array.
pub(super) fn point_type(reach: AccessPattern, kernel: &Kernel, param: VarId) -> Option<Code> {
    let (ty, read) = (&kernel.body.variables[param].ty, read_view(kernel, param));
    let (e, n) = (types::element(array_element(ty)?), number(rank(ty)?));
    Some(match reach {
        AccessPattern::ReadOnly => quote!(&mut lib::#read<'_, #e, #n>),
        AccessPattern::OwnRows { .. } => quote!(&mut lib::Band<'_, #e, #n>),
        AccessPattern::Bands { count } => {
            let count = number(count);
            quote!(&mut lib::Bands<'_, #e, #n, #count>)
        }
        AccessPattern::AxisSlices { axis } => {
            let axis = number(axis);
            quote!(&mut lib::AxisSlices<'_, #e, #n, #axis>)
        }
        AccessPattern::Scatter => quote!(&mut lib::Scatter<'_, #e, #n>),
        AccessPattern::Histogram(HistogramKind::Counts) => quote!(&mut lib::ByteCounts),
        AccessPattern::Histogram(HistogramKind::Bytes) => quote!(&mut lib::ByteTables<#e>),
        AccessPattern::Histogram(HistogramKind::Any) => quote!(&mut lib::Table<'_, '_, #e, lib::Add, #n>),
        AccessPattern::Exclusive => quote!(&mut lib::Whole<'_, #e, #n>),
        AccessPattern::Cells => quote!(&mut lib::Cells<'_, #e, #n>),
    })
}
