//! One array under several names of one call, from many threads: what a call reads by one name is what it finds when it has begun
//! to write by the other one, so that no update of another call is lost.
//!
//! The tests before these passed such an array only where it did not matter when it was read.

use super::{LARGE, SMALL, on_threads, ones, shared_out, value, watched};
use quasar::Array;

mod program {
    quasar::quasar! {
        #![quiet]
        function [] = add_to(a : vec, b : vec)
            for k = 0..numel(a) - 1
                a[k] += b[k]
            endfor
        endfunction

        function [] = next_to(a : vec, b : vec)
            for k = 0..numel(a) - 1
                a[k] = b[k] + 1
            endfor
        endfunction

        function [] = next_of_two(a : vec, b : vec, c : vec)
            for k = 0..numel(a) - 1
                a[k] = 2 * b[k] - c[k] + 1
            endfor
        endfunction

        function [] = next_of_matrix(a : mat, b : mat)
            for m = 0..size(a, 0) - 1
                for n = 0..size(a, 1) - 1
                    a[m, n] = b[m, n] + 1
                endfor
            endfor
        endfunction

        function [] = __kernel__ next(a : vec, b : vec, pos : int)
            a[pos] = b[pos] + 1
        endfunction

        function [] = next_by_kernel(a : vec, b : vec)
            parallel_do(numel(a), a, b, next)
        endfunction

        function [] = __kernel__ next_of_four(a : vec, b : vec(4), pos : int)
            a[pos] = b[pos] + 1
        endfunction

        function [] = next_of_values(a : vec, b : vec(4))
            parallel_do(numel(a), a, b, next_of_four)
        endfunction

        function [] = next_of_captured(a : vec, b : vec(4))
            f : [__device__ int -> scalar] = k -> b[k] + 1
            for k = 0..numel(a) - 1
                a[k] = f(k)
            endfor
        endfunction

        function [] = add_to_both(a : vec, b : vec)
            for k = 0..numel(a) - 1
                a[k] += 1
                b[k] += 1
            endfor
        endfunction

        function [] = count_both(m : mat, v : vec)
            for k = 0..numel(v) - 1
                v[k] += 1
                m[floor(k / size(m, 1)), mod(k, size(m, 1))] += 1
            endfor
        endfunction

        function [] = __kernel__ count(m : mat, v : vec, pos : ivec2)
            m[pos[0], pos[1]] += 1
            v[pos[0] * size(m, 1) + pos[1]] += 1
        endfunction

        function [] = count_by_kernel(m : mat, v : vec)
            parallel_do(size(m), m, v, count)
        endfunction

        function [] = chain(a : vec, b : vec)
            for k = 1..numel(a) - 1
                a[k] = b[k - 1] + 1
            endfor
        endfunction

        function [] = chain_while(a : vec, b : vec)
            k = 1
            while k < numel(a) && a[k] < 1000000
                a[k] = b[k - 1] + 1
                k += 1
            endwhile
        endfunction

        function [] = chain_of_three(a : vec, b : vec, c : vec)
            for k = 1..numel(a) - 1
                a[k] = b[k - 1] + c[k] + 1
            endfor
        endfunction

        function [] = turn(a : cvec, b : cvec)
            for k = 1..numel(a) - 1
                a[k] *= b[k - 1]
            endfor
        endfunction

        function [] = beyond(a : vec 'checked, b : vec)
            for k = 0..numel(a)
                b[0] = k
                a[k] = b[0] + 1
            endfor
        endfunction

        type pair : class
            first : vec
            second : vec
        endtype

        function [] = next_in_object(a : vec, b : vec)
            object = pair(first := a, second := b)
            next_to(object.first, object.second)
        endfunction
    }
}

const THREADS: usize = 4;
const CALLS: usize = 500;

/// Each call adds one to each element, as the first argument says.
#[track_caller]
fn each_call_counts(counts: &[usize], call: impl Fn(&Array<f32>) + Sync + Send + Copy + 'static) {
    let counts = counts.to_vec();
    let lost = watched(300, move || {
        shared_out();
        let left = |count: &usize| {
            let (a, calls) = (ones(*count), if *count > 1000 { 40 } else { CALLS });
            on_threads(THREADS, calls, |_, _| call(&a));
            (THREADS * calls + 1) as f32 - value(&a)
        };
        counts.iter().map(left).collect::<Vec<f32>>()
    });
    assert!(lost.iter().all(|lost| *lost == 0.0), "updates were lost: {lost:?}");
}

#[test]
fn doubled_by_itself() {
    watched(300, || {
        for count in [SMALL, LARGE] {
            let a = ones(count);
            on_threads(THREADS, 30, |_, _| program::add_to(&a, &a).unwrap());
            // 2^120, each doubling is exact.
            assert_eq!(value(&a), (THREADS as f32 * 30.0).exp2());
        }
    });
}

#[test]
fn written_behind_what_is_read() {
    each_call_counts(&[SMALL, LARGE], |a| program::next_to(a, a).unwrap());
}

#[test]
fn read_by_two_names() {
    each_call_counts(&[SMALL, LARGE], |a| program::next_of_two(a, a, a).unwrap());
}

#[test]
fn views_of_one_array() {
    each_call_counts(&[64], |a| {
        let view = || a.reshape(&[8, 8]).unwrap();
        program::next_of_matrix(&view(), &view()).unwrap();
    });
}

#[test]
fn launched_kernels() {
    each_call_counts(&[SMALL, LARGE], |a| program::next_by_kernel(a, a).unwrap());
}

/// Arrays of few elements are passed by value.
#[test]
fn small_arrays_as_values() {
    each_call_counts(&[4], |a| program::next_of_values(a, a).unwrap());
}

#[test]
fn fields_of_an_object() {
    each_call_counts(&[SMALL], |a| program::next_in_object(a, a).unwrap());
}

#[test]
fn written_by_both_names() {
    watched(300, || {
        let a = ones(SMALL);
        on_threads(THREADS, CALLS, |_, _| program::add_to_both(&a, &a).unwrap());
        assert_eq!(value(&a), (2 * THREADS * CALLS + 1) as f32);
    });
}

/// Elements that are the same under other dimensions.
#[test]
fn written_as_a_vector_and_as_a_matrix() {
    watched(300, || {
        shared_out();
        for side in [4, 200] {
            let a = ones(side * side);
            let matrix = a.reshape(&[side, side]).unwrap();
            on_threads(THREADS, 50, |k, _| match k % 2 {
                0 => program::count_both(&matrix, &a).unwrap(),
                _ => program::count_by_kernel(&matrix, &a).unwrap(),
            });
            assert_eq!(value(&a), (2 * THREADS * 50 + 1) as f32);
        }
    });
}

#[test]
fn loops_that_depend_on_what_they_wrote() {
    let numbers = |count: usize| (0..count).map(|k| k as f32).collect::<Vec<f32>>();
    for count in [5, 60_000] {
        let a = Array::zeros(&[count]).unwrap();
        program::chain(&a, &a).unwrap();
        assert_eq!(a.to_vec(), numbers(count));
        let b = Array::zeros(&[count]).unwrap();
        program::chain_while(&b, &b).unwrap();
        assert_eq!(b.to_vec(), numbers(count));
        let c = Array::zeros(&[count]).unwrap();
        program::chain(&c, &b).unwrap();
        assert_eq!((c.get(&[0]).unwrap(), c.get(&[3]).unwrap()), (0.0, 3.0));
        program::chain_of_three(&c, &c, &b).unwrap();
        assert_eq!((c.get(&[1]).unwrap(), c.get(&[2]).unwrap()), (2.0, 5.0));
    }
}

/// What is only read keeps its guards, and other arrays are as usual.
#[test]
fn in_order_beside_a_guard() {
    let (a, b) = (Array::zeros(&[6]).unwrap(), ones(6));
    let guard = b.read();
    program::chain_of_three(&a, &a, &b).unwrap();
    assert_eq!(a.to_vec(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert!(program::chain_of_three(&b, &b, &a).is_err(), "this thread reads it");
    drop(guard);
}

#[test]
fn complex_numbers_in_order() {
    use quasar::Complex;
    let z = Array::from_vec(&[3], vec![Complex::new(0.0f32, 1.0); 3]).unwrap();
    program::turn(&z, &z).unwrap();
    assert_eq!(z.to_vec(), [Complex::new(0.0, 1.0), Complex::new(-1.0, 0.0), Complex::new(0.0, -1.0)]);
}

#[test]
fn errors_in_order_name_the_place() {
    let a = ones(4);
    let error = program::beyond(&a, &a).unwrap_err().to_string();
    assert!(error.contains("a[4]") && error.contains("size 4"), "{error}");
    program::beyond(&ones(4), &ones(3)).unwrap_err();
    program::beyond(&ones(4), &ones(3)).unwrap_err();
}

/// Calls with one array between calls with two, in both orders.
#[test]
fn among_calls_with_other_arrays() {
    watched(300, || {
        shared_out();
        let (a, b) = (ones(SMALL), ones(SMALL));
        on_threads(6, 300, |k, _| match k % 3 {
            0 => program::next_to(&a, &a).unwrap(),
            1 => program::add_to_both(&b, &a).unwrap(),
            _ => program::next_by_kernel(&b, &b).unwrap(),
        });
        assert_eq!((value(&a), value(&b)), (1201.0, 1201.0));
    });
}

/// The same where launches go to a device, if there is one.
#[test]
fn on_a_device() {
    let Ok(devices) = quasar::device::select::opencl() else { return };
    let Some(device) = devices.into_iter().next() else { return };
    watched(300, move || {
        let (a, small) = (ones(SMALL), ones(4));
        on_threads(THREADS, 60, |_, call| {
            let device = (call % 3 > 0).then(|| device.clone());
            quasar::context::with_device(device, || {
                program::next_to(&a, &a).unwrap();
                program::next_of_values(&small, &small).unwrap();
            });
        });
        let counted = (THREADS * 60 + 1) as f32;
        assert_eq!((value(&a), value(&small)), (counted, counted));
    });
}
