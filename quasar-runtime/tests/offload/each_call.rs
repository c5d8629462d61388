//! Programs in which one call to the driver fails: the first, the second, and so on to the last. The program gives the right
//! result or an error, what the host has stays whole, no number is ever wrong, and the same device does the next program.

use super::*;
use quasar_runtime::device::fake::Failing;

/// What a program leaves behind: its arrays, and its result.
struct Ran {
    arrays: Vec<Array<u8>>,
    result: Result<i64>,
}

/// A program, and the values that its arrays have one after the other; the last are the right ones.
struct Case {
    name: &'static str,
    run: fn() -> Ran,
    steps: &'static [&'static [u8]],
    result: i64,
}

fn total(a: &Array<u8>) -> Result<i64> {
    let found = abi::offload(&SUM, &[a.len() as i32], None, &[Arg::Read(a)], NAME, HERE)?;
    match found {
        Some(found) => Ok(i64::from(found.number::<i32>(0))),
        // The processor does it.
        None => Ok(a.try_read()?.iter().map(|&byte| i64::from(byte)).sum()),
    }
}

/// A launch, or the same on the processor where the device does not take it.
fn added(kernel: &'static DeviceKernel, a: &Array<u8>, addend: u8) -> Result<()> {
    if launch(kernel, a, addend)?.is_none() {
        a.try_write()?.iter_mut().for_each(|byte| *byte += addend);
    }
    Ok(())
}

fn ran(arrays: Vec<Array<u8>>, program: impl FnOnce(&[Array<u8>]) -> Result<i64>) -> Ran {
    let result = abi::run(|| program(&arrays));
    Ran { arrays, result }
}

const CASES: &[Case] = &[
    Case {
        name: "a launch that cannot fail",
        run: || ran(vec![bytes(&[1, 2])], |a| added(&PLAIN, &a[0], 1).map(|()| 0)),
        steps: &[&[1, 2], &[2, 3]],
        result: 0,
    },
    Case {
        name: "launches that can fail, one after the other",
        run: || {
            ran(vec![bytes(&[1, 2])], |a| {
                (0..3).try_for_each(|_| added(&ADD, &a[0], 1))?;
                Ok(0)
            })
        },
        steps: &[&[1, 2], &[2, 3], &[3, 4], &[4, 5]],
        result: 0,
    },
    Case {
        name: "a sum",
        run: || ran(vec![bytes(&[7; 10])], |a| total(&a[0])),
        steps: &[&[7; 10]],
        result: 70,
    },
    Case {
        name: "a launch, a sum, and the host between",
        run: || {
            ran(vec![bytes(&[1; 4])], |a| {
                added(&ADD, &a[0], 1)?;
                let sum = total(&a[0])?;
                a[0].try_write()?.fill(5);
                added(&PLAIN, &a[0], 1)?;
                Ok(sum + total(&a[0])?)
            })
        },
        steps: &[&[1; 4], &[2; 4], &[5; 4], &[6; 4]],
        result: 32,
    },
    Case {
        name: "copies on the device",
        run: || {
            ran(vec![bytes(&[1; 4])], |a| {
                added(&PLAIN, &a[0], 2)?;
                let copy = a[0].copy()?;
                added(&PLAIN, &copy, 1)?;
                Ok(total(&copy)? + i64::from(copy.try_read()?[0]))
            })
        },
        steps: &[&[1; 4], &[3; 4]],
        result: 20,
    },
    Case {
        name: "arrays that come and go",
        run: || {
            ran(vec![bytes(&[1; 4])], |a| {
                let mut sum = 0;
                for round in 0..3_u8 {
                    let other = bytes(&[round; 8]);
                    added(&ADD, &other, 1)?;
                    sum += total(&other)?;
                }
                added(&INSIDE, &a[0], 1)?;
                Ok(sum)
            })
        },
        steps: &[&[1; 4], &[2; 4]],
        result: 48,
    },
];

/// Whether the elements are those of one step, and not some of one and some of another.
fn is_whole(array: &Array<u8>, steps: &[&[u8]]) -> bool {
    match array.try_read() {
        Ok(elements) => steps.contains(&&*elements),
        // The only copy was on the device.
        Err(Error::Lost { .. } | Error::Device { .. } | Error::OutOfDeviceMemory { .. }) => true,
        Err(_) => false,
    }
}

/// Runs a case with the failure at each of its calls; how many there are.
fn fails_everywhere(case: &Case, failing: Failing) -> usize {
    for call in 0.. {
        let (fake, device) = device(0, 1 << 20);
        let at = format!("{}: {failing:?} at call {call}", case.name);
        let more = with_device(Some(device.clone()), || {
            fake.fail_after(call, failing);
            let Ran { arrays, result } = (case.run)();
            let reached = !fake.withdraw_failure();
            match &result {
                Ok(found) => assert_eq!(*found, case.result, "{at}"),
                Err(error) => {
                    assert!(reached, "{at}: {error}");
                    let clear = matches!(
                        error,
                        Error::Device { .. } | Error::OutOfDeviceMemory { .. } | Error::Lost { .. }
                    );
                    assert!(clear && !error.to_string().is_empty(), "{at}: {error:?}");
                }
            }
            for array in &arrays {
                assert!(is_whole(array, case.steps), "{at}: {:?}", array.try_read().map(|a| a.to_vec()));
            }
            if result.is_ok() && failing != Failing::Lost {
                let last = case.steps.last().copied().unwrap_or_default();
                assert_eq!(arrays[0].to_vec(), last, "{at}");
            }
            drop(arrays);
            reached
        });
        if failing != Failing::Lost {
            with_device(Some(device), || {
                let again = (case.run)();
                assert_eq!(again.result.unwrap(), case.result, "{at}, the next program");
                assert_eq!(again.arrays[0].to_vec(), *case.steps.last().unwrap(), "{at}, the next program");
            });
        }
        if !more {
            return call;
        }
    }
    0
}

#[test]
fn a_call_that_the_driver_refuses_once() {
    let _turn = settings();
    for case in CASES {
        let calls = fails_everywhere(case, Failing::Once);
        assert!(calls >= 4, "{}: only {calls} calls", case.name);
    }
}

#[test]
fn a_call_that_finds_no_memory_once() {
    let _turn = settings();
    for case in CASES {
        fails_everywhere(case, Failing::Memory);
    }
}

#[test]
fn a_device_that_is_lost_at_any_call() {
    let _turn = settings();
    for case in CASES {
        fails_everywhere(case, Failing::Lost);
    }
}
