//! No input makes a function panic, whatever its kind, type and shape.
//!
//! `QUASAR_FUZZ_SECONDS=600` tries inputs for about that long in each test; a failure shows the smallest input.

use super::*;
use proptest::prelude::*;
use quasar_devicelib::element::Overflow;
use quasar_devicelib::ops;
use quasar_devicelib::value::index::{self, Access, Boundary, Index};
use quasar_devicelib::value::{Record, convert, elementwise, printf};

/// Numbers that are hard: extremes, zeros of both signs, not finite; and many small ones.
const EDGES: [f64; 10] =
    [0.0, -0.0, 1e300, -1e300, 0.5, -1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 4e9];

fn number() -> impl Strategy<Value = Scalar> {
    let x = prop_oneof![4 => (-3i32..7).prop_map(f64::from), 1 => proptest::sample::select(&EDGES[..])];
    (x, proptest::sample::select(ElementType::ALL)).prop_map(|(x, ty)| {
        let limited = Scalar::F64(x).convert(ty, Overflow::Saturate);
        limited.unwrap_or(Scalar::zero(ty))
    })
}

/// Numbers that serve as sizes and counts without filling the memory.
fn small_number() -> impl Strategy<Value = Scalar> {
    number().prop_map(|x| if x.as_f64().abs() > 8.0 { Scalar::I32(3) } else { x })
}

fn dims() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        6 => proptest::collection::vec(0usize..5, 1..4),
        2 => (1usize..5).prop_map(|n| vec![n, n]),
        1 => Just(vec![1; 16]),
    ]
}

fn array() -> impl Strategy<Value = Value> {
    (dims(), small_number(), proptest::collection::vec(small_number(), 1..8)).prop_map(
        |(dims, first, others)| {
            let ty = first.element_type();
            let count: usize = dims.iter().product();
            let items: Vec<Scalar> = (0..count)
                .map(|i| others[i % others.len()].convert(ty, Overflow::Saturate).unwrap_or(Scalar::zero(ty)))
                .collect();
            ArrayBuf::new(dims, ArrayData::from_scalars(ty, &items).unwrap()).unwrap().into()
        },
    )
}

fn simple() -> impl Strategy<Value = Value> {
    let texts = &["", "a", "%d %s", "%*.*f", "%", "ä,b", "3.5", "-", "scalar"][..];
    let types = &["int", "uint8", "scalar", "string", "cscalar", "^particle", "int'sat"][..];
    prop_oneof![
        4 => small_number().prop_map(Value::Scalar),
        6 => array(),
        2 => proptest::sample::select(texts).prop_map(Value::from),
        1 => proptest::sample::select(types).prop_map(|name| Value::TypeName(name.into())),
        1 => proptest::sample::select(vec![
            Value::Unit,
            Value::Null,
            Value::Tuple(vec![Value::int(1), Value::from("x")].into()),
            Value::Enum { type_name: "mode".into(), name: "Fast".into(), number: 1 },
            Value::Object(Record::new("point", false, vec![("x".into(), Value::int(1))])),
        ]),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        5 => simple(),
        1 => proptest::collection::vec(simple(), 0..4).prop_map(Value::cell),
        1 => (proptest::collection::vec(simple(), 4)).prop_map(|items| {
            ArrayBuf::new(vec![2, 2], ArrayData::Values(items)).unwrap().into()
        }),
    ]
}

fn names() -> Vec<&'static str> {
    functions::functions().map(|f| f.name).chain(ops::TABLE.iter().map(|row| row.name)).collect()
}

/// Size vectors with many entries can ask for more memory than a test should use.
fn may_be_large(name: &str, arg: &Value) -> bool {
    const CREATING: &[&str] =
        &["vec", "mat", "cube", "cell", "repmat", "ones", "zeros", "uninit", "rand", "filled"];
    let count: usize = arg.dims().iter().product();
    CREATING.iter().any(|part| name.contains(part)) && count > 6
}

