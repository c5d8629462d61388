//! Arrays as Rust programs see them.

use proptest::prelude::*;
use quasar_runtime::{Array, Error, abi};

#[test]
fn clones_are_one_array_and_copies_are_not() {
    let a = Array::from_vec(&[2, 2], vec![1, 2, 3, 4]).unwrap();
    let b = a.clone();
    let c = a.copy().unwrap();
    b.set(&[1, 0], 30).unwrap();
    assert_eq!(a.to_vec(), [1, 2, 30, 4]);
    assert_eq!(c.to_vec(), [1, 2, 3, 4]);
    assert!(a.same_buffer(&b) && !a.same_buffer(&c));
    assert_eq!(a, b);
    assert_ne!(a, c);
}

#[test]
fn reshaped_arrays_share_their_elements() {
    let a = Array::<f32>::zeros(&[2, 3]).unwrap();
    let b = a.reshape(&[3, 2]).unwrap();
    b.set(&[2, 1], 5.0).unwrap();
    assert_eq!(a.get(&[1, 2]).unwrap(), 5.0);
    assert!(a.same_buffer(&b));
    let error = a.reshape(&[4, 2]).unwrap_err();
    assert_eq!(error.to_string(), "reshape: 6 elements of size 2x3 do not fit 4x2");
}

/// The extents and elements of a stack of singles.
fn stacked(items: Vec<abi::Value>) -> Result<(Vec<usize>, Vec<f32>), Error> {
    let stack: Array<f32> = abi::typed(abi::stack(abi::ElementType::Single, items)?)?;
    Ok((stack.dims().to_vec(), stack.to_vec()))
}

#[test]
fn stacks_have_a_row_for_each_array() {
    let array = |dims: &[usize], elements: Vec<f32>| Array::from_vec(dims, elements).unwrap();
    let (a, b) = (array(&[1, 2], vec![1.0, 2.0]), array(&[1, 2], vec![f32::NAN, -0.0]));
    let (dims, elements) = stacked(vec![abi::value(&a), abi::value(&b), abi::value(&a)]).unwrap();
    assert_eq!(dims, [3, 1, 2]);
    let bits = |elements: &[f32]| elements.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&elements), bits(&[1.0, 2.0, f32::NAN, -0.0, 1.0, 2.0]));
    let v = array(&[2], vec![3.0, 4.0]);
    assert_eq!(stacked(vec![abi::value(&v)]).unwrap(), (vec![1, 2], vec![3.0, 4.0]));
    let integers = Array::from_vec(&[2], vec![5, 6]).unwrap();
    let mixed = stacked(vec![abi::value(&v), abi::value(&integers)]).unwrap();
    assert_eq!(mixed, (vec![2, 2], vec![3.0, 4.0, 5.0, 6.0]));
    let empty = array(&[0, 3], Vec::new());
    assert_eq!(stacked(vec![abi::value(&empty), abi::value(&empty)]).unwrap(), (vec![2, 0, 3], vec![]));
    assert_eq!(stacked(vec![abi::value(&1.5f32), abi::value(&2.5f32)]).unwrap(), (vec![2], vec![1.5, 2.5]));
    let longer = array(&[3], vec![0.0; 3]);
    assert!(matches!(stacked(vec![abi::value(&v), abi::value(&longer)]), Err(Error::SizeMismatch { .. })));
    let deep = array(&[1; 16], vec![0.0]);
    assert!(matches!(stacked(vec![abi::value(&deep)]), Err(Error::TooManyDimensions { count: 17, .. })));
}

#[test]
fn sizes_are_checked() {
    assert!(matches!(Array::<u8>::zeros(&[1; 17]), Err(Error::TooManyDimensions { count: 17, .. })));
    let error = Array::from_vec(&[2, 2], vec![1u8]).unwrap_err();
    assert_eq!(error.to_string(), "an array of size 2x2 has 4 elements, found 1");
    let error = Array::<f64>::zeros(&[1 << 30, 1 << 30]).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    assert!(error.to_string().contains("1073741824x1073741824"), "{error}");
    assert!(matches!(Array::<f64>::uninit(&[usize::MAX, 2]), Err(Error::OutOfMemory { bytes: None, .. })));
}

