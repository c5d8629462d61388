//! `RUNTIME_CHECK_NANINF`: what kernels write is checked for NaN and infinities, on the processor and on devices; without
//! it nothing is, and nothing more is launched.
//!
//! What is not there is shown as ignored; `QUASAR_REQUIRE_DEVICES=cuda` makes a missing one a failure.

use libtest_mimic::{Arguments, Trial};
use quasar::{Array, Error, Result, context};
use quasar_runtime::device::{Device, select};
use std::sync::Arc;

mod program {
    quasar::quasar_file!("tests/check_naninf/program.q");
}

fn check(on: bool) {
    context::set("RUNTIME_CHECK_NANINF", if on { "True" } else { "False" }).unwrap();
}

fn array(dims: &[usize], changes: &[(usize, f32)]) -> Array<f32> {
    let mut elements = vec![2.0; dims.iter().product()];
    for &(k, value) in changes {
        elements[k] = value;
    }
    Array::from_vec(dims, elements).unwrap()
}

fn said<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

const NAN: f32 = f32::NAN;
const INFINITY: f32 = f32::INFINITY;

/// The message has the kernel, the array with the first such element, its size and the line.
fn messages() {
    let y = array(&[60, 50], &[]);
    program::logs(&array(&[60, 50], &[]), &y).unwrap();
    let text = said(program::logs(&array(&[60, 50], &[(2049, -1.0), (157, 0.0), (2999, -1.0)]), &y));
    assert_eq!(text, "(parallel_do) opt__logs_line3 - infinity in y[3,7], size 60x50, line 5");
    let text = said(program::logs(&array(&[60, 50], &[(2999, -1.0)]), &array(&[60, 50], &[])));
    assert_eq!(text, "(parallel_do) opt__logs_line3 - NaN in y[59,49], size 60x50, line 5");
    let text = said(program::inverses(&array(&[70], &[(0, 0.0), (9, 0.0)]), &array(&[70], &[])));
    assert_eq!(text, "(parallel_do) invert - infinity in y[9], size 70, line 14");
    let error = program::inverses(&array(&[70], &[(1, NAN)]), &array(&[70], &[])).unwrap_err();
    assert_eq!(error.to_string(), "(parallel_do) invert - NaN in y[1], size 70, line 14");
    let Error::NotFinite { nan: true, index, dims, .. } = error else { panic!("{error:?}") };
    assert_eq!((index, dims), (vec![1], vec![70]));
    let text = said(program::expression(&array(&[40, 30], &[(31, 1.0)])));
    assert_eq!(text, "(parallel_do) opt__expression_line23 - infinity in array[1,1], size 40x30, line 23");
}

/// Elements that were not finite before are nobody's fault; those that become it are.
fn blame() {
    let x = array(&[500], &[]);
    let y = array(&[1000], &[(1, NAN), (999, INFINITY), (4, NAN)]);
    program::seconds(&x, &y).unwrap();
    let elements = y.to_vec();
    assert!(elements[1].is_nan() && elements[999] == INFINITY && elements[4] == 2.0);
    let text = said(program::seconds(&array(&[500], &[(2, NAN), (3, INFINITY)]), &y));
    assert_eq!(text, "(parallel_do) opt__seconds_line28 - NaN in y[4], size 1000, line 29");
    // The same again: it was so before.
    program::seconds(&array(&[500], &[(2, NAN), (3, INFINITY)]), &y).unwrap();
    program::seconds(&x, &y).unwrap();
    let text = said(program::seconds(&array(&[500], &[(499, -INFINITY)]), &y));
    assert!(text.contains("infinity in y[998]"), "{text}");
}

/// By a function, by additions anywhere, by several positions at a time, complex numbers, in order.
fn kinds_of_kernels() {
    let text = said(program::by_callee(&array(&[300], &[(250, INFINITY)]), &array(&[300], &[])));
    assert_eq!(text, "(parallel_do) all - infinity in y[250], size 300, line 39");
    let k = Array::from_vec(&[300], (0..300).map(|n| n % 7).collect()).unwrap();
    let h = array(&[7], &[]);
    program::sums(&array(&[300], &[]), &k, &h).unwrap();
    let text = said(program::sums(&array(&[300], &[(45, NAN)]), &k, &h));
    assert_eq!(text, "(parallel_do) opt__sums_line45 - NaN in h[3], size 7, line 46");
    let (x, y) = (array(&[200, 300], &[(301, INFINITY)]), array(&[200, 300], &[]));
    let text = said(program::means(&x, &y));
    assert_eq!(text, "(parallel_do) opt__means_line51 - infinity in y[0,0], size 200x300, line 59");
    let z = program::complexes(&array(&[20_000], &[])).unwrap();
    assert_eq!(z.to_vec()[19_999].im, 0.5);
    let text = said(program::complexes(&array(&[20_000], &[(19_998, 0.0)])));
    assert_eq!(text, "(parallel_do) opt__complexes_line66 - infinity in z[19998], size 20000, line 67");
    let y = Array::from_vec(&[500], vec![quasar_runtime::abi::Half::ONE; 500]).unwrap();
    let text = said(program::halves(&array(&[500], &[(4, 65.0), (8, 66.0), (499, NAN)]), &y));
    assert_eq!(text, "(parallel_do) opt__halves_line96 - infinity in y[8], size 500, line 97");
    let mut elements = vec![1.0e150; 500];
    elements[77] = -1.0e155;
    let (x, y) =
        (Array::from_vec(&[500], elements).unwrap(), Array::from_vec(&[500], vec![0.0; 500]).unwrap());
    let text = said(program::doubles(&x, &y));
    assert_eq!(text, "(parallel_do) opt__doubles_line102 - infinity in y[77], size 500, line 103");
    let text = said(program::in_order(&array(&[200], &[])));
    assert!(text.contains(" - infinity in x[127], size 200, line "), "{text}");
    // Results that are numbers are not looked at.
    assert!(program::total(&array(&[300], &[(4, NAN)])).unwrap().is_nan());
}

