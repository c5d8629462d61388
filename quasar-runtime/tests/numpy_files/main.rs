//! Files of NumPy: what NumPy writes is read here, and what is written here is read by NumPy, with the same types, shapes and bits.
//! Shown as ignored where NumPy is missing.

use libtest_mimic::{Arguments, Failed, Trial};
use num_complex::Complex;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{Record, array};
use quasar_runtime::library::call;
use quasar_runtime::{Array, Result, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn main() {
    let args = Arguments::from_args();
    let found = Command::new("python3").args(["-c", "import numpy"]).output();
    let missing = !found.is_ok_and(|output| output.status.success());
    let kind = if missing { "NumPy is not installed" } else { "" };
    let trial = |name: &str, run: fn() -> std::result::Result<(), Failed>| {
        Trial::test(name, run).with_kind(kind).with_ignored_flag(missing)
    };
    let trials = vec![
        trial("arrays_go_to_numpy_and_back", arrays),
        trial("archives_of_numpy_are_read", archives),
        trial("what_is_no_array_of_numbers_is_refused", refusals),
    ];
    libtest_mimic::run(&args, trials).exit();
}

/// A folder with files of NumPy that disappears with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> std::result::Result<Folder, Failed> {
        let path = std::env::temp_dir().join(format!("quasar-numpy-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("out"))?;
        let folder = Folder(path);
        folder.python("write")?;
        Ok(folder)
    }

    fn python(&self, command: &str) -> std::result::Result<(), Failed> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy_files/arrays.py");
        let output = Command::new("python3").arg(script).arg(command).arg(&self.0).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }

    fn file(&self, name: &str) -> Value {
        Value::from(self.0.join(name).to_str().unwrap())
    }

    fn load(&self, name: &str) -> Result<Vec<Value>> {
        run("load", &[self.file(name)])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    call(name, args, if name == "load" { 9 } else { 1 }, ElementType::Single)
}

/// Element `k` of an array, as `arrays.py` has it.
fn number(k: usize, kind: &str) -> Scalar {
    let (n, x) = (k as i64, k as f64 / 4.0 - 3.0);
    match kind {
        "b1" => Scalar::I32(i32::from(k.is_multiple_of(3))),
        "i1" => Scalar::I8(i8::MIN.wrapping_add(n as i8)),
        "i2" => Scalar::I16(i16::MIN + n as i16),
        "i4" => Scalar::I32(i32::MIN + n as i32),
        "i8" => Scalar::I64(i64::MIN + n),
        "u1" => Scalar::U8(u8::MAX - n as u8),
        "u2" => Scalar::U16(u16::MAX - n as u16),
        "u4" => Scalar::U32(u32::MAX - n as u32),
        "u8" => Scalar::U64(u64::MAX - n as u64),
        "f2" => Scalar::F16(half::f16::from_f64(x)),
        "f4" => Scalar::F32(x as f32),
        "f8" => Scalar::F64(x),
        "c8" => Scalar::C32(Complex::new(x as f32, -(k as f32))),
        "c16" => Scalar::C64(Complex::new(x, -(k as f64))),
        _ => panic!("{kind}"),
    }
}

fn check(value: &Value, kind: &str, dims: &[usize], name: &str) {
    let same =
        |found: Option<Scalar>, k| assert_eq!(found, Some(number(k, kind)), "{name} {kind} {dims:?} {k}");
    let Some(object) = value.as_array() else {
        assert!(dims.is_empty(), "{name}");
        return same(value.as_scalar(), 0);
    };
    assert_eq!(object.dims(), dims, "{name} {kind}");
    assert_eq!(object.is_mask(), kind == "b1", "{name}");
    array::read(object, |view| {
        assert_eq!(view.data.len(), dims.iter().product::<usize>());
        assert_eq!(view.data.element_type(), Some(number(0, kind).element_type()), "{name}");
        (0..view.data.len()).for_each(|k| same(view.data.scalar(k), k));
    });
}

fn arrays() -> std::result::Result<(), Failed> {
    let folder = Folder::new("arrays")?;
    let list = std::fs::read_to_string(folder.0.join("list"))?;
    let mut lines: Vec<String> = list.lines().map(str::to_owned).collect();
    for line in &mut lines {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, kind, dims] = words[..] else { panic!("{line}") };
        let dims: Vec<usize> = dims.split('x').filter_map(|n| n.parse().ok()).collect();
        let loaded = folder.load(name)?;
        assert_eq!(loaded.len(), 1);
        check(&loaded[0], kind, &dims, name);
        run("save", &[folder.file(&format!("out/{name}")), loaded[0].clone()])?;
        // A number that was a truth is an `int` here.
        if *kind == *"b1" && dims.is_empty() {
            line.clear();
        }
    }
    lines.retain(|line| !line.is_empty());
    assert_eq!(lines.len(), 14 * 11 * 4 + 1 - 4);
    std::fs::write(folder.0.join("list"), lines.join("\n"))?;
    let named = |names: &[&str]| {
        let args: Vec<Value> =
            [folder.file("packed.npz")].into_iter().chain(names.iter().map(|&x| x.into())).collect();
        run("load", &args)
    };
    let first = named(&["arr_0"])?.remove(0);
    let object = Record::new(
        "object",
        true,
        vec![
            (Arc::from("weights"), named(&["second"])?.remove(0)),
            (Arc::from("α"), folder.load(&mask_file(&list))?.remove(0)),
        ],
    );
    run("save", &[folder.file("out/some.npz"), first, Value::Object(object)])?;
    folder.python("check")
}

