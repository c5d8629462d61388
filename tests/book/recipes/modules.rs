use quasar::Array;

mod smooth {
    quasar::quasar! {
        function y : vec = filtered(x : vec 'clamped)
            y = uninit(numel(x))
            for n = 0..numel(x)-1
                y[n] = (x[n-1] + x[n] + x[n+1]) / 3
            endfor
        endfunction
    }
}

mod precise {
    quasar::quasar! {
        #![double]
        function y : vec = filtered(x : vec 'circular)
            y = uninit(numel(x))
            for n = 0..numel(x)-1
                y[n] = (x[n-1] + x[n+1]) / 2
            endfor
        endfunction
    }
}

#[test]
fn both_modules_have_a_function_of_the_same_name() -> quasar::Result<()> {
    assert_eq!(smooth::filtered(&Array::from([0.0f32, 3.0, 6.0]))?.to_vec(), [1.0, 3.0, 5.0]);
    assert_eq!(precise::filtered(&Array::from([0.0f64, 3.0, 6.0]))?.to_vec(), [4.5, 3.0, 1.5]);
    Ok(())
}
