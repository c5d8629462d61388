//! Compiled programs whose calls are nested: the same limit as on the interpreter, on threads with any stack, and in pools.
//! That nothing ends the process is what these tests are for; programs that only print are in
//! `tests/programs`.

use quasar::Error;
use rayon::prelude::*;

mod program {
    quasar::quasar! {
        #![quiet]
        function y : int = down(n : int)
            y = 0
            if n > 0
                y = down(n - 1) + 1
            endif
        endfunction

        function y : vec = wide(x : vec, n : int)
            y = x
            if n > 0
                a = [x[0], 1.0, 2.0, 3.0]
                y = wide(a + 1, n - 1)
            endif
        endfunction

        function y : scalar = shallow(x : vec)
            y = sum(x .* 2)
        endfunction

        function y : int = in_kernel(n : int)
            x = zeros(8)
            parallel_do(size(x), x, n, __kernel__ (x : vec, n : int, pos : int) -> x[pos] = descended(n))
            y = int(x[7])
        endfunction

        function y : int = __device__ descended(n : int)
            y = 0
            if n > 0
                y = descended(n - 1) + 1
            endif
        endfunction
    }
}

use program::{down, in_kernel, shallow, wide};

fn on_thread<R: Send + 'static>(bytes: usize, f: impl FnOnce() -> R + Send + 'static) -> R {
    std::thread::Builder::new().stack_size(bytes).spawn(f).unwrap().join().unwrap()
}

fn is_too_deep<T: std::fmt::Debug>(result: quasar::Result<T>) -> bool {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::System { .. }), "{error:?}");
    error.to_string().contains("calls are nested more than 10000 deep; does a recursion never end?")
}

#[test]
fn the_limit_is_the_same_on_stacks_of_all_sizes() {
    for bytes in [64 << 10, 256 << 10, 2 << 20, 16 << 20] {
        on_thread(bytes, move || {
            assert_eq!(down(9_999).unwrap(), 9_999, "{bytes}");
            assert!(is_too_deep(down(10_000)), "{bytes}");
            assert!(is_too_deep(down(i32::MAX)), "{bytes}");
            let x = quasar::Array::from_vec(&[4], vec![1.0_f32; 4]).unwrap();
            assert_eq!(wide(&x, 5_000).unwrap().dims(), [4]);
            assert!(is_too_deep(wide(&x, 20_000)));
            assert_eq!(shallow(&x).unwrap(), 8.0);
        });
    }
}

#[test]
fn workers_of_a_pool_nest_calls() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).stack_size(128 << 10).build().unwrap();
    pool.install(|| {
        (0..64).into_par_iter().for_each(|k| {
            assert_eq!(down(9_000 + k).unwrap(), 9_000 + k);
            assert!(is_too_deep(down(10_000 + k)));
            let (a, b) = rayon::join(|| down(9_500), || down(20_000));
            assert_eq!(a.unwrap(), 9_500);
            assert!(is_too_deep(b));
        });
    });
}

#[test]
fn kernels_nest_calls() {
    on_thread(256 << 10, || {
        assert_eq!(in_kernel(5_000).unwrap(), 5_000);
        let error = in_kernel(30_000).unwrap_err().to_string();
        assert!(error.contains("calls are nested more than 10000 deep"), "{error}");
        assert_eq!(in_kernel(10).unwrap(), 10);
    });
}