/// The error of the first launch arrives where the program asks, and can be caught.
fn arrival() {
    let (good, bad) = (array(&[60, 50], &[]), array(&[60, 50], &[(7, -1.0)]));
    let (y, z) = (array(&[60, 50], &[]), array(&[60, 50], &[]));
    let text = program::caught(&bad, &y).unwrap();
    assert_eq!(&*text, "(parallel_do) opt__logs_line3 - NaN in y[0,7], size 60x50, line 5");
    assert_eq!(&*program::caught(&good, &z).unwrap(), "nothing");
    let y = array(&[60, 50], &[]);
    let result = context::batch(|| {
        program::logs(&good, &z)?;
        program::logs(&bad, &y)?;
        program::inverses(&array(&[70], &[(8, 0.0)]), &array(&[70], &[]))
    });
    assert_eq!(said(result), "(parallel_do) opt__logs_line3 - NaN in y[0,7], size 60x50, line 5");
    program::logs(&good, &z).unwrap();
}

/// Nothing is looked at.
fn without() {
    check(false);
    let y = array(&[60, 50], &[]);
    program::logs(&array(&[60, 50], &[(2049, -1.0)]), &y).unwrap();
    assert!(y.to_vec()[2049].is_nan());
    check(true);
}

/// What the checks launch on a device: nothing where they are off; three kernels for each array that is written, two for a
/// new one, and nothing is copied.
fn launches(device: &Arc<dyn Device>) {
    let launches = |work: &dyn Fn()| {
        let before = device.counters().now();
        work();
        let traffic = device.counters().now().since(&before);
        (traffic.launches, traffic.uploads, traffic.downloads)
    };
    let (x, y) = (array(&[60, 50], &[]), array(&[60, 50], &[]));
    program::logs(&x, &y).unwrap();
    let once = || program::logs(&x, &y).unwrap();
    let new = || drop(program::expression(&x).unwrap());
    assert_eq!((launches(&once), launches(&new)), ((4, 0, 0), (3, 0, 0)));
    check(false);
    let result = (launches(&once), launches(&new));
    check(true);
    assert_eq!(result, ((1, 0, 0), (1, 0, 0)));
}

/// Each device of a launch that they share looks at its rows.
fn parts(devices: &[Arc<dyn Device>]) {
    let (ones, y) = (array(&[64, 50], &[]), array(&[64, 50], &[(40, NAN), (3100, INFINITY)]));
    let before: Vec<u64> = devices.iter().map(|device| device.counters().now().launches).collect();
    program::on_all(&ones, &y).unwrap();
    let after = devices.iter().map(|device| device.counters().now().launches);
    assert!(after.zip(before).all(|(after, before)| after == before + 4), "each had a part");
    for place in [7, 1599, 1600, 3199] {
        let y = array(&[64, 50], &[(40, NAN), (3100, INFINITY)]);
        let text = said(program::on_all(&array(&[64, 50], &[(place, 0.0)]), &y));
        let (row, column) = (place / 50, place % 50);
        let expected = format!("infinity in y[{row},{column}], size 64x50, line 109");
        assert_eq!(text, format!("(parallel_do) divide - {expected}"));
    }
}

type Test = (&'static str, fn());
type OnDevice = Box<dyn Fn(&Arc<dyn Device>) + Send>;

const TESTS: &[Test] = &[
    ("messages", messages),
    ("blame", blame),
    ("kinds of kernels", kinds_of_kernels),
    ("arrival", arrival),
    ("without", without),
];

fn main() {
    check(true);
    let required = std::env::var("QUASAR_REQUIRE_DEVICES").unwrap_or_default();
    let mut trials: Vec<Trial> = TESTS
        .iter()
        .map(|&(name, test)| {
            Trial::test(format!("cpu: {name}"), move || {
                context::with_device(None, test);
                Ok(())
            })
        })
        .collect();
    for (kind, devices) in [("cuda", select::cuda()), ("opencl", select::opencl())] {
        let required = required.split(',').any(|name| name == kind);
        let mut on = |name: &str, test: OnDevice| {
            trials.push(match &devices {
                Ok(devices) => {
                    let device = Arc::clone(&devices[0]);
                    Trial::test(format!("{kind}: {name}"), move || {
                        context::with_device(Some(Arc::clone(&device)), || test(&device));
                        Ok(())
                    })
                }
                Err(reason) => {
                    let (title, reason) = (format!("{kind}: {name} [{reason}]"), reason.to_string());
                    Trial::test(title, move || Err(reason.into())).with_ignored_flag(!required)
                }
            });
        };
        for &(name, test) in TESTS {
            on(name, Box::new(move |_| test()));
        }
        on("launches", Box::new(launches));
        let devices = devices.unwrap_or_default();
        let few = devices.len() < 2;
        let title = if few { " [there are no two devices]" } else { "" };
        let test = move || {
            context::with_devices(devices[..2].to_vec(), || parts(&devices[..2]));
            Ok(())
        };
        trials.push(Trial::test(format!("{kind}: parts{title}"), test).with_ignored_flag(few));
    }
    // They change a setting of the process and count what devices do, so they take turns.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit();
}
