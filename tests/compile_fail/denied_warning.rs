//! A warning is the use of a deprecated item, at its place.
#![deny(deprecated)]

quasar::quasar! {
    function y : vec = twice(x : vec)
        for k = 0..0
            y = x
        endfor
        {!unknown_attribute}
        y = 2 * x
    endfunction
}

fn main() {}
