//! The exact token is underlined, each mistake is told once, and callers of the function stay right.

quasar::quasar! {
    function y : mat = brighter(x : mat, amount : scalar)
        y = x + amuont
    endfunction

    function n : int = count(x : mat)
        n = numel(x) + unknown(x)
    endfunction
}

fn main() -> quasar::Result<()> {
    let image = quasar::Array::from([[1.0f32, 2.0]]);
    let brighter: quasar::Array<f32> = brighter(&image, 1.0)?;
    let _: i32 = count(&brighter)?;
    Ok(())
}
