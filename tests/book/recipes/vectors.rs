use quasar::Array;

quasar::quasar! {
    function y : mat = scaled(x : mat, factor : scalar)
        y = factor * x
    endfunction
}

#[test]
fn vectors_go_in_and_come_out() -> quasar::Result<()> {
    // Moved, not copied: six numbers as two rows of three.
    let x = Array::from_vec(&[2, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let y = scaled(&x, 10.0)?;
    assert_eq!(y.dims(), [2, 3]);
    assert_eq!(y.get(&[1, 0])?, 40.0);
    assert_eq!(Vec::from(y), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);

    // A slice of somebody else is copied.
    let samples: &[f32] = &[1.0, 2.0];
    let row = scaled(&Array::from_slice(&[1, 2], samples)?, 2.0)?;
    assert_eq!(row.to_vec(), [2.0, 4.0]);
    Ok(())
}
