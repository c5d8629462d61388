//! Every row of the table of scalar functions on values that are hard for some of them.

use crate::accuracy::agrees;
use crate::job::{Case, Grid, Mistakes, merged, suffix};
use num_complex::Complex;
use quasar_devicelib::element::{ElementType, Overflow, Scalar};
use quasar_devicelib::ops::{Row, TABLE, convert_scalar};

/// The values of the table's own tests.
const EDGES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    7.0,
    100.0,
    127.0,
    128.0,
    -128.0,
    255.0,
    65504.0,
    2147483647.0,
    -2147483648.0,
    4294967295.0,
    9.3e18,
    -9.3e18,
    1.0e-40,
    1.0e30,
    -1.0e30,
    1.0e300,
    5.0e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// More for functions of one argument.
const ORDINARY: &[f64] = &[
    0.1,
    -0.1,
    0.3,
    0.7,
    0.9,
    0.999,
    1.001,
    1.1,
    3.7,
    -3.7,
    5.0,
    8.3,
    10.0,
    -10.5,
    20.25,
    35.1,
    88.0,
    -87.5,
    -103.0,
    170.5,
    709.0,
    1023.5,
    1.0e-3,
    1.0e-8,
    1.0e-20,
    1.0e10,
    12345.678,
    0.49999997,
    0.49999999999999994,
    8388609.0,
    -4503599627370497.0,
    63.0,
    -77.0,
    1073741824.0,
    1073741825.0,
    16777217.0,
];

pub(crate) fn converted(values: &[f64], ty: ElementType) -> Vec<Scalar> {
    let to =
        |&x: &f64| convert_scalar(Scalar::F64(x), ty, Overflow::Saturate).expect("saturation never fails");
    values.iter().map(to).collect()
}

/// The hard values of a type.
pub(crate) fn edges(ty: ElementType) -> Vec<Scalar> {
    let mut values = converted(EDGES, ty);
    if ty.is_complex() {
        for re in EDGES.iter().step_by(3) {
            for im in EDGES.iter().step_by(3) {
                let z = Scalar::C64(Complex::new(*re, *im));
                values.push(convert_scalar(z, ty, Overflow::Wrap).expect("a complex number always converts"));
            }
        }
    }
    if ty.is_integer() {
        values.extend(converted(&[-1.0e20, 1.0e20, 31.0, 32.0, 63.0, 64.0, -7.0], ty));
    }
    values
}

/// All lists of so many arguments.
fn arguments(ty: ElementType, arity: usize) -> Vec<Vec<Scalar>> {
    let values = edges(ty);
    if arity == 1 {
        return values.into_iter().chain(converted(ORDINARY, ty)).map(|x| vec![x]).collect();
    }
    // Of the many complex numbers not all pairs.
    let values: Vec<_> =
        values.into_iter().enumerate().filter(|(k, _)| *k < 40 || k % 4 == 0).map(|(_, x)| x).collect();
    let mut lists = Vec::new();
    for (i, a) in values.iter().enumerate() {
        for (j, b) in values.iter().enumerate() {
            let third = values[(i + j) % values.len()];
            lists.push([*a, *b, third][..arity].to_vec());
        }
    }
    lists
}

/// One kernel for all rows with so many arguments of a type.
fn rows(ty: ElementType, arity: usize) -> Option<Case> {
    let mut rows: Vec<&'static Row> =
        TABLE.iter().filter(|row| row.arity == arity && row.domain.contains(ty)).collect();
    rows.dedup_by_key(|row| row.symbol);
    rows.retain(|row| row.symbol != "powi");
    if rows.is_empty() {
        return None;
    }
    let lists = arguments(ty, arity);
    let mut grid = Grid::new(lists.len());
    let names = &["a", "b", "c"][..arity];
    for (k, name) in names.iter().enumerate() {
        grid.input(name, ty, lists.iter().map(|list| list[k]).collect());
    }
    for row in &rows {
        grid.output(row.result.apply(ty), &format!("q_{}_{}({})", row.symbol, suffix(ty), names.join(", ")));
    }
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], dialect| {
        let mut mistakes = Mistakes::default();
        for (k, row) in rows.iter().enumerate() {
            for (list, got) in lists.iter().zip(grid.read(buffers, k)) {
                let want = (row.eval)(list);
                let right = agrees(row, list, got, want, dialect);
                mistakes.expect(right, || format!("{}({list:?}) is {got:?}, not {want:?}", row.symbol));
            }
        }
        mistakes.result()
    });
    Some(Case { name: format!("rows_{}_{arity}", suffix(ty)), job, check })
}

/// Powers with whole exponents.
fn powers(ty: ElementType) -> Case {
    let row = TABLE.iter().find(|row| row.symbol == "powi").expect("the table has powi");
    let exponents = [0, 1, 2, 3, 5, 13, 31, 64, -1, -2, -3, i32::MIN, i32::MAX];
    let mut lists = Vec::new();
    for x in edges(ty) {
        lists.extend(exponents.map(|n| [x, Scalar::I32(n)]));
    }
    let mut grid = Grid::new(lists.len());
    grid.input("x", ty, lists.iter().map(|list| list[0]).collect());
    grid.input("n", ElementType::Int32, lists.iter().map(|list| list[1]).collect());
    grid.output(ty, &format!("q_powi_{}(x, n)", suffix(ty)));
    let job = grid.job();
    let check = Box::new(move |buffers: &[Vec<u8>], dialect| {
        let mut mistakes = Mistakes::default();
        for (list, got) in lists.iter().zip(grid.read(buffers, 0)) {
            let want = (row.eval)(list);
            // The same products in the same order.
            mistakes.expect(agrees(row, list, got, want, dialect), || {
                format!("powi({list:?}) is {got:?}, not {want:?}")
            });
        }
        mistakes.result()
    });
    Case { name: format!("powi_{}", suffix(ty)), job, check }
}

pub(crate) fn cases() -> Vec<Case> {
    let of_types = |name: &str, belongs: &dyn Fn(ElementType) -> bool| {
        let types = ElementType::ALL.iter().filter(|&&ty| belongs(ty));
        merged(name, types.flat_map(|&ty| (1..4).filter_map(move |arity| rows(ty, arity))).collect())
    };
    let mut cases = vec![
        of_types("rows_of_signed", &|ty| ty.is_integer() && ty.is_signed()),
        of_types("rows_of_unsigned", &|ty| ty.is_integer() && !ty.is_signed()),
        merged("powers", ElementType::ALL.iter().map(|&ty| powers(ty)).collect()),
    ];
    let others = ElementType::ALL.iter().filter(|ty| !ty.is_integer());
    cases.extend(others.map(|&ty| of_types(&format!("rows_of_{}", suffix(ty)), &|other| other == ty)));
    cases
}
