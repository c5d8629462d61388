//! Powers with one exponent for all positions: rows are first computed in the way that is quick for ordinary numbers,
//! and again in the general way where they hold others.

use super::super::code::{Code, quote};
use super::super::expr::Printer;
use super::super::stmt::anonymous;
use super::super::types::scalar;
use super::{Found, Shaped};
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::idempotence;
use crate::analysis::innermost_invariance::{RowInvariance, total};
use crate::ir::{Expr, ExprKind, Kernel, VarId};
use crate::types::ElementType;
use quasar_devicelib::ops::Row;
use std::collections::BTreeMap;

/// Whether the rows of a kernel may be computed twice.
pub(super) fn repeatable(kernel: &Kernel, reaches: &BTreeMap<VarId, AccessPattern>) -> bool {
    let own = |reach: &AccessPattern| {
        matches!(reach, AccessPattern::ReadOnly | AccessPattern::OwnRows { row: true, .. })
    };
    kernel.body.results.is_empty() && reaches.values().all(own) && idempotence::repeatable(&kernel.body.block)
}

/// Whether an exponent stands as it is before all positions.
fn fixed(uniform: &RowInvariance<'_>, exponent: &Expr) -> bool {
    match &exponent.kind {
        ExprKind::Constant(_) => true,
        ExprKind::Local(_) => uniform.holds(exponent),
        ExprKind::Convert(inner) => total(inner, exponent) && fixed(uniform, inner),
        _ => false,
    }
}

impl Shaped<'_> {
    /// A power in single precision whose exponent is one for all positions.
    pub(in super::super) fn power(
        &self,
        printer: &mut Printer<'_>,
        row: &Row,
        args: &[Expr],
    ) -> Option<Code> {
        let [base, exponent] = args else { return None };
        let single = scalar(&base.ty) == Some(ElementType::Single);
        let uniform = self.uniform();
        if !self.repeatable || row.symbol != "power" || !single || !fixed(&uniform, exponent) {
            return None;
        }
        let (x, y) = (printer.value(base), printer.value(exponent));
        let k = self.hoisted(quote!(ops::Exponent::new::<I>(#y)), quote!(ops::Exponent));
        self.found.borrow_mut().exponents.insert(k);
        let (u, met) = (anonymous("u", k), anonymous("met", k));
        Some(quote!(#u.power::<I, QUICK>(#y, #x, &mut #met)))
    }
}

/// The parts of a row's function and of its calls that make it one with a quick form; all empty where it has none.
#[derive(Default)]
pub(super) struct Quick {
    /// The parameter that chooses the form.
    pub(super) mode: Code,
    /// The argument for the general form.
    pub(super) general: Code,
    pub(super) result: Code,
    /// What powers have met.
    pub(super) met: Code,
    /// Whether the row is right.
    pub(super) verdict: Code,
    /// Whether the quick form can be right.
    serves: Option<Code>,
}

pub(super) fn printed(found: &Found) -> Quick {
    if found.exponents.is_empty() {
        return Quick::default();
    }
    let exponents: Vec<_> = found.exponents.iter().map(|k| anonymous("u", *k)).collect();
    let met: Vec<_> = found.exponents.iter().map(|k| anonymous("met", *k)).collect();
    Quick {
        mode: quote!(, const QUICK: bool),
        general: quote!(, false),
        result: quote!(-> bool),
        met: quote!(#(let mut #met = 0_u32;)*),
        verdict: quote!(!QUICK || (#(#exponents.covers(#met))&&*)),
        serves: Some(quote!(#(#exponents.serves())&&*)),
    }
}

impl Quick {
    /// The calls for one row, from what makes a call out of its form and its place for errors.
    pub(super) fn calls(&self, call: impl Fn(Code, Code) -> Code) -> Code {
        let general = call(self.general.clone(), quote!(fault));
        let Some(serves) = &self.serves else { return quote!(#general;) };
        // Errors of a trial are none: wrong numbers may have caused them.
        let trial = call(quote!(, true), quote!(&trial));
        quote! {
            if !(quick.is_wanted() && quick.note(#serves && #trial && !trial.is_set())) {
                #general;
            }
        }
    }
}

/// What stands before the walk over the rows.
pub(super) fn before(found: &Found) -> Code {
    if found.exponents.is_empty() {
        return Code::new();
    }
    quote!(let mut quick = lib::Quick::new(); let trial = lib::Fault::new();)
}