/// A file with truths of 3x4.
fn mask_file(list: &str) -> String {
    let line = list.lines().find(|line| line.ends_with(" b1 3x4")).unwrap_or_default();
    line.split(' ').next().unwrap_or_default().to_owned()
}

fn archives() -> std::result::Result<(), Failed> {
    let folder = Folder::new("archives")?;
    for name in ["stored.npz", "packed.npz"] {
        // NumPy puts those with names first.
        let loaded = folder.load(name)?;
        check(&loaded[0], "i8", &[2], name);
        check(loaded.last().unwrap(), "f4", &[3, 4], name);
        let chosen = run("load", &[folder.file(name), "second".into(), "arr_0".into()])?;
        check(&chosen[0], "i8", &[2], name);
        check(&chosen[1], "f4", &[3, 4], name);
    }
    let zeros = Array::<f64>::from_value(folder.load("packed.npz")?.remove(1))?;
    assert_eq!(zeros, Array::zeros(&[1000, 1000])?);
    assert!(folder.load("empty.npz")?.is_empty());
    let error = run("load", &[folder.file("stored.npz"), "third".into()]).unwrap_err().to_string();
    assert!(error.contains("there is no array 'third'; there are second, arr_0"), "{error}");
    let error = run("load", &[folder.file("0.npy"), "third".into()]).unwrap_err().to_string();
    assert!(error.contains("only arrays in .npz files and variables in .mat files have names"), "{error}");
    Ok(())
}

fn refusals() -> std::result::Result<(), Failed> {
    let folder = Folder::new("refusals")?;
    for (name, said) in [
        ("objects.npy", "elements of type '|O' are Python objects, which only Python can read"),
        ("objects.npz", "'arr_0.npy': elements of type '|O' are Python objects"),
        ("fields.npy", "the elements are structures with fields"),
        ("texts.npy", "elements of type '<U3' are texts"),
        ("bytes.npy", "elements of type '|S3' are texts"),
        ("dates.npy", "elements of type '<M8[D]' are dates"),
        ("long.npy", "save x.astype('float64')"),
        ("void.npy", "elements of type '|V3' are structures or raw bytes"),
        ("dimensions.npy", "the array has 17 dimensions; arrays have at most 16 here"),
        ("text.npz", "'readme.txt' is no array of NumPy"),
        ("lzma.npz", "'x.npy' is packed by method 14"),
    ] {
        let error = folder.load(name).unwrap_err().to_string();
        assert!(error.starts_with("load: '") && error.contains(name) && error.contains(said), "{error}");
    }
    let list = std::fs::read_to_string(folder.0.join("list"))?;
    let line = list.lines().find(|line| line.ends_with("c16 2x3x4")).unwrap_or_default();
    let name = line.split(' ').next().unwrap_or_default();
    for file in [name, "stored.npz", "packed.npz"] {
        let bytes = std::fs::read(folder.0.join(file))?;
        for end in (0..bytes.len().min(3000)).step_by(5) {
            std::fs::write(folder.0.join("cut"), &bytes[..end])?;
            assert!(folder.load("cut").is_err(), "{file} {end}");
        }
        std::fs::write(folder.0.join("long"), [&bytes[..], &[0]].concat())?;
        assert!(folder.load("long").is_err(), "{file}");
    }
    Ok(())
}
