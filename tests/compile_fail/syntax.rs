//! A mistake of syntax, told in words of the language.

quasar::quasar! {
    function y : vec = double(x : vec)
        if x[0] > 0 then
            y = 2 * x
        endif
    endfunction
}

fn main() {
    let _ = double(&quasar::Array::from([1.0f32]));
}
