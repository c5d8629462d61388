//! Indexing: result shapes, boundary modes, assignment.

use super::*;
use quasar_devicelib::element::Overflow;
use quasar_devicelib::value::index::{Access, Boundary, Index, load, store};

use Index::{All, At, List, Position};

fn range(from: i64, to: i64) -> Index {
    Index::Range { from, step: 1, count: (to - from + 1).max(0) as usize }
}

fn access(boundary: Boundary) -> Access<'static> {
    Access { name: "A", boundary, overflow: Overflow::Checked }
}

fn read(array: &Value, indices: &[Index]) -> String {
    shown(load(array, indices, access(Boundary::Checked)))
}

#[test]
fn slices_have_the_documented_shapes() {
    let mat = counting(&[3, 4]);
    let cube = counting(&[2, 3, 4]);
    let cases: Vec<(&Value, Vec<Index>, &str)> = vec![
        (&mat, vec![At(1), At(2)], "6"),
        (&mat, vec![At(1), All], "4: 4,5,6,7"),
        (&mat, vec![All, At(1)], "3x1: 1,5,9"),
        (&mat, vec![range(1, 2), At(1)], "2x1: 5,9"),
        (&mat, vec![range(0, 1), range(2, 3)], "2x2: 2,3,6,7"),
        (&mat, vec![At(1)], "4: 4,5,6,7"),
        (&mat, vec![List(vec![1, 2])], "6"),
        (&mat, vec![Position(vec![2, 0])], "8"),
        (&mat, vec![Position(vec![2])], "8"),
        (&mat, vec![Position(vec![2, 1, 0])], "9"),
        (&mat, vec![At(2), At(1), At(0)], "9"),
        (&mat, vec![List(vec![2, 0, 2]), At(0)], "3x1: 8,0,8"),
        (
            &mat,
            vec![Index::Range { from: 3, step: -1, count: 2 }, At(0)],
            "error: index out of bounds: A[3,0], size 3x4",
        ),
        (&mat, vec![At(0), Index::Range { from: 3, step: -2, count: 2 }], "2: 3,1"),
        (&cube, vec![All, All, At(1)], "2x3: 1,5,9,13,17,21"),
        (&cube, vec![At(1), All, All], "3x4: 12,13,14,15,16,17,18,19,20,21,22,23"),
        (&cube, vec![At(1), At(2), All], "4: 20,21,22,23"),
        (&cube, vec![At(1), All, At(3)], "3: 15,19,23"),
        (&cube, vec![All, At(1), At(3)], "2x1: 7,19"),
        (&cube, vec![All, At(1), All], "2x1x4: 4,5,6,7,16,17,18,19"),
        (&cube, vec![At(1), At(2)], "20"),
        (&cube, vec![Position(vec![1, 2])], "20"),
    ];
    for (array, indices, expected) in cases {
        assert_eq!(read(array, &indices), expected, "{indices:?}");
    }
}

#[test]
fn vectors_are_rows() {
    let v = counting(&[5]);
    assert_eq!(read(&v, &[At(3)]), "3");
    assert_eq!(read(&v, &[At(0), At(3)]), "3");
    assert_eq!(read(&v, &[List(vec![4, 0, 4])]), "3: 4,0,4");
    assert_eq!(read(&v, &[Position(vec![0, 2])]), "2");
    assert_eq!(read(&v, &[At(0), range(1, 2)]), "2: 1,2");
    assert_eq!(read(&v, &[range(1, 0)]), "0: ");
    assert_eq!(read(&counting(&[3, 1]), &[At(2)]), "2");
    assert_eq!(read(&v, &[At(1), At(0)]), "error: index out of bounds: A[1,0], size 5");
    assert_eq!(read(&int(7), &[At(0)]), "7");
    assert_eq!(read(&int(7), &[At(1)]), "error: index out of bounds: A[1], size 1");
}

#[test]
fn out_of_bounds_names_array_index_and_size() {
    let mat = counting(&[4, 4]);
    assert_eq!(read(&mat, &[At(5), At(0)]), "error: index out of bounds: A[5,0], size 4x4");
    assert_eq!(read(&mat, &[At(-1), At(0)]), "error: index out of bounds: A[-1,0], size 4x4");
    assert_eq!(read(&mat, &[Position(vec![0, 4])]), "error: index out of bounds: A[0,4], size 4x4");
    assert_eq!(read(&mat, &[range(2, 6), All]), "error: index out of bounds: A[6,:], size 4x4");
    assert_eq!(read(&mat, &[Position(vec![0, 0, 1])]), "error: index out of bounds: A[0,0,1], size 4x4");
}

#[test]
fn boundary_modes_extend_an_array() {
    let v = counting(&[4]);
    let around = |mode| shown(load(&v, &[range(-3, 6)], access(mode)));
    assert_eq!(around(Boundary::Safe), "10: 0,0,0,0,1,2,3,0,0,0");
    assert_eq!(around(Boundary::Circular), "10: 1,2,3,0,1,2,3,0,1,2");
    assert_eq!(around(Boundary::Mirror), "10: 2,1,0,0,1,2,3,3,2,1");
    assert_eq!(around(Boundary::Clamped), "10: 0,0,0,0,1,2,3,3,3,3");
    let empty = counting(&[0]);
    assert_eq!(shown(load(&empty, &[At(1)], access(Boundary::Circular))), "0");
    let mat = counting(&[2, 2]);
    assert_eq!(shown(load(&mat, &[Position(vec![-1, 2])], access(Boundary::Mirror))), "1");
    assert_eq!(shown(load(&mat, &[At(7), All], access(Boundary::Safe))), "2: 0,0");
}

