//! The message shows the line of the literal.

quasar::quasar!(
    r#"
    function y : mat = brighter(x : mat'mirror, amount : scalar)
        y = x + amuont
    endfunction
"#
);

fn main() {}
