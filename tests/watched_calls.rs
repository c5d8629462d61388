//! Calls that tell of their progress, are cancelled, or run on a thread of their own.

use quasar::{Array, Call, Cancel, Error, Progress, Result};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

mod f {
    quasar::quasar! {
        // So much work for each position that chunks take their time.
        function y : mat = slow(x : mat, rounds : int)
            y = zeros(size(x))
            for m = 0..size(x, 0) - 1
                for n = 0..size(x, 1) - 1
                    s = x[m, n]
                    for k = 1..rounds
                        s = sin(s) + 0.001
                    endfor
                    y[m, n] = s
                endfor
            endfor
        endfunction

        function total : scalar = sums(x : mat, times : int)
            total = 0.0
            for k = 1..times
                for m = 0..size(x, 0) - 1
                    for n = 0..size(x, 1) - 1
                        total += x[m, n]
                    endfor
                endfor
            endfor
        endfunction

        function n : int = caught(x : mat, rounds : int)
            n = 0
            try
                y = slow(x, rounds)
                n = 1
            catch e
                n = 2
            endtry
        endfunction

        function y : vec = third(x : vec)
            y = [x[2]]
        endfunction
    }
}

fn image(n: usize) -> Array<f32> {
    Array::from_vec(&[n, n], vec![0.5; n * n]).unwrap()
}

/// An executor for one future.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn progress_goes_from_nothing_to_all_positions() -> Result<()> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let report = move |p: Progress<'_>| {
        told.lock().unwrap().push((p.kernel.to_owned(), p.line, p.launch, p.done, p.total, p.fraction()));
    };
    let expected = f::slow(&image(256), 400)?;
    let found = Call::new().progress(report).run(|| f::slow(&image(256), 400))?;
    assert_eq!(found.to_vec(), expected.to_vec());
    let seen = seen.lock().unwrap();
    let slow: Vec<_> = seen.iter().filter(|(kernel, ..)| kernel.contains("slow")).collect();
    assert!(slow.len() >= 2, "{seen:?}");
    assert!(slow.iter().all(|(_, line, _, done, total, _)| *line > 0 && done <= total && *total == 1 << 16));
    assert!(slow.is_sorted_by_key(|(_, _, launch, done, ..)| (*launch, *done)), "{slow:?}");
    let (.., fraction) = slow.last().unwrap();
    assert!((0.0..=1.0).contains(fraction));
    Ok(())
}

#[test]
fn a_watched_call_that_nobody_cancels_gives_what_others_give() -> Result<()> {
    for n in [1, 7, 64, 300] {
        let x = image(n);
        assert_eq!(Call::new().run(|| f::sums(&x, 3))?, f::sums(&x, 3)?);
    }
    Ok(())
}

#[test]
fn a_long_call_ends_when_it_is_cancelled() {
    let cancel = Cancel::new();
    let other = cancel.clone();
    let begin = Instant::now();
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        other.cancel();
    });
    // A minute or more, were it not cancelled.
    let result = Call::new().cancelled_by(&cancel).run(|| f::slow(&image(1024), 20_000));
    assert!(matches!(result, Err(Error::Cancelled { .. })), "{result:?}");
    assert!(begin.elapsed() < Duration::from_secs(30));
    canceller.join().unwrap();
    // It belongs to that call alone.
    assert!(f::sums(&image(64), 1).is_ok());
    let again = Call::new().cancelled_by(&cancel).run(|| f::slow(&image(64), 10));
    assert!(matches!(again, Err(Error::Cancelled { .. })));
}

#[test]
fn programs_do_not_catch_the_end_of_their_call() {
    let cancel = Cancel::new();
    let reports = Arc::new(AtomicU64::new(0));
    let (counted, other) = (Arc::clone(&reports), cancel.clone());
    let call = Call::new().cancelled_by(&cancel).progress(move |p| {
        counted.fetch_add(1, Ordering::Relaxed);
        if p.kernel.contains("slow") {
            other.cancel();
        }
    });
    let result = call.run(|| f::caught(&image(512), 4000));
    assert!(matches!(result, Err(Error::Cancelled { .. })), "{result:?}");
    assert!(reports.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_spawned_call_is_a_future() -> Result<()> {
    let x = image(128);
    let expected = f::slow(&x, 50)?;
    let own = x.clone();
    let found = block_on(quasar::spawn(move || f::slow(&own, 50))?)?;
    assert_eq!(found.to_vec(), expected.to_vec());
    let running = quasar::spawn(move || f::sums(&x, 2))?;
    assert_eq!(running.join()?, 2.0 * 0.5 * 128.0 * 128.0);
    Ok(())
}

#[test]
fn a_spawned_call_can_be_cancelled_and_fail() -> Result<()> {
    let running = quasar::spawn(|| f::slow(&image(1024), 20_000))?;
    assert!(!running.is_finished());
    running.cancel();
    assert!(matches!(running.join(), Err(Error::Cancelled { .. })));
    let short = Array::from([1.0f32]);
    let failed = block_on(quasar::spawn(move || f::third(&short))?);
    assert!(matches!(failed, Err(Error::OutOfBounds { .. })), "{failed:?}");
    Ok(())
}

#[test]
fn a_panic_of_the_closure_is_an_error_of_the_call() -> Result<()> {
    let running = quasar::spawn::<()>(|| panic!("on purpose"))?;
    let error = running.join().unwrap_err();
    assert!(error.to_string().contains("panicked"), "{error}");
    Ok(())
}
