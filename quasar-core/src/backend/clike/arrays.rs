//! Prints array accesses: indices, boundary modes, and the statements that modify elements.

use super::expr::{Printed, Printer, apply, extent_name, local_name, zero};
use super::grid_stride::own_name;
use super::types::{array_element, fixed, rank, suffix};
use super::{Malformed, Site, Space, malformed};
use crate::ir::effects::is_invariant;
use crate::ir::schedule::BlockHistogram;
use crate::ir::versions::IndexFact;
use crate::ir::{Expr, ExprKind, Index, VarId};
use crate::source::Span;
use crate::types::{Boundary, ElementType, Type};
use quasar_devicelib::ops::Row;

/// An element as an lvalue, with the condition under which it exists (`None`: always).
pub(super) struct Element {
    condition: Option<String>,
    place: String,
    space: Space,
    element: ElementType,
    /// Indices and extents, for error messages.
    index: Vec<String>,
    dims: Vec<String>,
}

/// `array[index] op= value`
pub(super) struct Update<'e> {
    pub(super) array: &'e Expr,
    pub(super) index: &'e [Index],
    pub(super) boundary: Boundary,
    pub(super) row: &'static Row,
    pub(super) value: &'e Expr,
    pub(super) atomic: bool,
    pub(super) result: Option<VarId>,
    pub(super) span: Span,
}

/// `result = (array[index] <- value)`
pub(super) struct Exchange<'e> {
    pub(super) array: &'e Expr,
    pub(super) index: &'e [Index],
    pub(super) boundary: Boundary,
    pub(super) value: &'e Expr,
    pub(super) expected: Option<&'e Expr>,
    pub(super) result: Option<VarId>,
    pub(super) span: Span,
}

impl Printer<'_, '_> {
    fn extents_of(&mut self, array: &Expr, span: Span) -> Result<Vec<String>, Malformed> {
        if self.is_kept(array)
            && let Some(sizes) = fixed(&array.ty)
        {
            return Ok(sizes.iter().map(usize::to_string).collect());
        }
        let ExprKind::Local(v) = array.kind else {
            return malformed(span, "an element of this value");
        };
        match rank(&self.body.variables[v].ty) {
            Some(rank) => Ok((0..rank).map(|axis| extent_name(v, axis)).collect()),
            None => malformed(span, "an array of unknown rank"),
        }
    }

    /// The lvalue of an element in the boundary mode, with its indices evaluated.
    fn element(
        &mut self,
        array: &Expr,
        index: &[Index],
        boundary: Boundary,
        span: Span,
    ) -> Result<Element, Malformed> {
        let dims = self.extents_of(array, span)?;
        let Some(element) = array_element(&array.ty) else {
            return malformed(span, "an array of this type");
        };
        if index.len() != dims.len() {
            return malformed(span, "an element of an array of another rank");
        }
        if let Some(own) = self.own_element(array, index, element) {
            return Ok(own);
        }
        let mut positions = Vec::new();
        for each in index {
            let Index::At(e) = each else { return malformed(span, "a slice whose size is not known") };
            positions.push(e);
        }
        let constant = |k: usize| match &index[k] {
            Index::At(e) => e.constant_int(),
            _ => None,
        };
        // A constant index in a known extent, and an index in bounds by loop versioning, needs no check.
        let facts: Vec<IndexFact> = (0..positions.len()).map(|axis| self.index_fact(index, axis)).collect();
        let inside: Vec<bool> = facts.iter().map(|fact| *fact == IndexFact::InBounds).collect();
        let safe: Vec<bool> = (0..positions.len())
            .map(|k| {
                let n = dims[k].parse::<i64>().ok();
                inside[k] || constant(k).zip(n).is_some_and(|(i, n)| i >= 0 && i64::from(i) < n)
            })
            .collect();
        let recorded = matches!(boundary, Boundary::Checked | Boundary::Safe) && safe.contains(&false);
        let mut at = Vec::new();
        for (k, e) in positions.iter().enumerate() {
            // A sum known to be in bounds may be computed in the offset type, since it cannot wrap around.
            let wide = inside[k] && !recorded || boundary == Boundary::Unchecked && self.is_wide(e);
            at.push(if wide { self.wide(e)? } else { self.steady(e)? });
        }
        let (mut mapped, mut conditions) = (Vec::new(), Vec::new());
        for (k, (i, n)) in at.iter().zip(&dims).enumerate() {
            let map = match boundary {
                _ if safe[k] => None,
                Boundary::Circular if facts[k] == IndexFact::Near => Some("periodize_near"),
                Boundary::Circular => Some("periodize"),
                Boundary::Mirror if facts[k] == IndexFact::Near => Some("mirror_near"),
                Boundary::Mirror => Some("mirror"),
                Boundary::Clamped => Some("clamp_index"),
                Boundary::Checked | Boundary::Safe => {
                    conditions.push(format!("q_in_range({i}, {n})"));
                    None
                }
                Boundary::Unchecked => None,
            };
            mapped.push(match map {
                Some(map) => {
                    let value = format!("q_{map}({i}, {n})");
                    self.kept_ahead(positions[k], value)
                }
                None => i.clone(),
            });
        }
        let mut offset = format!("(Q_INDEX)({})", mapped.first().map_or("0", String::as_str));
        for (i, n) in mapped.iter().zip(&dims).skip(1) {
            offset = format!("({offset} * {n} + {i})");
        }
        let (place, space) = match array.kind {
            ExprKind::Local(v) if self.in_memory.contains_key(&v) => (
                format!("{}[{offset}]", local_name(v)),
                self.in_memory.get(&v).copied().unwrap_or(Space::Global),
            ),
            _ => (format!("{}.e[{offset}]", self.value(array)?), Space::Private),
        };
        let condition = (!conditions.is_empty()).then(|| conditions.join(" && "));
        Ok(Element { condition, place, space, element, index: at, dims })
    }

