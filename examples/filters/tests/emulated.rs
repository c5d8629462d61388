//! The kernels that the compiler makes of the filters' loops, on the virtual device: no races, nothing out of bounds.

use quasar::Array;
use quasar_emulator::{Emulator, Program};

#[test]
fn kernels_of_the_filters_have_no_mistakes() {
    let program = Program::from_file("src/edges.q").expect("the filters compile");
    let image =
        Array::from_vec(&[9, 11], (0..99u16).map(|k| f32::from(k * k % 31)).collect()).expect("99 pixels");

    let report = Emulator::new(&program)
        .call("edges", &[image.into(), quasar::Value::from(quasar::Scalar::F32(20.0))]);

    assert!(report.is_clean(), "{report}");
    assert!(report.launches().iter().any(|launch| launch.kernel.starts_with("opt__")), "{report}");
}
