use quasar::{Array, context, profile};

quasar::quasar! {
    function y : vec = turned(x : vec 'circular)
        y = uninit(numel(x))
        for n = 0..numel(x)-1
            y[n] = x[n-1]
        endfor
    endfunction
}

#[test]
fn the_report_names_the_device() -> quasar::Result<()> {
    profile::start();
    // On the processor, whatever devices there are and the settings say.
    context::with_device(None, || turned(&Array::from([1.0f32, 2.0, 3.0])))?;
    let report = profile::stop()?;
    let kernel = report.rows.iter().find(|row| row.name.starts_with("turned")).expect("it is in the report");
    assert_eq!((kernel.device.as_str(), kernel.count), ("CPU", 1));
    Ok(())
}
