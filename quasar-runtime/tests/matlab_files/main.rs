//! Files of MATLAB: what SciPy writes is read here, and what is written here is read by SciPy, with the same types, shapes and bits.
//! Where SciPy is missing, the tests with it show as ignored; `sample.mat` is a file of it.

use libtest_mimic::{Arguments, Failed, Trial};
use num_complex::Complex;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{ArrayBuf, ArrayData, Record};
use quasar_runtime::library::call;
use quasar_runtime::{Array, Result, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn main() {
    let args = Arguments::from_args();
    let found = Command::new("python3").args(["-c", "import scipy.io"]).output();
    let missing = !found.is_ok_and(|output| output.status.success());
    let kind = if missing { "SciPy is not installed" } else { "" };
    let trials = vec![
        Trial::test("values_go_to_scipy_and_back", variables).with_kind(kind).with_ignored_flag(missing),
        Trial::test("a_file_of_scipy_is_read", sample),
        Trial::test("values_come_back", round_trip),
        Trial::test("both_orders_of_bytes_are_read", big_endian),
        Trial::test("damaged_files_are_refused", damaged),
        Trial::test("what_has_no_form_is_refused", refusals),
    ];
    libtest_mimic::run(&args, trials).exit();
}

type Outcome = std::result::Result<(), Failed>;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/matlab_files")
}

fn folder(name: &str) -> std::result::Result<PathBuf, Failed> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("matlab-{name}"));
    std::fs::create_dir_all(&path)?;
    Ok(path)
}

fn text(path: &Path) -> Value {
    Value::from(path.to_string_lossy().into_owned())
}

fn load(path: &Path, names: &[&str]) -> Result<Vec<Value>> {
    let mut args = vec![text(path)];
    args.extend(names.iter().map(|name| Value::from(*name)));
    // More targets than any file here has values: those that are left over would be an error.
    call("load", &args, 999, ElementType::Single)
}

fn save(path: &Path, values: &[Value]) -> Result<()> {
    let args: Vec<Value> = std::iter::once(text(path)).chain(values.iter().cloned()).collect();
    call("save", &args, 0, ElementType::Single).map(drop)
}

fn object(fields: Vec<(&str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (Arc::from(name), value)).collect();
    Value::Object(Record::new("object", true, fields))
}

/// As `print` shows it.
fn shown(value: &Value) -> String {
    value.to_string()
}

