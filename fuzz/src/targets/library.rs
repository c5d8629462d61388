//! The library of arrays: functions, operators, conversions and indexing of any values.

use crate::bytes::Bytes;
use crate::memory::limited;
use quasar_devicelib::element::{ElementType, Overflow};
use quasar_devicelib::ops;
use quasar_devicelib::value::format::print;
use quasar_devicelib::value::index::{self, Access, Boundary, Index};
use quasar_devicelib::value::{BufferHost, Value, convert, elementwise, library};
use std::sync::LazyLock;

const OPERATORS: [&str; 14] = ["+", "-", "*", "/", "^", ".*", "./", ".^", "==", "!=", "<", ">=", "&&", "!"];
const BOUNDARIES: [Boundary; 6] = [
    Boundary::Checked,
    Boundary::Safe,
    Boundary::Circular,
    Boundary::Mirror,
    Boundary::Clamped,
    Boundary::Unchecked,
];
const OVERFLOWS: [Overflow; 3] = [Overflow::Checked, Overflow::Saturate, Overflow::Wrap];

static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    library::functions().map(|f| f.name).chain(ops::TABLE.iter().map(|row| row.name)).collect()
});

pub fn run(data: &[u8]) {
    limited(1 << 24, || act(&mut Bytes::new(data)));
}

fn act(bytes: &mut Bytes<'_>) {
    match bytes.below(8) {
        0..=3 => call(bytes),
        4 => {
            let symbol = bytes.pick(&OPERATORS);
            let args: Vec<Value> = (0..1 + bytes.below(2)).map(|_| bytes.value()).collect();
            let working = bytes.pick(&[ElementType::Single, ElementType::Double]);
            check(elementwise::operator(symbol, &args, working).ok());
        }
        5 => {
            let (x, ty, overflow) = (bytes.value(), bytes.pick(&ElementType::ALL), bytes.pick(&OVERFLOWS));
            check(convert::convert(&x, ty, overflow).ok());
            let _ = x.is_true();
            check(x.copied().ok());
        }
        _ => access(bytes),
    }
}

/// The elements of a value are as many as its dimensions say, and it can be printed.
fn check(values: impl IntoIterator<Item = Value>) {
    for value in values {
        if let Some(Ok(buf)) = value.to_buf() {
            assert_eq!(buf.dims.iter().product::<usize>(), buf.data.len());
        }
        print(&value);
    }
}

fn call(bytes: &mut Bytes<'_>) {
    let name = bytes.pick(&NAMES);
    let args: Vec<Value> = (0..bytes.below(5)).map(|_| bytes.value()).collect();
    let results = bytes.below(3);
    let mut host = BufferHost::default();
    check(library::call(name, &args, results, &mut host).into_iter().flatten());
}

fn any_index(bytes: &mut Bytes<'_>) -> Index {
    match bytes.below(5) {
        0 => Index::All,
        1 => Index::Range { from: bytes.index(), step: bytes.index(), count: bytes.below(6) },
        2 => Index::List((0..bytes.below(4)).map(|_| bytes.index()).collect()),
        3 => Index::Position((0..bytes.below(4)).map(|_| bytes.index()).collect()),
        _ => Index::At(bytes.index()),
    }
}

fn access(bytes: &mut Bytes<'_>) {
    let (array, stored) = (bytes.value(), bytes.value());
    let indices: Vec<Index> = (0..bytes.below(5)).map(|_| any_index(bytes)).collect();
    let access = Access { name: "A", boundary: bytes.pick(&BOUNDARIES), overflow: bytes.pick(&OVERFLOWS) };
    let before = array.dims();
    check(index::load(&array, &indices, access).ok());
    let _ = index::store(&array, &indices, &stored, access);
    assert_eq!(before, array.dims());
    check(index::load_where(&array, &stored).ok());
    let _ = index::store_where(&array, &stored, &array, access);
    let _ = index::assign_all(&array, &stored, access);
    check([array]);
}
