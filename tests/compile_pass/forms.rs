//! All three forms, alone and made by another macro, in a crate that refuses unsafe code and warnings.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use quasar::Array;

quasar::quasar! {
    // A comment of Rust, % and one of Quasar
    function y : mat = tokens(x : mat 'mirror)
        y = 2 * x   % twice
    endfunction
}

mod text {
    quasar::quasar!(
        r#"
        function y : mat = text(x : mat'mirror)
            y = 2 * x % don't
        endfunction
    "#
    );
}

mod file {
    quasar::quasar_file!("twice.q");
}

mod instances {
    quasar::quasar! {
        #[instantiate(filled[scalar])]
        #![instantiate(filled[int])]
        function y : vec[T] = filled[T](n : int, value : T)
            y = vec[T](n)
            for k = 0..n-1
                y[k] = value
            endfor
        endfunction
    }
}

macro_rules! program {
    ($($tokens:tt)*) => { quasar::quasar! { $($tokens)* } };
}

mod wrapped {
    program! {
        function y : mat = wrapped(x : mat 'mirror)
            y = x
            for k = 0..size(x, 0) - 1
                y[k, :] = 2 * x[k, :]
            endfor
        endfunction
    }
}

macro_rules! scaling {
    ($name:ident, $by:literal) => {
        quasar::quasar! {
            function y : mat = $name(x : mat)
                y = x * $by
            endfunction
        }
    };
}

mod scaled {
    scaling!(by_two, 2);
    scaling!(by_three, 3);
}

quasar::quasar! {
    #![quiet]
    function y : mat = quiet(x : mat)
        y = 2 * x
    endfunction
}

mod given {
    pub mod file {
        quasar::quasar_file!("scaled.q", FACTOR = -3, SHIFT = [1, 2 + 3],);
    }
    pub mod text {
        quasar::quasar!("N = 1\nfunction y = text(x : int)\n    y = N * x\nendfunction\n", N = 5);
    }
    pub mod tokens {
        quasar::quasar! {
            #![define(N = 6, "M = 1")]
            #![quiet]
            N = 1
            M = 0
            function y = tokens(x : int)
                y = N * x + M
            endfunction
        }
    }
}

macro_rules! repeated {
    ($name:ident, $times:expr) => {
        mod $name {
            quasar::quasar_file!("scaled.q", FACTOR = $times);
        }
    };
}
repeated!(thrice, 2 + 1);

fn main() -> quasar::Result<()> {
    assert_eq!(given::file::scaled(2.0)?, -1.0);
    assert_eq!(given::text::text(2)?, 10);
    assert_eq!(given::tokens::tokens(2)?, 13);
    assert_eq!(thrice::scaled(2.0)?, 6.0);
    let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let twice = [2.0, 4.0, 6.0, 8.0];
    assert_eq!(tokens(&x)?.to_vec(), twice);
    assert_eq!(text::text(&x)?.to_vec(), twice);
    assert_eq!(file::twice(&x)?.to_vec(), twice);
    assert_eq!(instances::filled_scalar(2, 1.5)?.to_vec(), [1.5, 1.5]);
    assert_eq!(instances::filled_int(3, 7)?.to_vec(), [7, 7, 7]);
    assert_eq!(wrapped::wrapped(&x.copy()?)?.to_vec(), twice);
    let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    assert_eq!(scaled::by_two(&x)?.to_vec(), twice);
    assert_eq!(scaled::by_three(&x)?.to_vec(), [3.0, 6.0, 9.0, 12.0]);
    assert_eq!(quiet(&x)?.to_vec(), twice);
    Ok(())
}
