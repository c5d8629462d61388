use quasar::Array;

mod as_written {
    quasar::quasar_file!("tests/book/recipes/gain.q");
}

mod louder {
    quasar::quasar_file!("tests/book/recipes/gain.q", GAIN = 10);
}

#[test]
fn one_file_with_two_values() -> quasar::Result<()> {
    let x = Array::from([[1.0f32, 2.0]]);
    assert_eq!(as_written::amplified(&x)?.to_vec(), [2.0, 4.0]);
    assert_eq!(louder::amplified(&x)?.to_vec(), [10.0, 20.0]);
    Ok(())
}
