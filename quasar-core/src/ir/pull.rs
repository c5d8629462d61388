//! Delayed arrays: an array as its extents and an expression for the element at an index (a pull array). A slice, a transpose
//! or a sum of arrays is an index map or an operation on elements; nothing is stored until a consumer asks for it.

use super::rewrite::same;
use super::{Expr, ExprKind, build};
use crate::source::Span;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::{Row, find};

/// An array that is not stored.
#[derive(Clone, Debug)]
pub struct PullArray {
    /// The extents; expressions of the host that cost nothing to evaluate twice.
    pub dims: Vec<Expr>,
    node: Node,
    /// The type of an element.
    element: Type,
}

#[derive(Clone, Debug)]
enum Node {
    /// One number for all indices.
    Number(Expr),
    /// An array that is stored in a variable.
    Stored { array: Expr, boundary: Boundary },
    /// The element of another array at a mapped index, which has an entry for each dimension of that array.
    Mapped { of: Box<PullArray>, index: Vec<IndexMap> },
    /// An operation on the elements of several arrays.
    Apply { row: &'static Row, args: Vec<PullArray> },
    /// A conversion of the elements.
    Convert(Box<PullArray>),
    /// The element where a condition holds, a number where not.
    Chosen { condition: Box<PullArray>, of: Box<PullArray>, otherwise: Expr },
    /// `from + step * i`
    Sequence { from: Expr, step: Expr },
}

/// Where an index into a delayed array leads in one dimension of the array behind it.
#[derive(Clone, Debug)]
pub enum IndexMap {
    /// Always to one position.
    At(Expr),
    /// To `from + step * index[axis]`.
    Along {
        /// The dimension of the delayed array.
        axis: usize,
        /// Where it begins.
        from: Expr,
        /// The distance of neighbours.
        step: Expr,
    },
    /// To the number that a delayed vector has at `index[axis]`.
    Through {
        /// The dimension of the delayed array.
        axis: usize,
        /// The positions.
        positions: Box<PullArray>,
    },
}

impl IndexMap {
    /// The same index as in a dimension of the delayed array.
    pub fn same(axis: usize, span: Span) -> IndexMap {
        IndexMap::Along { axis, from: build::int(0, span), step: build::int(1, span) }
    }

    /// The position that an index of the delayed array leads to.
    pub fn position(&self, index: &[Expr]) -> Expr {
        match self {
            IndexMap::At(at) => at.clone(),
            IndexMap::Along { axis, from, step } => {
                let steps = integer("multiply", index[*axis].clone(), step.clone());
                integer("add", steps, from.clone())
            }
            IndexMap::Through { axis, positions } => {
                let at = &index[*axis];
                positions.at(std::slice::from_ref(at), at.span)
            }
        }
    }

    /// The vector of positions, where there is one.
    fn positions(&self) -> Option<&PullArray> {
        match self {
            IndexMap::Through { positions, .. } => Some(positions),
            IndexMap::At(_) | IndexMap::Along { .. } => None,
        }
    }

    fn is_same_as(&self, other: &IndexMap) -> bool {
        match (self, other) {
            (IndexMap::At(a), IndexMap::At(b)) => same(a, b),
            (IndexMap::Along { axis, from, step }, IndexMap::Along { axis: k, from: f, step: s }) => {
                axis == k && same(from, f) && same(step, s)
            }
            _ => false,
        }
    }
}

impl PullArray {
    /// A number that is the element at every index; it has no extents of its own.
    pub fn number(value: Expr) -> PullArray {
        let element = value.ty.clone();
        PullArray { dims: Vec::new(), node: Node::Number(value), element }
    }

    /// An array in a variable, whose indices are inside or mean what a boundary mode says.
    pub fn stored(array: Expr, dims: Vec<Expr>, element: Type, boundary: Boundary) -> PullArray {
        PullArray { dims, node: Node::Stored { array, boundary }, element }
    }

    /// An integer sequence of so many numbers.
    pub fn sequence(from: Expr, step: Expr, count: Expr, element: Type) -> PullArray {
        PullArray { dims: vec![count], node: Node::Sequence { from, step }, element }
    }

