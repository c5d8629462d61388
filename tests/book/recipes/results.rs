use quasar::{Array, Complex};

quasar::quasar! {
    function [low : scalar, place : int, text : string] = lowest(x : vec)
        place = argmin(x)
        low = x[place]
        text = sprintf("%g at %d", low, place)
    endfunction

    function y : cvec = spectrum(x : vec)
        y = fft1(x)
    endfunction
}

#[test]
fn several_results_are_a_tuple() -> quasar::Result<()> {
    let x = Array::from([3.0f32, 1.0, 2.0]);
    let (low, place, text) = lowest(&x)?;
    assert_eq!((low, place, text.as_str()), (1.0, 1, "1 at 1"));
    assert_eq!(spectrum(&x)?.get(&[0])?, Complex::new(6.0, 0.0));
    Ok(())
}