fn any_index() -> impl Strategy<Value = Index> {
    let far = prop_oneof![6 => -3i64..7, 1 => Just(i64::MIN), 1 => Just(i64::MAX)];
    prop_oneof![
        far.clone().prop_map(Index::At),
        (far.clone(), far.clone(), 0usize..6).prop_map(|(from, step, count)| Index::Range {
            from,
            step,
            count
        }),
        proptest::collection::vec(far.clone(), 0..4).prop_map(Index::List),
        Just(Index::All),
        proptest::collection::vec(far, 0..4).prop_map(Index::Position),
    ]
}

fn any_access() -> impl Strategy<Value = Access<'static>> {
    use Boundary::*;
    let modes = vec![Checked, Safe, Circular, Mirror, Clamped, Unchecked];
    let overflow = vec![Overflow::Checked, Overflow::Saturate, Overflow::Wrap];
    (proptest::sample::select(modes), proptest::sample::select(overflow))
        .prop_map(|(boundary, overflow)| Access { name: "A", boundary, overflow })
}

/// About how many cases a test does in a second, with debug code.
const CASES_A_SECOND: u32 = 5_000;

/// As many cases as the time allows.
fn cases() -> u32 {
    let seconds = std::env::var("QUASAR_FUZZ_SECONDS").ok().and_then(|s| s.parse::<u32>().ok());
    seconds.map_or(20_000, |seconds| seconds.saturating_mul(CASES_A_SECOND))
}

/// Long runs turn down more inputs than a run has by default.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: cases(),
        max_global_rejects: u32::MAX,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn library_functions(
        name in proptest::sample::select(names()),
        args in proptest::collection::vec(value(), 0..4),
        results in 0usize..3,
    ) {
        prop_assume!(!args.iter().any(|arg| may_be_large(name, arg)));
        let mut host = BufferHost::default();
        if let Ok(values) = functions::call(name, &args, results, &mut host) {
            for value in &values {
                if let Some(buf) = value.to_buf() {
                    let buf = buf.unwrap();
                    prop_assert_eq!(buf.dims.iter().product::<usize>(), buf.data.len());
                }
                print(value);
            }
        }
    }

    #[test]
    fn operators(
        symbol in proptest::sample::select(vec!["+", "-", "*", "/", "^", ".*", "./", ".^", "==", "!=", "<", ">=", "&&", "!"]),
        args in proptest::collection::vec(value(), 1..3),
    ) {
        let _ = elementwise::operator(symbol, &args, SINGLE);
        let _ = args[0].is_true();
        let _ = args[0].copied();
        prop_assert!(!elementwise::equal(&args[0], &Value::from("never")));
    }

    #[test]
    fn indexing(
        array in value(),
        indices in proptest::collection::vec(any_index(), 0..5),
        stored in value(),
        access in any_access(),
    ) {
        let _ = index::load(&array, &indices, access);
        let before = array.dims();
        let _ = index::store(&array, &indices, &stored, access);
        prop_assert_eq!(before, array.dims());
        if let Ok(mask) = index::Index::from_value(&stored.clone().into_mask()) {
            let _ = index::load(&array, std::slice::from_ref(&mask), access);
            let _ = index::store(&array, &[mask], &array, access);
        }
        let _ = index::assign_all(&array, &stored, access);
        print(&array);
    }

    #[test]
    fn conversions_and_formats(
        x in value(),
        ty in proptest::sample::select(ElementType::ALL),
        format in "%[-+ #0]{0,2}[0-9*]{0,2}(\\.[0-9*]{0,2})?[dixXofeEgGscq]",
    ) {
        let _ = convert::convert(&x, ty, Overflow::Checked);
        let _ = printf::format("sprintf", &format, &[x.clone(), x.clone(), x]);
    }

    #[test]
    fn a_slice_written_back_changes_nothing(
        array in array(),
        indices in proptest::collection::vec(any_index(), 1..4),
    ) {
        let access = Access { name: "A", boundary: Boundary::Checked, overflow: Overflow::Checked };
        if let Ok(slice) = index::load(&array, &indices, access) {
            let before = print(&array);
            index::store(&array, &indices, &slice, access).unwrap();
            prop_assert_eq!(before, print(&array));
        }
    }
}