    /// An operation on elements. Operands with extents have those of the result.
    pub fn apply(row: &'static Row, args: Vec<PullArray>, element: Type) -> PullArray {
        let dims = args.iter().map(|arg| &arg.dims).find(|dims| !dims.is_empty()).cloned();
        PullArray { dims: dims.unwrap_or_default(), node: Node::Apply { row, args }, element }
    }

    /// A conversion of elements.
    pub fn convert(self, element: Type) -> PullArray {
        if self.element == element {
            return self;
        }
        PullArray { dims: self.dims.clone(), node: Node::Convert(Box::new(self)), element }
    }

    /// The elements where a condition of the same extents is not 0, a number elsewhere.
    pub fn chosen(self, condition: PullArray, otherwise: Expr) -> PullArray {
        let (dims, element) = (self.dims.clone(), self.element.clone());
        PullArray {
            dims,
            node: Node::Chosen { condition: Box::new(condition), of: Box::new(self), otherwise },
            element,
        }
    }

    /// The same elements at other indices.
    pub fn mapped(self, dims: Vec<Expr>, index: Vec<IndexMap>) -> PullArray {
        let element = self.element.clone();
        PullArray { dims, node: Node::Mapped { of: Box::new(self), index }, element }
    }

    /// The same elements for extents that are known to be equal, or for a number.
    pub fn with_dims(self, dims: Vec<Expr>) -> PullArray {
        PullArray { dims, ..self }
    }

    /// The same elements, where indices outside of a stored array mean what a boundary mode says; nothing for other arrays.
    pub fn bounded(self, mode: Boundary) -> Option<PullArray> {
        let Node::Stored { array, boundary: Boundary::Unchecked } = self.node else { return None };
        Some(PullArray { node: Node::Stored { array, boundary: mode }, ..self })
    }

    /// The type of an element.
    pub fn element(&self) -> &Type {
        &self.element
    }

    /// The element at an index.
    pub fn at(&self, index: &[Expr], span: Span) -> Expr {
        match &self.node {
            Node::Number(value) => value.clone(),
            Node::Stored { array, boundary } => build::load(array.clone(), index.to_vec(), *boundary, span),
            Node::Mapped { of, index: maps } => {
                let inner: Vec<Expr> = maps.iter().map(|map| map.position(index)).collect();
                of.at(&inner, span)
            }
            Node::Apply { row, args } => {
                let args = args.iter().map(|arg| arg.at(index, span)).collect();
                build::apply(row, args, self.element.clone(), span)
            }
            Node::Convert(of) => {
                Expr::new(ExprKind::Convert(Box::new(of.at(index, span))), self.element.clone(), span)
            }
            Node::Chosen { condition, of, otherwise } => {
                let condition = condition.at(index, span);
                let zero = build::neutral(row("add"), &condition.ty, span);
                let condition =
                    build::apply(row("not_equal"), vec![condition, zero], build::int_type(), span);
                let (condition, then) = (Box::new(condition), Box::new(of.at(index, span)));
                let otherwise = Box::new(otherwise.clone());
                Expr::new(ExprKind::Select { condition, then, otherwise }, self.element.clone(), span)
            }
            Node::Sequence { from, step } => {
                let map = IndexMap::Along { axis: 0, from: from.clone(), step: step.clone() };
                let value = map.position(index);
                if value.ty == self.element {
                    return value;
                }
                Expr::new(ExprKind::Convert(Box::new(value)), self.element.clone(), span)
            }
        }
    }

