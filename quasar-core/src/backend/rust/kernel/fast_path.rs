//! Rows that are first computed in the way that is quick for ordinary numbers, and again in the general way where they hold others:
//! powers with one exponent for all positions, conversions that fail for numbers out of range, and elements at indices that are
//! tested. What may fail is a branch for each position; noting that it would have failed is none, so that rows become vectors. Bytes as
//! indices of an array with an element for each need no note.

use super::super::code::{Code, quote};
use super::super::expr::Printer;
use super::super::names;
use super::super::stmt::anonymous;
use super::super::types::{self, array_element, scalar};
use super::{Found, Shaped};
use crate::analysis::access_pattern::AccessPattern;
use crate::analysis::idempotence;
use crate::analysis::innermost_invariance::RowInvariance;
use crate::ir::conversions::total;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Expr, ExprKind, Index, Kernel, StmtKind, VarId};
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

/// Whether conversions and tested indices get a quick form: where nothing but them keeps rows from being vectors. Rows that are too
/// long to be collapsed are visited so.
pub(super) fn speculates(kernel: &Kernel) -> bool {
    let mut straight = kernel.schedule.vector.is_none() && kernel.schedule.tile.is_none();
    visit_stmts(&kernel.body.block, &mut |stmt| {
        straight &= matches!(
            stmt.kind,
            StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::If { .. } | StmtKind::Call { .. }
        );
    });
    straight && kernel.parallel
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

/// Whether an index is a byte, so that none is outside of an array of 256 elements.
fn is_byte(index: &[Index]) -> bool {
    matches!(index, [Index::At(Expr { kind: ExprKind::Convert(byte), ty, .. })]
        if scalar(ty) == Some(ElementType::Int32) && scalar(&byte.ty) == Some(ElementType::UInt8))
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

    /// A conversion that fails for numbers out of range.
    pub(in super::super) fn narrow(
        &self,
        printer: &Printer<'_>,
        value: &Code,
        target: &Code,
        site: &Code,
    ) -> Option<Code> {
        self.noted(|| {
            printer.or_leave(&quote!(lib::narrow_or::<QUICK, _, #target>(#value, &mut here, fault, #site)))
        })
    }

    /// An element at an index that is tested.
    pub(in super::super) fn tested(
        &self,
        printer: &Printer<'_>,
        (variable, index): (VarId, &[Index]),
        at: &Code,
        site: &Code,
    ) -> Option<Code> {
        let elements = self.elements(variable)?;
        let array = names::local(variable);
        let tested = self.noted(|| {
            printer.or_leave(&quote!(#array.checked_or::<QUICK>(#elements, #at, &mut here, fault, #site)))
        })?;
        let Some(element) =
            array_element(&self.kernel.body.variables[variable].ty).filter(|_| is_byte(index))
        else {
            return Some(tested);
        };
        let element = types::element(element);
        let k = self.hoisted(quote!(lib::ByteTable::of(&#array)), quote!(lib::ByteTable<'_, #element>));
        self.found.borrow_mut().byte_tables.insert(k);
        let table = anonymous("u", k);
        Some(quote!(if BYTES { #table.at(#at) } else { #tested }))
    }

    /// Whether choices among variables are computed without branches.
    pub(in super::super) fn is_branchless(&self) -> bool {
        self.kernel.schedule.branchless
    }

    fn noted(&self, code: impl FnOnce() -> Code) -> Option<Code> {
        if !(self.repeatable && self.speculates) {
            return None;
        }
        self.found.borrow_mut().odd = true;
        Some(code())
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
    /// Whether arrays that bytes index have elements for all bytes.
    bytes: Option<Code>,
}

pub(super) fn printed(found: &Found) -> Quick {
    if found.exponents.is_empty() && !found.odd {
        return Quick::default();
    }
    let exponents: Vec<_> = found.exponents.iter().map(|k| anonymous("u", *k)).collect();
    let met: Vec<_> = found.exponents.iter().map(|k| anonymous("met", *k)).collect();
    let tables: Vec<_> = found.byte_tables.iter().map(|k| anonymous("u", *k)).collect();
    let bytes = (!tables.is_empty()).then(|| quote!(true #(&& #tables.serves())*));
    Quick {
        mode: if bytes.is_some() {
            quote!(, const QUICK: bool, const BYTES: bool)
        } else {
            quote!(, const QUICK: bool)
        },
        general: if bytes.is_some() { quote!(, false, false) } else { quote!(, false) },
        bytes,
        result: quote!(-> bool),
        met: quote!(let mut odd = 0_u32; #(let mut #met = 0_u32;)*),
        verdict: quote!(!QUICK || (odd == 0 #(&& #exponents.covers(#met))*)),
        serves: Some(quote!(true #(&& #exponents.serves())*)),
    }
}

/// What stands around the code of a position: what would have failed there is odd.
pub(super) fn notes(found: &Found) -> (Code, Code) {
    match found.odd {
        true => (quote!(let mut here = 0_u32;), quote!(odd |= u32::from(here >= ops::ODD);)),
        false => Default::default(),
    }
}

impl Quick {
    /// The calls for one row, from what makes a call out of its form and its place for errors.
    pub(super) fn calls(&self, call: impl Fn(Code, Code) -> Code) -> Code {
        let general = call(self.general.clone(), quote!(fault));
        let Some(serves) = &self.serves else { return quote!(#general;) };
        // Errors of a trial are none: wrong numbers may have caused them.
        let form = |mode: Code| call(mode, quote!(&trial));
        let trial = match &self.bytes {
            None => form(quote!(, true)),
            Some(bytes) => {
                let (with, without) = (form(quote!(, true, true)), form(quote!(, true, false)));
                quote!((if #bytes { #with } else { #without }))
            }
        };
        quote! {
            if !(quick.is_wanted() && quick.note(#serves && #trial && !trial.is_set())) {
                #general;
            }
        }
    }
}

/// What stands before the walk over the rows.
pub(super) fn before(found: &Found) -> Code {
    if found.exponents.is_empty() && !found.odd {
        return Code::new();
    }
    quote!(let mut quick = lib::Quick::new(); let trial = lib::Fault::new();)
}
