//! What the filters do, on images that one can compute by hand.

use quasar::Array;

#[test]
fn one_color_stays_as_it_is() -> quasar::Result<()> {
    let gray = Array::from([[7.0f32; 5]; 4]);
    assert_eq!(NAME::smooth(&gray, 1)?, gray);
    Ok(())
}

#[test]
fn a_point_is_spread_over_its_neighbours() -> quasar::Result<()> {
    let point = Array::from([[0.0f32, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 0.0]]);
    assert_eq!(NAME::smooth(&point, 1)?, Array::from([[1.0f32; 3]; 3]));
    Ok(())
}
