//! The filter does what its comment says, on images that are small enough to compute by hand.

use quasar::Array;
use sharpen::sharpen;

#[test]
fn a_flat_image_stays_as_it_is() -> quasar::Result<()> {
    let flat = Array::from_vec(&[4, 5, 3], vec![7.0f32; 4 * 5 * 3])?;
    assert_eq!(sharpen(&flat, 1.5)?.to_vec(), flat.to_vec());
    Ok(())
}

#[test]
fn a_bright_pixel_becomes_brighter() -> quasar::Result<()> {
    let mut pixels = vec![10.0f32; 9];
    pixels[4] = 19.0;
    let image = Array::from_vec(&[3, 3, 1], pixels)?;
    // The mean around the middle is 11: 19 + 0.5 * (19 - 11).
    assert_eq!(sharpen(&image, 0.5)?.get(&[1, 1, 0])?, 23.0);
    Ok(())
}
