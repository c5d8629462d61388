use quasar::Array;

#[test]
fn elements_are_used_where_they_are() -> quasar::Result<()> {
    let image = Array::<f32>::zeros(&[2, 3])?;
    {
        let mut pixels = image.write();
        pixels[4] = 7.0;
        pixels.iter_mut().for_each(|pixel| *pixel += 1.0);
    }
    let largest = image.read().iter().copied().fold(f32::MIN, f32::max);
    assert_eq!(largest, 8.0);
    assert_eq!(image.read()[..3], [1.0, 1.0, 1.0]);
    Ok(())
}
