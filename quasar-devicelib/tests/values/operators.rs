//! Operators: shapes, promotion, products, comparison, cells and strings.

use super::*;
use quasar_devicelib::value::elementwise::{equal, operator};

fn binary(a: &Value, symbol: &str, b: &Value) -> String {
    shown(operator(symbol, &[a.clone(), b.clone()], SINGLE))
}

#[test]
fn numbers_extend_to_arrays() {
    assert_eq!(binary(&ivec(&[1, 2]), "+", &int(1)), "2: 2,3");
    assert_eq!(binary(&int(10), "-", &ivec(&[1, 2])), "2: 9,8");
    assert_eq!(binary(&ivec(&[1, 2]), "*", &real(0.5)), "2: 0.5,1");
    assert_eq!(binary(&ivec(&[1, 2]), "/", &int(4)), "2: 0.25,0.5");
    assert_eq!(binary(&int(1), "/", &int(9)), "0.1111111");
    assert_eq!(binary(&int(1), "/", &int(0)), "Inf");
    assert_eq!(binary(&int(0), "/", &int(0)), "NaN");
    assert_eq!(binary(&vec(&[1.0, 4.0]), "/", &vec(&[2.0, 2.0])), "2: 0.5,2");
    assert_eq!(shown(operator("-", &[ivec(&[1, -2])], SINGLE)), "2: -1,2");
}

#[test]
fn shapes_must_match_except_for_views() {
    let a = reals(&[3, 4], &[0.0; 12]);
    let b = reals(&[3, 5], &[0.0; 15]);
    assert_eq!(binary(&a, "+", &b), "error: Dimensions do not match: 3x4 and 3x5");
    assert_eq!(binary(&ivec(&[1, 2]), "+", &ints(&[1, 2], &[10, 20])), "1x2: 11,22");
    assert_eq!(binary(&ints(&[2, 1], &[1, 2]), "+", &ints(&[2, 1, 1], &[1, 1])), "2x1x1: 2,3");
    assert!(binary(&ivec(&[1, 2]), "+", &ints(&[2, 1], &[1, 2])).starts_with("error: Dimensions"));
    assert_eq!(binary(&counting(&[0]), "+", &int(1)), "0: ");
}

#[test]
fn small_integers_promote() {
    let bytes: Value = ArrayBuf::vec(vec![200u8, 100]).into();
    let sum = operator("+", &[bytes.clone(), bytes.clone()], SINGLE).unwrap();
    assert_eq!(sum.element_type(), Some(ElementType::Int32));
    assert_eq!(show(&sum), "2: 400,200");
    let halved = operator("/", &[bytes, int(2)], ElementType::Double).unwrap();
    assert_eq!(halved.element_type(), Some(ElementType::Double));
}

#[test]
fn products_follow_the_table() {
    let a = ints(&[2, 3], &[1, 2, 3, 4, 5, 6]);
    assert_eq!(binary(&a, "*", &ivec(&[1, 0, 1])), "2: 4,10");
    assert_eq!(binary(&ivec(&[1, 1]), "*", &a), "3: 5,7,9");
    assert_eq!(binary(&a, "*", &ints(&[3, 1], &[1, 1, 1])), "2x1: 6,15");
    assert_eq!(binary(&ints(&[3, 1], &[1, 2, 3]), "*", &ivec(&[1, 2])), "3x2: 1,2,2,4,3,6");
    assert_eq!(
        binary(&ints(&[1, 3], &[1, 2, 3]), "*", &ints(&[4, 4], &[0; 16])),
        "error: Matrix dimensions (1x3 and 4x4) do not match for multiplication!"
    );
    let error = binary(&ivec(&[1, 2]), "*", &ivec(&[3, 4]));
    assert!(error.contains(".*") && error.contains("dotprod"), "{error}");
    assert!(binary(&a, "/", &a).contains("./"));
    assert_eq!(binary(&ivec(&[1, 2]), ".*", &ivec(&[3, 4])), "2: 3,8");
    assert_eq!(binary(&reals(&[2, 0], &[]), "*", &reals(&[0, 2], &[])), "2x2: 0,0,0,0");
}

#[test]
fn powers_of_matrices_repeat_the_product() {
    let a = ints(&[2, 2], &[1, 1, 1, 0]);
    assert_eq!(binary(&a, "^", &int(6)), "2x2: 13,8,8,5");
    assert_eq!(binary(&a, "^", &int(0)), "2x2: 1,0,0,1");
    assert!(binary(&a, "^", &int(-1)).contains(".^"));
    assert!(binary(&ivec(&[1, 2]), "^", &int(2)).contains(".^"));
}

#[test]
fn comparisons_of_different_shapes_are_one_number() {
    assert_eq!(binary(&ivec(&[1, 2]), "==", &ivec(&[1, 3])), "2: 1,0");
    assert_eq!(binary(&ivec(&[1, 2]), "==", &ivec(&[1, 2, 3])), "0");
    assert_eq!(binary(&ivec(&[1, 2]), "!=", &ivec(&[1, 2, 3])), "1");
    assert!(binary(&ivec(&[1, 2]), "<", &ivec(&[1, 2, 3])).starts_with("error"));
    assert_eq!(binary(&int(2), ">=", &ivec(&[1, 2, 3])), "3: 1,1,0");
    assert_eq!(binary(&text("a"), "==", &text("a")), "1");
    assert_eq!(binary(&Value::Null, "!=", &Value::Null), "0");
    let z = Value::Scalar(Scalar::C32(num_complex::Complex::new(1.0, 1.0)));
    assert!(binary(&z, "<", &z).starts_with("error"));
    assert_eq!(binary(&z, "==", &z), "1");
}

#[test]
fn strings_concatenate_with_the_printed_form() {
    assert_eq!(binary(&text("n = "), "+", &real(2.0)), "n = 2");
    assert_eq!(binary(&ivec(&[1, 2]), "+", &text("!")), "[1,2]!");
    assert!(binary(&text("a"), "-", &text("b")).starts_with("error"));
}

#[test]
fn cells_are_entered() {
    let b = Value::cell(vec![int(1), Value::cell(vec![ivec(&[2, 3])])]);
    let show_cell = |result: Result<Value, ValueError>| print(&result.unwrap());
    assert_eq!(show_cell(operator("+", &[b.clone(), b.clone()], SINGLE)), "{2,{[4,6]}}");
    assert_eq!(show_cell(operator("*", &[b.clone(), int(4)], SINGLE)), "{4,{[8,12]}}");
    assert!(operator("+", &[b.clone(), Value::cell(vec![int(1)])], SINGLE).is_err());
    assert!(equal(&b, &b.copied().unwrap()));
    assert!(!b.is_identical(&b.copied().unwrap()));
}

#[test]
fn truth_of_values() {
    assert!(ivec(&[1, 2]).is_true().unwrap());
    assert!(!ivec(&[1, 0]).is_true().unwrap());
    assert!(!ivec(&[]).is_true().unwrap());
    assert!(real(f64::NAN).is_true().unwrap());
    assert!(text("x").is_true().is_err());
}

#[test]
fn long_chains_are_dropped_without_recursion() {
    let mut cell = Value::Null;
    let mut list = Value::Null;
    for _ in 0..200_000 {
        cell = Value::cell(vec![cell]);
        let fields = vec![("next".into(), list)];
        list = Value::Object(quasar_devicelib::value::Record::new("node", false, fields));
    }
    assert!(cell.copied().is_err());
    drop(cell);
    drop(list);
}