    /// The register that holds the element at the thread's own position.
    fn own_element(&self, array: &Expr, index: &[Index], element: ElementType) -> Option<Element> {
        let ExprKind::Local(v) = array.kind else { return None };
        if !self.version?.is_own(self.numbers.access(index)?) {
            return None;
        }
        let (place, space) = (format!("{}[c]", own_name(v)), Space::Private);
        Some(Element { condition: None, place, space, element, index: Vec::new(), dims: Vec::new() })
    }

    /// What the version knows of an index.
    fn index_fact(&self, index: &[Index], axis: usize) -> IndexFact {
        match (self.version, self.numbers.access(index)) {
            (Some(version), Some(access)) => version.index(access, axis),
            _ => IndexFact::Unknown,
        }
    }

    /// An index as a name; one that is invariant in the thread or in the unrolled loop is hoisted.
    fn steady(&mut self, index: &Expr) -> Printed {
        if self.hoisted.is_some() && self.never_changes(index) || self.stays(index) {
            let value = self.value(index)?;
            return Ok(self.kept_ahead(index, value));
        }
        self.simple(index)
    }

    /// Hoists a value that depends only on an index: to the front of the version for register tiles that share it, or
    /// in front of the unrolled loop.
    fn kept_ahead(&mut self, index: &Expr, value: String) -> String {
        if super::expr::is_word(&value) {
            return value;
        }
        if self.hoisted.is_some() && self.never_changes(index) {
            return self.hoisted.as_mut().map_or(value.clone(), |ahead| named(ahead, "m", value));
        }
        if self.stays(index) {
            self.temporaries += 1;
            let name = format!("t{}_", self.temporaries);
            return self
                .before
                .as_mut()
                .map_or(value.clone(), |before| named(&mut before.values, &name, value));
        }
        value
    }

    /// Whether an expression is invariant in the enclosing unrolled loop, if there is one.
    fn stays(&self, expr: &Expr) -> bool {
        self.before.as_ref().is_some_and(|before| is_invariant(expr, |v| !before.changing.contains(&v)))
    }

    /// Whether an expression is invariant over the whole thread.
    fn never_changes(&self, expr: &Expr) -> bool {
        let fixed = |v: VarId| self.version.is_some_and(|version| version.fixed.contains(&v));
        is_invariant(expr, |v| self.in_memory.contains_key(&v) || fixed(v))
    }

    /// Whether an index is a variable that is also declared in the offset type.
    fn is_wide(&self, index: &Expr) -> bool {
        matches!(index.kind, ExprKind::Local(v) if self.wide.contains(&v))
    }