    /// Calls `f` with each operation on elements.
    pub fn operations(&self, f: &mut dyn FnMut(&'static Row)) {
        match &self.node {
            Node::Number(_) | Node::Sequence { .. } | Node::Stored { .. } => {}
            Node::Mapped { of, .. } | Node::Convert(of) => of.operations(f),
            Node::Chosen { condition, of, .. } => [condition, of].iter().for_each(|part| part.operations(f)),
            Node::Apply { row, args } => {
                f(row);
                args.iter().for_each(|arg| arg.operations(f));
            }
        }
    }

    /// Calls `f` with each read of a stored array, and the map of its index where that is one of the plain ones: the index
    /// itself (`None` inside) or one map.
    pub fn reads(&self, f: &mut dyn FnMut(&Expr, Read<'_>)) {
        self.reads_through(Read::Same, f);
    }

    fn reads_through<'a>(&'a self, how: Read<'a>, f: &mut dyn FnMut(&Expr, Read<'_>)) {
        match &self.node {
            Node::Number(_) | Node::Sequence { .. } => {}
            Node::Stored { array, boundary } => {
                let plain = matches!(boundary, Boundary::Unchecked);
                f(array, if plain { how } else { Read::Other });
            }
            Node::Mapped { of, index } => {
                let through = if matches!(how, Read::Same) { Read::Mapped(index) } else { Read::Other };
                of.reads_through(through, f);
                let lists = index.iter().filter_map(IndexMap::positions);
                lists.for_each(|positions| positions.reads_through(Read::Other, f));
            }
            Node::Apply { args, .. } => args.iter().for_each(|arg| arg.reads_through(how, f)),
            Node::Convert(of) => of.reads_through(how, f),
            Node::Chosen { condition, of, .. } => {
                [condition, of].iter().for_each(|part| part.reads_through(how, f));
            }
        }
    }
}

/// Which element of a stored array is read for an index of the delayed one.
#[derive(Clone, Copy)]
pub enum Read<'a> {
    /// That at the index itself.
    Same,
    /// That at a mapped index.
    Mapped(&'a [IndexMap]),
    /// Another one.
    Other,
}

impl Read<'_> {
    /// Whether it is the element at a mapped index.
    pub fn is(&self, index: &[IndexMap]) -> bool {
        match self {
            Read::Same => index.iter().enumerate().all(|(k, map)| {
                matches!(map, IndexMap::Along { axis, from, step }
                    if *axis == k && from.constant_int() == Some(0) && step.constant_int() == Some(1))
            }),
            Read::Mapped(own) => {
                own.len() == index.len() && own.iter().zip(index).all(|(a, b)| a.is_same_as(b))
            }
            Read::Other => false,
        }
    }
}

/// `add`, `subtract` or `multiply` of two `int` expressions, without what constants decide.
pub fn integer(name: &str, a: Expr, b: Expr) -> Expr {
    let (x, y, span) = (a.constant_int(), b.constant_int(), a.span);
    let folded = match (name, x, y) {
        ("add", Some(x), Some(y)) => x.checked_add(y),
        ("subtract", Some(x), Some(y)) => x.checked_sub(y),
        ("multiply", Some(x), Some(y)) => x.checked_mul(y),
        _ => None,
    };
    match (name, x, y) {
        _ if folded.is_some() => build::int(folded.unwrap_or_default(), span),
        ("add" | "subtract", _, Some(0)) | ("multiply", _, Some(1)) => a,
        ("add", Some(0), _) | ("multiply", Some(1), _) => b,
        ("multiply", _, Some(0)) | ("multiply", Some(0), _) => build::int(0, span),
        _ => build::apply(row(name), vec![a, b], build::int_type(), span),
    }
}

/// A comparison of two `int` expressions; nothing where it surely holds.
pub fn compare(name: &str, a: Expr, b: Expr) -> Option<Expr> {
    let span = a.span;
    let holds = match (a.constant_int(), b.constant_int()) {
        (Some(x), Some(y)) => match name {
            "equal" => x == y,
            "less" => x < y,
            _ => name == "less_equal" && x <= y,
        },
        _ => name != "less" && same(&a, &b),
    };
    (!holds).then(|| build::apply(row(name), vec![a, b], build::int_type(), span))
}

/// The conjunction of conditions, evaluated in order; 1 where there is none.
pub fn all(conditions: Vec<Expr>, span: Span) -> Expr {
    let and = |a, b| Expr::new(ExprKind::And(Box::new(a), Box::new(b)), build::int_type(), span);
    conditions.into_iter().reduce(and).unwrap_or_else(|| build::int(1, span))
}

/// The number of integers of `from..step..to` for a positive step and `from <= to`.
pub fn count(from: Expr, step: Expr, to: Expr) -> Expr {
    let span = from.span;
    if let (Some(1), Some(first)) =
        (step.constant_int(), from.constant_int().and_then(|k| 1_i32.checked_sub(k)))
    {
        return match first {
            0.. => integer("add", to, build::int(first, span)),
            _ => integer("subtract", to, build::int(-first, span)),
        };
    }
    let distance = integer("subtract", to, from);
    let steps = match step.constant_int() {
        Some(1) => distance,
        _ => {
            // Exact: both are below 2^31, so that the quotient is nearer to no other integer in double precision.
            let double = build::scalar_type(quasar_devicelib::element::ElementType::Double);
            let args = [distance, step].map(|e| build::convert(e, &double)).to_vec();
            let quotient = build::apply(row("divide"), args, double, span);
            build::apply(row("int"), vec![quotient], build::int_type(), span)
        }
    };
    integer("add", steps, build::int(1, span))
}

