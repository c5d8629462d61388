use quasar::{Array, Call, Cancel, Error};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

quasar::quasar! {
    function y : vec = relaxed(x : vec, rounds : int)
        y = copy(x)
        for k = 1..rounds
            y = 0.5*y + 0.25*[...y[1..numel(y)-1], y[0]] + 0.25*[y[numel(y)-1], ...y[0..numel(y)-2]]
        endfor
    endfunction
}

#[test]
fn progress_and_a_button_that_cancels() {
    let x = Array::from(vec![1.0f32; 1000]);
    let cancel = Cancel::new();
    let launches = Arc::new(AtomicU64::new(0));
    let (told, button) = (Arc::clone(&launches), cancel.clone());
    let (begun, has_begun) = mpsc::channel();
    let pressed = thread::spawn(move || {
        has_begun.recv().ok();
        button.cancel();
    });
    let call = Call::new().cancelled_by(&cancel).progress(move |p| {
        told.store(p.launch, Ordering::Relaxed); // or bar.set_position(p.done)
        begun.send(()).ok();
    });
    let result = call.run(|| relaxed(&x, 1_000_000_000));
    assert!(matches!(result, Err(Error::Cancelled { .. })));
    assert!(launches.load(Ordering::Relaxed) > 0);
    pressed.join().ok();
}

#[test]
fn a_call_on_its_own_thread() -> quasar::Result<()> {
    let x = Array::from(vec![1.0f32; 1000]);
    let running = quasar::spawn(move || relaxed(&x, 3))?;
    // In async code: let y = running.await?;
    let y = running.join()?;
    assert_eq!(y.get(&[7])?, 1.0);
    Ok(())
}
