//! Tokens that another macro passes on keep their places.

macro_rules! program {
    ($($tokens:tt)*) => { quasar::quasar! { $($tokens)* } };
}

program! {
    function y : scalar = twice(x : scalar)
        y = 2 * xx
    endfunction
}

fn main() {}