#[test]
fn empty_arrays_exist() {
    let a = Array::<i16>::zeros(&[0, 5]).unwrap();
    assert!(a.is_empty());
    assert_eq!((a.ndims(), a.extent(1), a.extent(7)), (2, 5, 1));
    assert!(a.read().is_empty());
    assert!(matches!(a.get(&[0, 0]), Err(Error::OutOfBounds { .. })));
}

#[test]
fn elements_outside_are_errors() {
    let a = Array::from_vec(&[3], vec![1.0, 2.0, 3.0]).unwrap();
    assert_eq!(a.get(&[0, 2]).unwrap(), 3.0);
    assert_eq!(a.get(&[3]).unwrap_err().to_string(), "index out of bounds: array[3], size 3");
    assert!(a.set(&[-1], 0.0).is_err());
}

#[test]
fn a_thread_that_would_wait_for_itself_gets_an_error() {
    let a = Array::from_vec(&[1], vec![1]).unwrap();
    let first = a.read();
    let second = a.read();
    assert!(a.try_write().is_err());
    drop((first, second));
    let writing = a.write();
    let error = a.try_read().unwrap_err();
    assert!(error.to_string().contains("drop the guard"), "{error}");
    drop(writing);
    assert!(a.try_read().is_ok());
}

#[test]
fn threads_share_arrays() {
    let a = Array::<u64>::zeros(&[100]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let a = a.clone();
            scope.spawn(move || {
                for _ in 0..25 {
                    for x in a.write().iter_mut() {
                        *x += 1;
                    }
                    let seen = a.read();
                    assert!(seen.iter().all(|&x| x == seen[0]));
                }
            });
        }
    });
    assert!(a.read().iter().all(|&x| x == 100));
}

#[test]
fn a_panicking_writer_does_not_lock_the_array() {
    let a = Array::from_vec(&[2], vec![1, 2]).unwrap();
    let b = a.clone();
    let result = std::thread::spawn(move || {
        let _guard = b.write();
        panic!("expected by the test");
    })
    .join();
    assert!(result.is_err());
    a.write()[0] = 9;
    assert_eq!(a.to_vec(), [9, 2]);
}

#[test]
fn vectors_move_in_and_out() {
    let elements = vec![1u8, 2, 3];
    let address = elements.as_ptr();
    let a = Array::from_vec(&[3], elements).unwrap();
    assert_eq!(a.read().as_ptr(), address);
    let other = a.clone();
    let copied = a.into_vec();
    assert_ne!(copied.as_ptr(), address);
    let moved = other.into_vec();
    assert_eq!(moved.as_ptr(), address);
}

#[test]
fn large_blocks_are_reused() {
    let bytes = 3 << 20;
    let a = Array::<u8>::uninit(&[bytes]).unwrap();
    let address = a.read().as_ptr();
    drop(a);
    let b = Array::<u8>::zeros(&[bytes]).unwrap();
    assert_eq!(b.read().as_ptr(), address);
    assert!(b.read().iter().all(|&x| x == 0));
}

proptest! {
    #[test]
    fn row_major_order_is_the_order_of_elements(dims in prop::collection::vec(1usize..5, 1..5)) {
        let count: usize = dims.iter().product();
        let a = Array::from_vec(&dims, (0..count as i64).collect()).unwrap();
        let mut index = vec![0i64; dims.len()];
        for expected in 0..count as i64 {
            prop_assert_eq!(a.get(&index).unwrap(), expected);
            for k in (0..dims.len()).rev() {
                index[k] += 1;
                if index[k] < dims[k] as i64 {
                    break;
                }
                index[k] = 0;
            }
        }
    }
}
