use quasar::Array;
use rayon::prelude::*;

quasar::quasar! {
    function s : scalar = energy(x : vec)
        s = sum(x.^2)
    endfunction
}

#[test]
fn calls_from_many_threads() -> quasar::Result<()> {
    let signals: Vec<Array<f32>> = (1..=8u8).map(|k| Array::from(vec![f32::from(k); 100])).collect();
    let energies: Vec<f32> = signals.par_iter().map(energy).collect::<quasar::Result<_>>()?;
    assert_eq!(energies[..3], [100.0, 400.0, 900.0]);
    Ok(())
}