fn python(command: &str, folder: &Path) -> std::result::Result<String, Failed> {
    let output =
        Command::new("python3").arg(tests().join("variables.py")).arg(command).arg(folder).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

fn variables() -> Outcome {
    let folder = folder("scipy")?;
    let names = python("write", &folder)?;
    for name in ["plain", "packed"] {
        let values = load(&folder.join(format!("{name}.mat")), &[])?;
        assert_eq!(values.len(), names.lines().count());
        let all = object(names.lines().zip(values).collect());
        save(&folder.join(format!("{name}_out.mat")), &[all])?;
        let large = load(&folder.join(format!("{name}.mat")), &["large"])?.remove(0);
        let large: Array<f64> = large.try_into()?;
        assert_eq!(large.get(&[2, 1, 1])?, f64::from(2 * 600 + 3 + 1));
    }
    python("check", &folder)?;
    Ok(())
}

fn sample() -> Outcome {
    let path = tests().join("sample.mat");
    let [x, z, name, cell, s]: [Value; 5] =
        load(&path, &["x", "z", "name", "cell", "s"])?.try_into().unwrap();
    let x: Array<f64> = x.try_into()?;
    assert_eq!((x.dims(), x.to_vec()), (&[2, 3][..], vec![1.0, 2.0, 3.0, 4.0, 5.0, 300.5]));
    let z: Array<Complex<f32>> = z.try_into()?;
    assert_eq!((z.dims(), z.get(&[1])?), (&[2][..], Complex::new(0.0, -2.0)));
    assert_eq!(shown(&name), "Grüße");
    assert_eq!(shown(&cell), "{1,\"two\"}");
    let Value::Object(s) = s else { return Err("a structure is an object".into()) };
    let fields: Vec<String> =
        s.fields().iter().map(|(name, value)| format!("{name}={}", shown(value))).collect();
    assert_eq!(fields, ["a=5", "b=[1,0,1]"]);
    let error = load(&path, &["y"]).unwrap_err().to_string();
    assert!(error.ends_with("there is no variable 'y'; there are x, z, name, cell, s"), "{error}");
    Ok(())
}

/// Values of each kind.
fn samples() -> Result<Vec<Value>> {
    let cell = ArrayBuf::new(vec![2, 1], ArrayData::Values(vec![Value::from(1.5f32), Value::from("a\nb")]))?;
    Ok(vec![
        Array::from_vec(&[2, 3], vec![1i8, -2, 3, -4, 5, -128])?.to_value(),
        Array::from_vec(&[2, 1, 3], vec![1u64, 2, 3, 4, 5, u64::MAX])?.to_value(),
        Array::from_vec(&[3], vec![f32::NAN, f32::INFINITY, -0.0])?.to_value(),
        Array::from_vec(&[2, 2], [Complex::new(1.0f64, 2.0), Complex::new(3.0, -4.0)].repeat(2))?.to_value(),
        Array::from_vec(&[0, 3], Vec::<f64>::new())?.to_value(),
        Array::from_vec(&[2, 2], vec![1i32, 0, 0, 1])?.to_value().into_mask(),
        Value::from(2.5f64),
        Value::from(-7i32),
        Value::from("a text with 𝄞"),
        Value::from(""),
        cell.into(),
        object(vec![("inner", object(vec![("list", Value::from(3u8))])), ("other", Value::from("x"))]),
    ])
}

fn round_trip() -> Outcome {
    let path = folder("round")?.join("x.mat");
    let values = samples()?;
    save(&path, &values[..values.len() - 1])?;
    let loaded = load(&path, &[])?;
    for (value, loaded) in values.iter().zip(&loaded) {
        assert_eq!(value.kind(), loaded.kind());
        assert_eq!(shown(value), shown(loaded));
        if let (Some(a), Some(b)) = (value.as_array(), loaded.as_array()) {
            assert_eq!((a.dims(), a.element_type(), a.is_mask()), (b.dims(), b.element_type(), b.is_mask()));
        }
    }
    // Fields of an object are variables.
    save(&path, &values[values.len() - 1..])?;
    let inner = load(&path, &["inner"])?.remove(0);
    let Value::Object(inner) = inner else { return Err("a structure is an object".into()) };
    assert_eq!(shown(&inner.fields()[0].1), "3");
    Ok(())
}

/// An element in the order of bytes of large machines.
fn big(ty: u32, contents: &[u8]) -> Vec<u8> {
    let mut bytes = [ty.to_be_bytes(), (contents.len() as u32).to_be_bytes()].concat();
    bytes.extend_from_slice(contents);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

fn big_endian() -> Outcome {
    let integers = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>();
    // Two rows of doubles, stored as integers of 16 bits.
    let stored: Vec<u8> = [1i16, 3, -2, 400].iter().flat_map(|n| n.to_be_bytes()).collect();
    let matrix =
        [big(6, &integers(&[6, 0])), big(5, &integers(&[2, 2])), big(1, b"x"), big(3, &stored)].concat();
    let mut file = b"MATLAB 5.0".to_vec();
    file.resize(124, b' ');
    file.extend_from_slice(&[1, 0, b'M', b'I']);
    file.extend(big(14, &matrix));
    let path = folder("big")?.join("x.mat");
    std::fs::write(&path, file)?;
    let x: Array<f64> = load(&path, &[])?.remove(0).try_into()?;
    assert_eq!((x.dims(), x.to_vec()), (&[2, 2][..], vec![1.0, -2.0, 3.0, 400.0]));
    Ok(())
}

fn damaged() -> Outcome {
    let path = folder("damaged")?.join("x.mat");
    let mut files = vec![std::fs::read(tests().join("sample.mat"))?];
    save(&path, &samples()?)?;
    files.push(std::fs::read(&path)?);
    for file in files {
        for length in (0..file.len()).step_by(5) {
            // A file that ends between two variables is a shorter one.
            std::fs::write(&path, &file[..length])?;
            let _ = load(&path, &[]);
        }
        let mut random = 1u64;
        for _ in 0..200 {
            let mut other = file.clone();
            for _ in 0..3 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (random >> 33) as usize % other.len();
                other[at] = (random >> 20) as u8;
            }
            std::fs::write(&path, &other)?;
            let _ = load(&path, &[]);
        }
    }
    Ok(())
}

fn refusals() -> Outcome {
    let folder = folder("refused")?;
    let path = folder.join("x.mat");
    let half = Value::from(quasar_devicelib::element::Scalar::F16(half::f16::ONE));
    for (value, part) in [
        (half, "'arr_0': numbers with half precision have no form"),
        (Value::Null, "has no form in a .mat file"),
        (object(vec![("a b", Value::from(1))]), "'a b' is no name in MATLAB"),
    ] {
        let error = save(&path, &[value]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    for (bytes, part) in [
        (&b"MATLAB 7.3 MAT-file"[..], "cut off"),
        (&[b"MATLAB 7.3 MAT-file".as_slice(), &[b' '; 105], &[0, 2, b'I', b'M']].concat(), "version 7.3"),
        (&[0; 200], "level 4"),
    ] {
        std::fs::write(&path, bytes)?;
        let error = load(&path, &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    Ok(())
}
