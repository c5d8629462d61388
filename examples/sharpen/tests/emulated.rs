//! The kernel that the compiler makes of the loops has no race and no access out of bounds, on a virtual device.

use quasar::{Array, Scalar, Value};
use quasar_emulator::{Emulator, Program};

#[test]
fn the_kernel_has_no_mistakes() {
    let program = Program::from_file("src/sharpen.q").expect("the filter compiles");
    let image = Array::from_vec(&[5, 7, 3], vec![1.0f32; 105]).expect("105 values");
    let amount = Value::from(Scalar::F32(0.5));
    let report = Emulator::new(&program).call("sharpen", &[image.into(), amount]);
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.launches().len(), 1);
}
