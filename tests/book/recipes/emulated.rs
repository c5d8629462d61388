use quasar::{Array, Value};
use quasar_emulator::{Emulator, Program};

#[test]
fn the_kernel_has_no_race() {
    let program = Program::from_text("gain.q", include_str!("gain.q")).expect("it compiles");
    let x = Value::from(Array::from([[1.0f32, 2.0], [3.0, 4.0]]));
    let report = Emulator::new(&program).call("amplified", &[x]);
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.launches().len(), 1);
}
