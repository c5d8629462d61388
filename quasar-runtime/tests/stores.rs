//! Arrays in folders of chunks: what is read, when it is written, what fits the budget, and what is refused.

#![cfg(feature = "zarr")]

use quasar_devicelib::element::ElementType;
use quasar_runtime::library::call;
use quasar_runtime::{Array, Error, Result, Value, context, store};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The budget is that of the process: one test at a time.
fn alone(megabytes: u64) -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    context::set("RUNTIME_STORE_BUDGET", &megabytes.to_string()).unwrap();
    guard
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stores-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn create(&self, name: &str, args: &[Value]) -> Result<Value> {
        one("create_array", &[&[self.name(name)], args].concat())
    }

    fn open(&self, name: &str) -> Result<Value> {
        one("open_array", &[self.name(name)])
    }

    fn name(&self, name: &str) -> Value {
        Value::from(self.0.join(name).to_str().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn one(name: &str, args: &[Value]) -> Result<Value> {
    Ok(call(name, args, 1, ElementType::Single)?.into_iter().next().unwrap_or_default())
}

fn sizes(dims: &[i64]) -> Vec<Value> {
    dims.iter().map(|n| Value::int(*n)).collect()
}

#[test]
fn what_is_written_is_there_after_a_flush_and_before_it_is_opened() {
    let _alone = alone(64);
    let folder = Folder::new("written");
    let made: Array<f32> = folder.create("a", &sizes(&[5, 3])).unwrap().try_into().unwrap();
    assert_eq!((made.dims(), made.to_vec()), (&[5_usize, 3][..], vec![0.0; 15]));
    made.write().iter_mut().enumerate().for_each(|(k, x)| *x = k as f32);
    store::flush().unwrap();
    let read: Array<f32> = folder.open("a").unwrap().try_into().unwrap();
    assert_eq!(read.to_vec(), made.to_vec());
    // A change behind a flush, which is seen by whoever opens the folder next.
    made.set(&[4, 2], -1.0).unwrap();
    let read: Array<f32> = folder.open("a").unwrap().try_into().unwrap();
    assert_eq!(read.get(&[4, 2]).unwrap(), -1.0);
    // An array that the program has forgotten is written all the same.
    let made: Array<u8> =
        folder.create("b", &[sizes(&[4]), vec![Value::from("uint8")]].concat()).unwrap().try_into().unwrap();
    made.write().fill(7);
    drop(made);
    let read: Array<u8> = folder.open("b").unwrap().try_into().unwrap();
    assert_eq!(read.to_vec(), [7; 4]);
}

#[test]
fn options_say_what_the_array_is() {
    let _alone = alone(64);
    let folder = Folder::new("options");
    let options =
        |texts: &[&str]| [sizes(&[8, 8]), texts.iter().map(|text| Value::from(*text)).collect()].concat();
    for ty in ElementType::ALL {
        let made = folder.create("a", &options(&[ty.name()])).unwrap();
        assert_eq!(made.element_type(), Some(*ty));
    }
    folder.create("a", &options(&["gzip", "chunks=2x8", "double"])).unwrap();
    let text = fs::read_to_string(folder.0.join("a/zarr.json")).unwrap().replace([' ', '\n'], "");
    assert!(
        text.contains("\"chunk_shape\":[2,8]") && text.contains("gzip") && text.contains("float64"),
        "{text}"
    );
    let error = folder.create("a", &options(&["chunks=0x8"])).unwrap_err().to_string();
    assert!(error.contains("\"chunks=64x512\""), "{error}");
    let error = folder.create("a", &options(&["chunks=8"])).unwrap_err().to_string();
    assert!(error.contains("chunks of 8 elements do not fit an array of 8x8"), "{error}");
    let vector = Array::from([3_i32, 4]).to_value();
    assert_eq!(folder.create("a", &[vector]).unwrap().dims(), [3, 4]);
    let error = folder.create("a", &sizes(&[-1])).unwrap_err().to_string();
    assert!(error.contains("-1 elements"), "{error}");
}

#[test]
fn opened_arrays_are_not_changed() {
    let _alone = alone(64);
    let folder = Folder::new("fixed");
    folder.create("a", &sizes(&[5, 3])).unwrap();
    let read: Array<f32> = folder.open("a").unwrap().try_into().unwrap();
    let refused =
        |error: Error| assert!(error.to_string().contains("copy(x) makes one that can be"), "{error}");
    refused(read.set(&[0, 0], 1.0).unwrap_err());
    refused(read.try_write().unwrap_err());
    refused(read.try_overwrite().unwrap_err());
    let copy = read.copy().unwrap();
    copy.set(&[0, 0], 1.0).unwrap();
    assert_eq!((copy.get(&[0, 0]).unwrap(), read.get(&[0, 0]).unwrap()), (1.0, 0.0));
}

#[test]
fn copies_in_memory_keep_to_the_budget() {
    let _alone = alone(4);
    let folder = Folder::new("budget");
    // 1.5 MB each: two fit, the third has one of them written and put away.
    let arrays: Vec<Array<f32>> = (0..4)
        .map(|k| folder.create(&k.to_string(), &sizes(&[512, 768])).unwrap().try_into().unwrap())
        .collect();
    for (k, array) in arrays.iter().enumerate() {
        array.write().fill(k as f32);
    }
    for (k, array) in arrays.iter().enumerate() {
        assert_eq!(array.get(&[511, 767]).unwrap(), k as f32);
        assert!(array.read().iter().all(|x| *x == k as f32));
    }
    // Two that are in use leave no room for a third.
    let (first, second) = (arrays[0].read(), arrays[1].read());
    let error = arrays[2].try_read().unwrap_err().to_string();
    assert!(error.contains("1572864 bytes are needed in memory at once (1.5 MB)"), "{error}");
    assert!(
        error.contains("RUNTIME_STORE_BUDGET allows 4.0 MB, of which arrays in use have 3.0 MB"),
        "{error}"
    );
    drop((first, second));
    arrays[2].try_read().unwrap();
    // A library function gets both of its arrays or an error, and no panic.
    let large: Array<f32> = folder.create("large", &sizes(&[2048, 768])).unwrap().try_into().unwrap();
    let error = one("sum", &[large.to_value()]).unwrap_err().to_string();
    assert!(error.contains("large: 6291456 bytes"), "{error}");
    assert_eq!(one("size", &[large.to_value(), Value::int(0)]).unwrap().as_scalar().unwrap().as_i64(), 2048);
    // Elements come with the rows around them.
    assert_eq!(large.get(&[2047, 767]).unwrap(), 0.0);
    assert!(large.set(&[0, 0], 1.0).is_err());
    context::set("RUNTIME_STORE_BUDGET", "64").unwrap();
    store::flush().unwrap();
}

#[test]
fn arrays_between_stored_ones_go_to_files_when_they_are_large() {
    let _alone = alone(4);
    let folder = Folder::new("between");
    folder.create("a", &sizes(&[1])).unwrap();
    let arrays: Vec<Array<f32>> = (0..5).map(|_| Array::zeros(&[512, 768]).unwrap()).collect();
    for (k, array) in arrays.iter().enumerate() {
        assert!(array.read().iter().all(|x| *x == 0.0));
        array.write().fill(k as f32 + 1.0);
    }
    for (k, array) in arrays.iter().enumerate() {
        assert!(array.read().iter().all(|x| *x == k as f32 + 1.0));
    }
    let left: Vec<_> = fs::read_dir(&folder.0).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["a"]);
}

#[test]
fn arrays_in_use_are_not_replaced() {
    let _alone = alone(64);
    let folder = Folder::new("taken");
    let made = folder.create("a", &sizes(&[4])).unwrap();
    let error = folder.create("a", &sizes(&[4])).unwrap_err().to_string();
    assert!(error.ends_with("this program has an array of that folder, which it reads or writes"), "{error}");
    drop(made);
    let made: Array<f32> = folder.create("a", &sizes(&[4])).unwrap().try_into().unwrap();
    made.write().fill(1.0);
    store::flush().unwrap();
    drop(made);
    let (first, second) = (folder.open("a").unwrap(), folder.open("a").unwrap());
    drop(first);
    assert!(folder.create("./a", &sizes(&[4])).is_err());
    assert_eq!(Array::<f32>::from_value(second).unwrap().to_vec(), [1.0; 4]);
    folder.create("a", &sizes(&[4])).unwrap();
}

#[test]
fn what_cannot_be_opened_says_why() {
    let _alone = alone(64);
    let folder = Folder::new("refused");
    let error = folder.open("none").unwrap_err().to_string();
    assert!(error.starts_with("open_array: ") && error.ends_with("there is no such folder"), "{error}");
    let made: Array<f32> = folder.create("a", &sizes(&[8, 4])).unwrap().try_into().unwrap();
    made.write().fill(1.0);
    store::flush().unwrap();
    let read: Array<f32> = folder.open("a").unwrap().try_into().unwrap();
    fs::remove_file(folder.0.join("a/c/0/0")).unwrap();
    let error = read.try_read().unwrap_err().to_string();
    assert!(error.contains("chunk c/0/0 is missing"), "{error}");
    let error = one("sum", &[read.to_value()]).unwrap_err().to_string();
    assert!(error.contains("chunk c/0/0 is missing"), "{error}");
    let error = Array::<u8>::from_value(read.to_value()).unwrap_err().to_string();
    assert!(error.contains("expected"), "{error}");
}