#[test]
fn slices_copy_and_assignment_writes_through() {
    let a = counting(&[2, 3]);
    let alias = a.clone();
    let slice = load(&a, &[At(0), All], access(Boundary::Checked)).unwrap();
    store(&a, &[At(0), All], &int(9), access(Boundary::Checked)).unwrap();
    assert_eq!(show(&slice), "3: 0,1,2");
    assert_eq!(show(&alias), "2x3: 9,9,9,3,4,5");
    store(&a, &[All, At(1)], &ivec(&[7, 8]), access(Boundary::Checked)).unwrap();
    assert_eq!(show(&a), "2x3: 9,7,9,3,8,5");
    store(&a, &[At(1), All], &reals(&[1, 3], &[1.9, -1.9, 3.0]), access(Boundary::Checked)).unwrap();
    assert_eq!(show(&a), "2x3: 9,7,9,1,-1,3");
    assert!(store(&a, &[All, All], &ints(&[3, 2], &[0; 6]), access(Boundary::Checked)).is_err());
    assert!(store(&a, &[At(2), At(0)], &int(0), access(Boundary::Checked)).is_err());
    for mode in [Boundary::Safe, Boundary::Circular, Boundary::Mirror, Boundary::Clamped] {
        store(&a, &[At(2), At(0)], &int(100), access(mode)).unwrap();
    }
    assert_eq!(show(&a), "2x3: 9,7,9,1,-1,3");
    let row = load(&a, &[At(1), All], access(Boundary::Checked)).unwrap();
    store(&row, &[range(0, 2)], &row.clone(), access(Boundary::Checked)).unwrap();
    assert_eq!(show(&row), "3: 1,-1,3");
}

#[test]
fn stores_obey_the_overflow_modifier() {
    let bytes: Value = ArrayBuf::vec(vec![0u8; 2]).into();
    let to = |overflow| Access { name: "b", boundary: Boundary::Checked, overflow };
    assert!(store(&bytes, &[At(0)], &int(300), to(Overflow::Checked)).is_err());
    store(&bytes, &[At(0)], &int(300), to(Overflow::Saturate)).unwrap();
    store(&bytes, &[At(1)], &int(300), to(Overflow::Wrap)).unwrap();
    assert_eq!(show(&bytes), "2: 255,44");
}

/// A mask as an index.
fn mask(items: &[i32]) -> Index {
    Index::from_value(&ivec(items).into_mask()).unwrap()
}

#[test]
fn masks_select_fill_gather_and_scatter() {
    let x = vec(&[-1.5, 2.5, -3.5, 4.5]);
    let positive = || [mask(&[0, 1, 0, 1])];
    let access = access(Boundary::Checked);
    assert_eq!(shown(load(&x, &positive(), access)), "2: 2.5,4.5");
    store(&x, &positive(), &vec(&[2.0, 4.0]), access).unwrap();
    assert_eq!(show(&x), "4: -1.5,2,-3.5,4");
    store(&x, &[mask(&[1, 0, 1, 0])], &int(0), access).unwrap();
    assert_eq!(show(&x), "4: 0,2,0,4");
    store(&x, &[mask(&[1, 0, 0, 1])], &vec(&[5.0, 6.0, 7.0, 8.0]), access).unwrap();
    assert_eq!(show(&x), "4: 5,2,0,8");
    assert!(store(&x, &positive(), &vec(&[1.0, 2.0, 3.0]), access).is_err());
    assert!(load(&x, &[mask(&[1, 0])], access).is_err());
    store(&x, &[mask(&[0, 0, 0, 0])], &int(7), access).unwrap();
    assert_eq!(show(&x), "4: 5,2,0,8");
    // What is no mask names positions.
    assert_eq!(shown(load(&x, &[Index::List(vec![0, 1, 0, 1])], access)), "4: 5,2,5,2");
}

#[test]
fn a_mask_beside_other_indices_selects_along_its_dimension() {
    let a: Value = ArrayBuf::new(vec![2, 3], ArrayData::I32(vec![1, 2, 3, 4, 5, 6])).unwrap().into();
    let access = access(Boundary::Checked);
    assert_eq!(shown(load(&a, &[At(1), mask(&[1, 0, 1])], access)), "2: 4,6");
    assert_eq!(shown(load(&a, &[mask(&[0, 1]), Index::All], access)), "1x3: 4,5,6");
    assert!(load(&a, &[mask(&[0, 1, 0]), Index::All], access).is_err());
}

#[test]
fn strings_and_cells_are_indexed() {
    assert_eq!(read(&text("quasar"), &[At(1)]), "u");
    assert_eq!(read(&text("quasar"), &[range(0, 2)]), "qua");
    assert!(read(&text("abc"), &[At(3)]).starts_with("error"));
    let cell = Value::cell(vec![int(1), text("x")]);
    assert_eq!(read(&cell, &[At(1)]), "x");
    store(&cell, &[At(0)], &ivec(&[1, 2]), access(Boundary::Checked)).unwrap();
    assert_eq!(print(&cell), "{[1,2],\"x\"}");
    store(&cell, &[At(0)], &cell.clone(), access(Boundary::Checked)).unwrap();
    // Without the way back to itself it is freed.
    store(&cell, &[At(0)], &int(0), access(Boundary::Checked)).unwrap();
}

#[test]
fn huge_selections_are_errors() {
    let huge = Index::Range { from: 0, step: 1, count: usize::MAX / 64 };
    assert!(load(&counting(&[4]), &[huge], access(Boundary::Safe)).is_err());
    assert!(load(&counting(&[4]), &[], access(Boundary::Safe)).is_err());
    assert!(load(&counting(&[4]), &vec![At(0); 17], access(Boundary::Safe)).is_err());
}
