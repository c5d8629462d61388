//! The edges of pictures that Rust draws.

use quasar::Array;
use quasar_example_filters::edges::{edges, sobel};

/// A bright square on a dark ground.
fn square() -> quasar::Result<Array<f32>> {
    let image = Array::zeros(&[12, 12])?;
    for y in 4..8 {
        for x in 4..8 {
            image.set(&[y, x], 100.0)?;
        }
    }
    Ok(image)
}

#[test]
fn a_slope_is_as_strong_everywhere() -> quasar::Result<()> {
    let slope: Vec<f32> = (0..48).map(|k| 2.0 * (k % 8) as f32).collect();
    let strength = sobel(&Array::from_vec(&[6, 8], slope)?)?;
    // Sobel's weights add up to 8 for a difference of two columns.
    assert!((1..7).all(|x| strength.get(&[3, x]).is_ok_and(|s| s == 16.0)));
    Ok(())
}

#[test]
fn edges_lie_around_the_square() -> quasar::Result<()> {
    let (marks, count) = edges(&square()?, 50.0)?;
    // A frame of 6x6 pixels without its inner 2x2.
    assert_eq!(count, 32);
    assert_eq!(marks.read().iter().sum::<f32>(), 32.0);
    assert_eq!([marks.get(&[5, 5])?, marks.get(&[3, 3])?, marks.get(&[0, 0])?], [0.0, 1.0, 0.0]);
    Ok(())
}

#[test]
fn arrays_of_another_rank_are_refused() {
    let error = sobel(&Array::<f32>::zeros(&[2, 2, 3]).expect("small")).unwrap_err();
    assert!(error.to_string().contains('3'), "{error}");
}
