//! Calls with arrays that the calling thread holds by a guard: whatever a program does with one is an error, and no panic.

use quasar::{Array, Error};

mod f {
    quasar::quasar! {
        function [] = incremented(x : vec)
            x[0] += 1
        endfunction
        function [] = filled(x : vec)
            x[:] = 1
        endfunction
        function y : vec = sorted(x : vec)
            y = sort(x)
        endfunction
        function [] = shown(x : vec)
            print x
        endfunction
        function y = total(x : vec)
            y = sum(x)
        endfunction
        function y : vec = moved(x : vec)
            y = circshift(x, 1)
        endfunction
        function n : int = recovered(x : vec)
            n = 1
            try
                y = sort(x)
                n = 2
            catch e
                n = 3
            endtry
        endfunction
        function n : int = length(x : vec)
            n = numel(x)
        endfunction
    }
}

#[test]
fn held_arrays_are_refused() {
    let x: Array<f32> = vec![3.0, 1.0, 2.0].into();
    let held = x.write();
    let refused = |error: Error| assert!(error.to_string().contains("this thread already uses"), "{error}");
    refused(f::incremented(&x).unwrap_err());
    refused(f::filled(&x).unwrap_err());
    refused(f::sorted(&x).unwrap_err());
    refused(f::shown(&x).unwrap_err());
    refused(f::total(&x).unwrap_err());
    refused(f::moved(&x).unwrap_err());
    assert_eq!(f::length(&x).unwrap(), 3);
    drop(held);
    f::incremented(&x).unwrap();
    assert_eq!(f::sorted(&x).unwrap().to_vec(), [1.0, 2.0, 4.0]);
    let read = x.read();
    refused(f::incremented(&x).unwrap_err());
    assert_eq!(f::sorted(&x).unwrap().to_vec(), [1.0, 2.0, 4.0]);
    drop(read);
    assert_eq!(x.to_vec(), [4.0, 1.0, 2.0]);
}

#[test]
fn programs_catch_the_refusal_or_end_with_it() {
    let x: Array<f32> = vec![3.0, 1.0].into();
    let held = x.write();
    match f::recovered(&x) {
        Ok(n) => assert_eq!(n, 3),
        Err(error) => assert!(error.to_string().contains("this thread already uses"), "{error}"),
    }
    drop(held);
    assert_eq!(f::recovered(&x).unwrap(), 2);
}

#[test]
fn other_panics_go_on() {
    let result = std::panic::catch_unwind(|| quasar::abi::run::<()>(|| panic!("of somebody else")));
    let payload = result.unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"of somebody else"));
}
