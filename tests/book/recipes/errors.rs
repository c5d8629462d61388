use quasar::{Array, Error};

quasar::quasar! {
    function y : scalar = element(x : vec, n : int)
        if n < 0
            error("no element ", n)
        endif
        y = x[n]
    endfunction

    function y : vec = added(a : vec, b : vec)
        y = a + b
    endfunction
}

#[test]
fn errors_are_values() {
    let x = Array::from([1.0f32, 2.0, 3.0]);
    match element(&x, 3) {
        Err(Error::OutOfBounds { array, index, dims, .. }) => {
            assert_eq!((array.as_ref(), index, dims), ("x", vec![3], vec![3]));
        }
        other => panic!("{other:?}"),
    }
    let error = element(&x, -1).unwrap_err();
    assert!(matches!(error, Error::User { .. }));
    assert!(error.to_string().contains("no element -1"));
    let error = added(&x, &Array::from([1.0f32])).unwrap_err();
    assert!(matches!(error, Error::SizeMismatch { .. }), "{error:?}");
}
