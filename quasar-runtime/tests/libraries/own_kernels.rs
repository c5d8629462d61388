//! Scans and sorting by kernels of the runtime, against the processor.

use crate::{Number, Outcome, compare, here, one, sample};
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::ArrayElement;
use quasar_runtime::array::coherence::Place;
use quasar_runtime::context::with_device;
use quasar_runtime::device::Device;
use quasar_runtime::library::call;
use quasar_runtime::{Array, Value};
use std::sync::Arc;

/// Running sums, products and extrema by our own kernels, along each dimension, in one piece and in many.
pub(crate) fn scans(device: &Arc<dyn Device>) -> Outcome {
    fn of<T: Number>(
        device: &Arc<dyn Device>,
        dims: &[usize],
        names: &[&str],
        make: fn(f64) -> T,
    ) -> Outcome {
        let count = dims.iter().product();
        for &name in names {
            // Products stay near 1.
            let elements = sample(count, 3).into_iter().map(|x| match name {
                "cumprod" => make(1.0 + x / 1e4),
                _ => make(100.0 * x),
            });
            let source = Array::from_vec(dims, elements.collect())?.to_value();
            for axis in 0..dims.len() {
                let args = [source.clone(), Value::int(axis as i64)];
                let before = device.counters().now();
                let found = with_device(Some(Arc::clone(device)), || one(name, &args))?;
                let what = format!("{name} of {:?} {dims:?} along {axis}", T::TYPE);
                let places = Array::<T>::from_value(found.clone())?.places();
                assert!(!places.contains(Place::Host), "{what}");
                assert_eq!(device.counters().now().since(&before).downloads, 0, "{what}");
                // Each step rounds once.
                compare(&what, &found, &here(name, &args), (200 + dims[axis]) as f64 * T::EPSILON)?;
            }
        }
        Ok(())
    }
    for dims in [&[100_001][..], &[1, 70_000], &[40_000, 2], &[300, 257], &[7, 41, 300], &[3, 9000, 5]] {
        of::<f32>(device, dims, &["cumsum", "cumprod", "cummin", "cummax"], |x| x as f32)?;
    }
    for dims in [&[50_001][..], &[30_000, 2]] {
        of::<f64>(device, dims, &["cumprod", "cummax"], |x| x)?;
        of::<i32>(device, dims, &["cumsum", "cummin"], |x| x as i32)?;
    }
    // NaN loses, and the sum of what comes behind it is NaN.
    let mut holes = sample(50_000, 9).into_iter().map(|x| x as f32).collect::<Vec<_>>();
    (0..holes.len()).step_by(777).for_each(|k| holes[k] = f32::NAN);
    let source = Array::from_vec(&[50_000], holes)?.to_value();
    for name in ["cumsum", "cummin", "cummax"] {
        let found = with_device(Some(Arc::clone(device)), || one(name, std::slice::from_ref(&source)))?;
        let [found, expected] =
            [found, here(name, std::slice::from_ref(&source))].map(Array::<f32>::from_value);
        let [found, expected] = [found?.to_vec(), expected?.to_vec()];
        assert!(found.iter().zip(&expected).all(|(a, b)| a == b || a.is_nan() && b.is_nan()), "{name}");
    }
    Ok(())
}

/// Sorted vectors by our own kernels: the bits of the processor, also of zeros and NaN, and the places.
pub(crate) fn sorts(device: &Arc<dyn Device>) -> Outcome {
    fn of<T: ArrayElement>(device: &Arc<dyn Device>, elements: &[T], bits: fn(T) -> u64) -> Outcome {
        for count in [1500, 2048, 2049, 70_001] {
            let source = Array::from_vec(&[count], elements[..count].to_vec())?.to_value();
            for results in [1, 2] {
                let sort = || call("sort", std::slice::from_ref(&source), results, ElementType::Single);
                let found = with_device(Some(Arc::clone(device)), sort)?;
                let expected = with_device(None, sort)?;
                let what = format!("{results} of {count} {:?}", T::TYPE);
                let first = Array::<T>::from_value(found[0].clone())?;
                assert!(!first.places().contains(Place::Host), "{what}");
                let [first, wanted] =
                    [first, Array::<T>::from_value(expected[0].clone())?].map(|x| x.to_vec());
                assert!(first.iter().zip(&wanted).all(|(&a, &b)| bits(a) == bits(b)), "{what}");
                assert_eq!(found.len(), results);
                if let ([_, found], [_, expected]) = (&found[..], &expected[..]) {
                    let [found, expected] = [found, expected].map(|x| Array::<i32>::from_value(x.clone()));
                    assert_eq!(found?.to_vec(), expected?.to_vec(), "places, {what}");
                }
            }
        }
        Ok(())
    }
    let mut numbers = sample(70_001, 5);
    let special = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 0.25, f64::MIN_POSITIVE];
    (0..numbers.len()).step_by(9).for_each(|k| numbers[k] = special[k % special.len()]);
    let single: Vec<_> = numbers.iter().map(|&x| x as f32).collect();
    let few: Vec<_> = numbers.iter().map(|&x| (100.0 * x) as i32).collect();
    let integers: Vec<_> = numbers.iter().map(|&x| (8e9 * x) as i32).collect();
    of(device, &single, |x| x.to_bits().into())?;
    of(device, &numbers, f64::to_bits)?;
    of(device, &few, |x| x as u64)?;
    of(device, &integers, |x| x as u64)
}