fn row(name: &str) -> &'static Row {
    find(name).expect("a row that the table has")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::types::ElementType;

    fn span() -> Span {
        Span::default()
    }

    fn number(value: i32) -> Expr {
        build::int(value, span())
    }

    fn variable(k: usize) -> Expr {
        build::local(Id::new(k), build::int_type(), span())
    }

    fn stored() -> PullArray {
        let element = build::scalar_type(ElementType::Single);
        let array = build::local(Id::new(0), build::array_type(element.clone(), 2), span());
        PullArray::stored(array, vec![variable(1), variable(2)], element, Boundary::Unchecked)
    }

    fn along(axis: usize, from: i32, step: i32) -> IndexMap {
        IndexMap::Along { axis, from: number(from), step: number(step) }
    }

    /// The constant indices of a load.
    fn indices(e: &Expr) -> Vec<i32> {
        let ExprKind::Load { index, .. } = &e.kind else { panic!("a load: {e:?}") };
        let at = |index: &crate::ir::Index| match index {
            crate::ir::Index::At(at) => at.constant_int().expect("a constant"),
            _ => panic!("a number"),
        };
        index.iter().map(at).collect()
    }

    #[test]
    fn maps_of_maps_lead_to_one_load() {
        let slice = stored().mapped(vec![number(4), number(5)], vec![along(0, 2, 3), along(1, 1, 1)]);
        let turned = slice.mapped(vec![number(5), number(4)], vec![along(1, 0, 1), along(0, 0, 1)]);
        assert_eq!(indices(&turned.at(&[number(2), number(1)], span())), [5, 3]);
        let row = turned.mapped(vec![number(4)], vec![IndexMap::At(number(4)), along(0, 3, -1)]);
        assert_eq!(indices(&row.at(&[number(0)], span())), [11, 5]);
    }

    #[test]
    fn a_read_at_the_index_itself_is_told_from_others() {
        let own = [along(0, 0, 1), along(1, 0, 1)];
        let part = [along(0, 1, 1), along(1, 0, 2)];
        let found = |array: &PullArray, maps: &[IndexMap]| {
            let mut found = Vec::new();
            array.reads(&mut |_, read| found.push(read.is(maps)));
            found
        };
        assert_eq!(found(&stored(), &own), [true]);
        assert_eq!(found(&stored(), &part), [false]);
        let slice = stored().mapped(vec![number(2), number(2)], part.to_vec());
        assert_eq!((found(&slice, &part), found(&slice, &own)), (vec![true], vec![false]));
        let again = slice.clone().mapped(vec![number(2), number(2)], own.to_vec());
        assert_eq!(found(&again, &part), [false], "two maps are not compared");
        let element = slice.element().clone();
        let row = find("add").expect("a row that the table has");
        assert_eq!(found(&PullArray::apply(row, vec![slice, stored()], element), &part), [true, false]);
    }

    #[test]
    fn what_constants_decide_is_not_asked() {
        assert!(compare("less", number(1), number(2)).is_none());
        assert!(compare("less", number(2), number(2)).is_some());
        assert!(compare("less", variable(0), variable(0)).is_some());
        assert!(compare("less_equal", variable(0), variable(0)).is_none());
        assert!(compare("equal", variable(0), variable(0)).is_none());
        assert!(compare("equal", number(3), number(4)).is_some());
        assert!(compare("less_equal", number(4), number(3)).is_some());
    }

    #[test]
    fn sequences_from_constants_count_without_arithmetic_to_spare() {
        let value = |e: Expr| e.constant_int();
        assert_eq!(value(count(number(1), number(1), number(5))), Some(5));
        assert!(same(&count(number(1), number(1), variable(0)), &variable(0)));
        let below = integer("subtract", variable(0), number(2));
        assert!(same(&count(number(3), number(1), variable(0)), &below));
        assert_eq!(integer("add", number(i32::MAX), number(1)).constant_int(), None, "it wraps when it runs");
    }
}