    /// An index computed in the offset type, where no subexpression wraps around.
    fn wide(&mut self, index: &Expr) -> Printed {
        let parts = match &index.kind {
            ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
                ("add", [a, b]) => Some((a, "+", b)),
                ("subtract", [a, b]) => Some((a, "-", b)),
                ("multiply", [a, b]) => Some((a, "*", b)),
                ("negate", [x]) => return Ok(format!("(-{})", self.wide(x)?)),
                _ => None,
            },
            ExprKind::Local(v) if self.is_wide(index) => return Ok(super::expr::wide_name(*v)),
            ExprKind::Convert(inner) if super::types::scalar(&inner.ty) == Some(ElementType::Int32) => {
                return self.wide(inner);
            }
            _ => None,
        };
        match parts {
            Some((a, sign, b)) => Ok(format!("({} {sign} {})", self.wide(a)?, self.wide(b)?)),
            None => Ok(format!("(Q_INDEX){}", self.simple(index)?)),
        }
    }

    /// Loads an element.
    pub(super) fn load(&mut self, array: &Expr, index: &[Index], boundary: Boundary, expr: &Expr) -> Printed {
        if super::types::scalar(&expr.ty).is_none() {
            return malformed(expr.span, "a slice whose size is not known");
        }
        let mut found = self.element(array, index, boundary, expr.span)?;
        self.seen_by_all(&mut found);
        let Some(condition) = &found.condition else { return Ok(found.place) };
        if boundary == Boundary::Checked {
            let result = self.declare(&expr.ty, expr.span)?;
            self.lines.push(format!("{result} = {};", zero(found.element)));
            self.lines.push(format!("if ({condition}) {result} = {};", found.place));
            self.lines.open("else {");
            self.out_of_bounds(array, &found, expr.span);
            self.lines.close("}");
            return Ok(result);
        }
        Ok(format!("({condition} ? {} : {})", found.place, zero(found.element)))
    }

    /// Where threads communicate through exchanges, loads are volatile, so that a thread sees memory rather than values
    /// cached in registers. A struct cannot be volatile.
    fn seen_by_all(&self, found: &mut Element) {
        if self.unit.exchanges && found.space == Space::Global && !found.element.is_complex() {
            found.place = format!("*(const volatile Q_GLOBAL q_{}*)&{}", suffix(found.element), found.place);
        }
    }

    /// Records an out-of-bounds index and leaves, where no other thread waits.
    fn out_of_bounds(&mut self, array: &Expr, found: &Element, span: Span) {
        let subject = match array.kind {
            ExprKind::Local(v) => self.body.variables[v].said().to_owned(),
            _ => "array".to_owned(),
        };
        let line = self.unit.line(span);
        let site = self.unit.site(Site { subject, line, message: Vec::new() });
        let rank = found.dims.len();
        self.lines.open(format!("if (q_fail(fault, 1, {site})) {{"));
        self.lines.push(format!("fault->rank = {rank};"));
        for (k, (i, n)) in found.index.iter().zip(&found.dims).enumerate() {
            self.lines.push(format!("fault->index[{k}] = {i}; fault->dims[{k}] = {n};"));
        }
        self.lines.close("}");
        self.leave_at_once();
    }

    /// The extent of an array along an axis, or its number of elements.
    pub(super) fn extent(&mut self, array: &Expr, axis: Option<usize>, span: Span) -> Printed {
        if let Some(sizes) = fixed(&array.ty) {
            let n = match axis {
                Some(axis) => sizes.get(axis).copied().unwrap_or(1),
                None => sizes.iter().product(),
            };
            return Ok(n.to_string());
        }
        let dims = self.extents_of(array, span)?;
        Ok(match axis {
            Some(axis) => dims.get(axis).cloned().unwrap_or_else(|| "1".to_owned()),
            None => format!("({})", dims.join(" * ")),
        })
    }

    /// The array that a statement modifies.
    fn target(&self, array: &Expr, span: Span) -> Result<VarId, Malformed> {
        match array.kind {
            ExprKind::Local(v) => Ok(v),
            _ => malformed(span, "a change of this place"),
        }
    }

    /// Out-of-bounds writes are ignored in every mode but `'checked`, where they are errors.
    fn written(boundary: Boundary) -> Boundary {
        match boundary {
            Boundary::Checked | Boundary::Unchecked => boundary,
            Boundary::Safe | Boundary::Circular | Boundary::Mirror | Boundary::Clamped => Boundary::Safe,
        }
    }

    /// The block's histogram table for an array.
    fn table(&self, array: &Expr) -> Option<BlockHistogram> {
        match array.kind {
            ExprKind::Local(v) => self.histograms.iter().find(|each| each.array == v).copied(),
            _ => None,
        }
    }

    /// Opens the condition under which a thread writes an element; returns whether there is one.
    fn guard(&mut self, found: &Element, array: &Expr, boundary: Boundary, span: Span) -> bool {
        let suppressed = self.shadows && found.space == Space::Global;
        let mut conditions: Vec<String> = Vec::new();
        if suppressed {
            conditions.push("!shadow".to_owned());
        }
        if let Some(condition) = &found.condition {
            if boundary == Boundary::Checked {
                let alive = if suppressed { "!shadow && " } else { "" };
                self.lines.open(format!("if ({alive}!({condition})) {{"));
                self.out_of_bounds(array, found, span);
                self.lines.close("}");
            }
            conditions.push(condition.clone());
        }
        if conditions.is_empty() {
            return false;
        }
        self.lines.open(format!("if ({}) {{", conditions.join(" && ")));
        true
    }

    /// `array[index] = value`
    pub(super) fn store(
        &mut self,
        array: &Expr,
        index: &[Index],
        boundary: Boundary,
        value: &Expr,
        span: Span,
    ) -> Result<(), Malformed> {
        self.target(array, span)?;
        let boundary = Self::written(boundary);
        if super::types::scalar(&value.ty).is_none() {
            return malformed(span, "a slice whose size is not known");
        }
        let value = self.value(value)?;
        let found = self.element(array, index, boundary, span)?;
        let guarded = self.guard(&found, array, boundary, span);
        self.lines.push(format!("{} = {value};", found.place));
        if guarded {
            self.lines.close("}");
        }
        Ok(())
    }

    /// `array[index] op= value`
    pub(super) fn update(&mut self, update: &Update<'_>) -> Result<(), Malformed> {
        let Update { array, index, row, span, .. } = *update;
        self.target(array, span)?;
        let boundary = Self::written(update.boundary);
        let value = self.simple(update.value)?;
        let found = self.element(array, index, boundary, span)?;
        let (ty, old, e) = (format!("q_{}", suffix(found.element)), self.temporary(), suffix(found.element));
        if update.result.is_some() || self.table(array).is_none() {
            self.lines.push(format!("{ty} {old} = {};", zero(found.element)));
        }
        let guarded = self.guard(&found, array, boundary, span);
        let new = apply(row, found.element, &[old.clone(), value.clone()]);
        if let Some(table) = self.table(array) {
            let line = table.add(&found.place, &value);
            self.lines.push(line);
        } else if update.atomic && !matches!(found.space, Space::Private | Space::Heap) {
            let space = if found.space == Space::Shared { "shared_" } else { "" };
            let (row, place) = (row.name, &found.place);
            self.lines.push(format!("{old} = q_atomic_{row}_{space}{e}(&{place}, {value});"));
        } else {
            self.lines.push(format!("{old} = {};", found.place));
            self.lines.push(format!("{} = {new};", found.place));
        }
        if guarded {
            self.lines.close("}");
        }
        if let Some(result) = update.result {
            self.lines.push(format!("{} = {new};", local_name(result)));
        }
        Ok(())
    }

    /// `result = (array[index] <- value)`
    pub(super) fn exchange(&mut self, exchange: &Exchange<'_>) -> Result<(), Malformed> {
        let Exchange { array, index, span, .. } = *exchange;
        self.target(array, span)?;
        let boundary = Self::written(exchange.boundary);
        let value = self.simple(exchange.value)?;
        let expected = exchange.expected.map(|e| self.simple(e)).transpose()?;
        let found = self.element(array, index, boundary, span)?;
        let (e, old) = (suffix(found.element), self.temporary());
        self.lines.push(format!("q_{e} {old} = {};", zero(found.element)));
        let guarded = self.guard(&found, array, boundary, span);
        let (space, fence) = match found.space {
            Space::Shared => ("shared_", "Q_FENCE_BLOCK();"),
            _ => ("", "Q_FENCE_GRID();"),
        };
        let place = &found.place;
        // Release and acquire: others see this thread's earlier writes with the new value, and this thread sees theirs.
        self.lines.push(fence);
        self.lines.push(match expected {
            // A private element needs no atomic operation.
            Some(expected) if found.space == Space::Private => {
                format!("{old} = {place}; if (q_equal_{e}({old}, {expected})) {place} = {value};")
            }
            None if found.space == Space::Private => format!("{old} = {place}; {place} = {value};"),
            Some(expected) => {
                format!("{old} = q_compare_exchange_{space}{e}(&{place}, {expected}, {value});")
            }
            None => format!("{old} = q_exchange_{space}{e}(&{place}, {value});"),
        });
        self.lines.push(fence);
        if guarded {
            self.lines.close("}");
        }
        if let Some(result) = exchange.result {
            self.lines.push(format!("{} = {old};", local_name(result)));
        }
        Ok(())
    }
}

/// The name of a value in a list; appends the value if it is new.
fn named(list: &mut Vec<(String, String)>, prefix: &str, value: String) -> String {
    if let Some((_, name)) = list.iter().find(|(known, _)| *known == value) {
        return name.clone();
    }
    let name = format!("{prefix}{}", list.len());
    list.push((value, name.clone()));
    name
}

/// The C element type that the pointer of an array points to.
pub(super) fn pointed(ty: &Type) -> Option<String> {
    array_element(ty).map(|e| format!("q_{}", suffix(e)))
}
