//! Image files and tables of numbers.

#![cfg(feature = "image-files")]

use quasar_devicelib::element::ElementType;
use quasar_runtime::library::call;
use quasar_runtime::{Array, Error, Result, Value};
use std::path::{Path, PathBuf};

/// A folder that disappears with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quasar-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> Value {
        Value::from(self.0.join(name).to_str().unwrap())
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
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

fn read(args: &[Value]) -> Array<f32> {
    Array::from_value(run("imread", args).unwrap().remove(0)).unwrap()
}

fn gradient(dims: &[usize]) -> Array<f32> {
    let count: usize = dims.iter().product();
    Array::from_vec(dims, (0..count).map(|k| (k * 7 % 256) as f32).collect()).unwrap()
}

#[test]
fn lossless_formats_return_what_was_written() {
    let folder = Folder::new("lossless");
    for extension in ["png", "tif", "bmp", "PPM"] {
        let file = folder.file(&format!("image.{extension}"));
        let image = gradient(&[5, 6, 3]);
        run("imwrite", &[file.clone(), image.to_value()]).unwrap();
        assert_eq!(read(&[file]), image, "{extension}");
    }
    for extension in ["png", "tiff", "bmp", "pgm"] {
        let file = folder.file(&format!("gray.{extension}"));
        let image = gradient(&[4, 9]);
        run("imwrite", &[image.to_value(), file.clone()]).unwrap();
        let found = read(&[file.clone(), "gray".into()]);
        assert_eq!(found, image, "{extension}");
        let rgb = read(&[file, "rgb".into()]);
        assert_eq!(rgb.dims(), [4, 9, 3]);
        assert!(rgb.read().chunks(3).zip(image.read().iter()).all(|(pixel, x)| pixel == [*x; 3]));
    }
    let file = folder.file("alpha.png");
    let image = gradient(&[3, 3, 4]);
    run("imwrite", &[file.clone(), image.to_value()]).unwrap();
    assert_eq!(read(std::slice::from_ref(&file)), image);
    assert_eq!(read(&[file, "rgb".into()]).dims(), [3, 3, 3]);
    assert!(folder.names().iter().all(|name| !name.contains("tmp")), "{:?}", folder.names());
}

#[test]
fn lossy_formats_come_close_and_refuse_transparency() {
    let folder = Folder::new("lossy");
    let image = Array::<f32>::filled(&[16, 16, 3], 100.0).unwrap();
    let transparent = Array::<f32>::filled(&[16, 16, 4], 100.0).unwrap();
    for extension in ["jpg", "jpeg", "ppm"] {
        let file = folder.file(&format!("image.{extension}"));
        let error = run("imwrite", &[file.clone(), transparent.to_value()]).unwrap_err().to_string();
        let said = format!(
            "a {extension} file holds no transparency; write the first three channels, or use png or tif"
        );
        assert!(error.ends_with(&said), "{error}");
        run("imwrite", &[file.clone(), image.to_value()]).unwrap();
        let found = read(&[file]);
        assert_eq!(found.dims(), [16, 16, 3]);
        assert!(found.read().iter().all(|x| (x - 100.0).abs() <= 2.0));
    }
}

#[test]
fn numbers_are_rounded_and_cut_off_where_the_program_says_so() {
    let folder = Folder::new("rounding");
    let file = folder.file("x.png");
    let image = Array::from([[-5.0f32, 0.4, 0.5, 254.6, 300.0, f32::NAN]]);
    let whole = Array::from([0.0f32, 255.0]).to_value();
    run("imwrite", &[file.clone(), image.to_value(), whole]).unwrap();
    assert_eq!(read(std::slice::from_ref(&file)).to_vec(), [0.0, 0.0, 1.0, 255.0, 255.0, 0.0]);
    let range = Array::from([0.0f32, 0.5]).to_value();
    let image = Array::from([[0.0f64, 0.25, 0.5, 1.0]]);
    run("imwrite", &[file.clone(), image.to_value(), range]).unwrap();
    assert_eq!(read(std::slice::from_ref(&file)).to_vec(), [0.0, 128.0, 255.0, 255.0]);
    let auto = Array::<f32>::zeros(&[0]).unwrap().to_value();
    let image = Array::from([[10i32, 20, 30]]);
    run("imwrite", &[file.clone(), image.to_value(), auto]).unwrap();
    assert_eq!(read(std::slice::from_ref(&file)).to_vec(), [0.0, 128.0, 255.0]);
    let (range, bits) = (Array::from([0.0f32, 1.0]).to_value(), Value::int(16));
    let image = Array::from([[0.0f64, 0.25, 1.0, 7.0]]);
    run("imwrite", &[file.clone(), image.to_value(), range.clone(), bits]).unwrap();
    assert_eq!(read(std::slice::from_ref(&file)).to_vec(), [0.0, 16384.0, 65535.0, 65535.0]);
    let error = run("imwrite", &[file, image.to_value(), range, Value::int(12)]).unwrap_err().to_string();
    assert_eq!(error, "imwrite: the number of bits must be 8 or 16");
}

#[test]
fn images_from_0_to_1_need_their_range() {
    let folder = Folder::new("unit");
    let file = folder.file("x.png");
    for image in [
        Array::from([[0.0f32, 0.25, 1.0]]).to_value(),
        Array::from([[0.5f64, 0.001]]).to_value(),
        Array::from([[-0.1f32, 0.3]]).to_value(),
    ] {
        let error = run("imwrite", &[file.clone(), image.clone()]).unwrap_err().to_string();
        assert!(
            error.contains("the values go from 0 to 1") && error.contains("imwrite(file, img, [0,1])"),
            "{error}"
        );
        run("imwrite", &[file.clone(), image, Array::from([0.0f32, 1.0]).to_value()]).unwrap();
    }
    assert_eq!(read(std::slice::from_ref(&file)).to_vec(), [0.0, 77.0]);
    for whole in [[[0.0f32, 1.0, 1.0]], [[0.0, 0.5, 1.5]], [[0.0, 0.0, 0.0]]] {
        run("imwrite", &[file.clone(), Array::from(whole).to_value()]).unwrap();
    }
}

#[test]
fn save_writes_no_file_that_another_program_would_take_for_its_own() {
    let folder = Folder::new("foreign");
    for (name, said) in [
        ("x.h5", "not supported yet: HDF5 files"),
        ("x.csv", "csvwrite and csvread do them"),
        ("x.png", "imwrite and imread do them"),
    ] {
        let file = folder.file(name);
        let error = run("save", &[file.clone(), Value::int(3)]).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains(name), "{error}");
        std::fs::write(file.as_text().unwrap(), "something").unwrap();
        let error = run("load", &[file]).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    // What the first bytes say counts more than the name.
    for (begin, said) in [
        (&b"MATLAB 5.0 MAT-file, Platform: GLNXA64"[..], "the file is cut off"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"", "this is not a file written by save"),
    ] {
        let file = folder.file("data.bin");
        std::fs::write(file.as_text().unwrap(), begin).unwrap();
        let error = run("load", &[file]).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    for name in ["x.npy", "x.npz"] {
        let file = folder.file(name);
        std::fs::write(file.as_text().unwrap(), "QUASAR").unwrap();
        let error = run("load", &[file]).unwrap_err().to_string();
        assert!(error.contains("it does not begin as a file of NumPy"), "{error}");
    }
    for name in ["x.qv", "x", "mat", ".mat", "x.mat", "x.MAT"] {
        let file = folder.file(name);
        run("save", &[file.clone(), Value::int(3)]).unwrap();
        let loaded = run("load", &[file]).unwrap().remove(0);
        assert_eq!(loaded.as_scalar().map(|x| x.as_i64()), Some(3), "{name}");
    }
}

#[test]
fn no_depth_is_lost() {
    let folder = Folder::new("depth");
    let deep = [[0, 1000, 256], [30000, 65535, 257]];
    let images = [
        Array::from(deep.map(|row| row.map(|x| x as f32))).to_value(),
        Array::from(deep.map(|row| row.map(f64::from))).to_value(),
        Array::from(deep).to_value(),
        Array::from(deep.map(|row| row.map(|x| x as u16))).to_value(),
        Array::from(deep.map(|row| row.map(|x| x as u64))).to_value(),
    ];
    let expected: Vec<f32> = deep.iter().flatten().map(|&x| x as f32).collect();
    for image in &images {
        for extension in ["png", "tif", "TIFF", "tiff", "PNG"] {
            let file = folder.file(&format!("x.{extension}"));
            run("imwrite", &[file.clone(), image.clone()]).unwrap();
            assert_eq!(read(std::slice::from_ref(&file)).to_vec(), expected, "{extension}");
        }
        for extension in ["jpg", "jpeg", "bmp", "pgm", "ppm"] {
            let error = run("imwrite", &[folder.file(&format!("x.{extension}")), image.clone()]);
            let error = error.unwrap_err().to_string();
            let said = "holds 8 bits for each channel here, but this image needs 16; use png or tif, or give the range";
            assert!(error.contains(said), "{error}");
        }
    }
    for (extension, channels) in [("png", 3), ("png", 4), ("tif", 3), ("tif", 4)] {
        let file = folder.file(&format!("colour.{extension}"));
        let elements: Vec<f32> = (0..4 * channels).map(|k| (k * 3000) as f32).collect();
        let image = Array::from_vec(&[2, 2, channels], elements).unwrap();
        run("imwrite", &[file.clone(), image.to_value()]).unwrap();
        assert_eq!(read(&[file]), image, "{extension} {channels}");
    }
    // Gray as colour, which this format always holds.
    let file = folder.file("gray.ppm");
    let image = gradient(&[2, 2]);
    run("imwrite", &[file.clone(), image.to_value()]).unwrap();
    assert_eq!(read(&[file, "gray".into()]), image);
    // Elements of 16 bits stay that, whatever they hold.
    let file = folder.file("dark.png");
    run("imwrite", &[file, Array::from([[1u16, 2]]).to_value()]).unwrap();
    let stored = image::open(folder.0.join("dark.png")).unwrap();
    assert_eq!(stored.color(), image::ColorType::L16);
}

#[test]
fn arrays_of_numpy_hold_numbers_alone() {
    let folder = Folder::new("npy");
    let array = Array::from([[1.5f32, -2.0]]).to_value();
    let error = |name: &str, values: &[Value]| {
        let args: Vec<Value> = [folder.file(name)].iter().chain(values).cloned().collect();
        run("save", &args).unwrap_err().to_string()
    };
    let several = error("x.npy", &[array.clone(), array.clone()]);
    assert!(
        several
            .ends_with("a .npy file holds one array, and there are 2 values; use .npz, which holds several")
    );
    for value in [Value::from("text"), Value::cell(vec![Value::int(1)]), Value::Null, Value::Unit] {
        let said = format!("holds arrays of numbers, found {}", value.kind());
        let found = error("x.npy", std::slice::from_ref(&value));
        assert!(found.contains("a .npy file") && found.ends_with(&said), "{found}");
        let found = error("x.npz", &[array.clone(), value]);
        assert!(found.contains("'arr_1' in a .npz file") && found.ends_with(&said), "{found}");
    }
    let named = |name: &str| {
        let fields = vec![(std::sync::Arc::from(name), array.clone())];
        Value::Object(quasar_devicelib::value::Record::new("object", false, fields))
    };
    assert!(
        error("x.npz", &[array.clone(), named("arr_0")]).ends_with("two of the arrays are called 'arr_0'")
    );
    assert_eq!(folder.names(), Vec::<String>::new());
    run("save", &[folder.file("x.npz"), named("a"), Value::int(7), named("b")]).unwrap();
    let args: Vec<Value> = [folder.file("x.npz"), "b".into(), "arr_1".into()].into();
    let loaded = run("load", &args).unwrap();
    assert_eq!(Array::<f32>::from_value(loaded[0].clone()).unwrap().to_vec(), [1.5, -2.0]);
    assert!(matches!(loaded[1].as_scalar(), Some(quasar_devicelib::element::Scalar::I32(7))));
}

#[test]
fn floats_are_kept_in_tiff_files() {
    let folder = Folder::new("float");
    let file = folder.file("x.tif");
    for dims in [vec![2, 3], vec![1, 1], vec![2, 5, 3], vec![3, 2, 4], vec![2, 3, 1]] {
        let count: usize = dims.iter().product();
        let mut elements: Vec<f32> = (0..count).map(|k| k as f32 * 0.37 - 1e6).collect();
        elements[0] = f32::MIN_POSITIVE / 4.0;
        let image = Array::from_vec(&dims, elements).unwrap();
        run("imwrite", &[file.clone(), image.to_value(), "float".into()]).unwrap();
        let found = read(std::slice::from_ref(&file));
        assert_eq!(found.dims(), [dims[0], dims[1], dims.get(2).copied().unwrap_or(1)]);
        assert_eq!(found.to_vec(), image.to_vec());
    }
    let special = Array::from([[f32::NAN, f32::INFINITY, -0.0]]);
    run("imwrite", &[special.to_value(), folder.file("y.TIFF"), "float".into()]).unwrap();
    let bits = |x: &Array<f32>| x.to_vec().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read(&[folder.file("y.TIFF"), "gray".into()])), bits(&special));
    assert_eq!(read(&[folder.file("y.TIFF"), "rgb".into()]).dims(), [1, 3, 3]);
    // Whole numbers are kept exactly, others to the precision of floats.
    for image in [
        Array::from([[1i32 << 30, -3, (1 << 24) - 1]]).to_value(),
        Array::from([[1u64 << 63, 0]]).to_value(),
        Array::from([[0.1f64, f64::INFINITY, f64::NAN]]).to_value(),
    ] {
        run("imwrite", &[file.clone(), image, "float".into()]).unwrap();
    }
    assert_eq!(read(std::slice::from_ref(&file)).to_vec()[..2], [0.1, f32::INFINITY]);
    for (image, said) in [
        (Array::from([[(1i32 << 24) + 1]]).to_value(), "floats of 32 bits do not hold the value 16777217"),
        (Array::from([[u64::MAX]]).to_value(), "do not hold the value 18446744073709551615"),
        (Array::from([[i64::MIN + 1]]).to_value(), "do not hold the value -9223372036854775807"),
        (Array::from([[1e39f64]]).to_value(), "do not hold the value 1e39"),
    ] {
        let error = run("imwrite", &[file.clone(), image, "float".into()]).unwrap_err().to_string();
        assert!(error.ends_with(said), "{error}");
    }
    let image = Array::from([[0.5f32]]).to_value();
    let error =
        run("imwrite", &[folder.file("x.png"), image.clone(), "float".into()]).unwrap_err().to_string();
    assert!(error.ends_with("floats go to tif and exr files only, or by save to npy"), "{error}");
    for options in [vec!["double".into()], vec!["float".into(), Value::int(16)]] {
        let args: Vec<Value> = [file.clone(), image.clone()].into_iter().chain(options).collect();
        assert!(run("imwrite", &args).unwrap_err().to_string().contains("or \"float\" alone"));
    }
}

#[test]
fn what_pixels_cannot_hold_is_an_error() {
    let folder = Folder::new("loss");
    let file = folder.file("x.png");
    let advice = "; to cut them off, give the range that shall be kept: imwrite(file, img, [0,255])";
    for (image, said) in [
        (Array::from([[0.0f32, f32::NAN]]).to_value(), "the image holds NaN or infinite values"),
        (Array::from([[0.0f64, f64::INFINITY]]).to_value(), "the image holds NaN or infinite values"),
        (
            Array::from([[-0.6f32, 3.0]]).to_value(),
            "the values go from -0.6 to 3, but pixels from 0 to 65535",
        ),
        (
            Array::from([[0.0f32, 65_536.0]]).to_value(),
            "the values go from 0 to 65536, but pixels from 0 to 65535",
        ),
        (Array::from([[-1i32, 300]]).to_value(), "the values go from -1 to 300, but pixels from 0 to 65535"),
        (Array::from([[-128i8, 0]]).to_value(), "the values go from -128 to 0, but pixels from 0 to 65535"),
    ] {
        let error = run("imwrite", &[file.clone(), image.clone()]).unwrap_err().to_string();
        assert!(error.ends_with(&format!("{said}{advice}")), "{error}");
        assert_eq!(folder.names(), Vec::<String>::new());
    }
    // What rounding brings into the range is fine.
    run("imwrite", &[file.clone(), Array::from([[-0.4f32, 255.4]]).to_value()]).unwrap();
    assert_eq!(read(&[file]).to_vec(), [0.0, 255.0]);
}

#[test]
fn a_small_file_that_claims_a_huge_image_is_an_error() {
    let folder = Folder::new("claims");
    let file = folder.file("huge.pgm");
    for claim in ["P5 200000 200000 255\n", "P6 60000 60000 65535\n", "P5 4000000000 4000000000 255\n"] {
        std::fs::write(folder.0.join("huge.pgm"), [claim.as_bytes(), &[7; 100]].concat()).unwrap();
        assert!(
            matches!(run("imread", std::slice::from_ref(&file)), Err(Error::ImageFile { .. })),
            "{claim}"
        );
    }
    std::fs::write(folder.0.join("huge.pgm"), b"P5 3 1 255\n\x01\x02\x03").unwrap();
    assert_eq!(read(&[file]).to_vec(), [1.0, 2.0, 3.0]);
}

#[test]
fn images_have_the_channels_of_their_file() {
    let folder = Folder::new("channels");
    for (name, dims) in [("gray", vec![2, 3]), ("rgb", vec![2, 3, 3]), ("alpha", vec![2, 3, 4])] {
        for extension in ["png", "tif"] {
            let file = folder.file(&format!("{name}.{extension}"));
            let image = gradient(&dims);
            run("imwrite", &[file.clone(), image.to_value()]).unwrap();
            let channels = dims.get(2).copied().unwrap_or(1);
            let found = read(std::slice::from_ref(&file));
            assert_eq!(found.dims(), [2, 3, channels], "{name}");
            assert_eq!(found.to_vec(), image.to_vec());
            assert_eq!(read(&[file.clone(), "gray".into()]).dims(), [2, 3]);
            assert_eq!(read(&[file, "rgb".into()]).dims(), [2, 3, 3]);
        }
    }
}

#[test]
#[cfg(unix)]
fn written_files_keep_their_mode_and_their_links() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("mode");
    let image = gradient(&[3, 3]).to_value();
    for (function, name) in [
        ("imwrite", "x.png"),
        ("save", "x.bin"),
        ("csvwrite", "x.csv"),
        ("imwrite", "x.jpg"),
        ("save", "x.npy"),
        ("save", "x.npz"),
    ] {
        let path = folder.0.join(name);
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        let link = folder.0.join(format!("link-{name}"));
        std::os::unix::fs::symlink(name, &link).unwrap();
        for written in [name.to_string(), format!("link-{name}")] {
            run(function, &[folder.file(&written), image.clone()]).unwrap();
            let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{function} {written}");
            assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_ne!(std::fs::read(&path).unwrap(), b"old");
            std::fs::write(&path, "old").unwrap();
        }
    }
}

#[test]
fn sixteen_bits_keep_their_range() {
    let folder = Folder::new("wide");
    let path = folder.0.join("x.png");
    let pixels = image::ImageBuffer::<image::Luma<u16>, _>::from_raw(2, 1, vec![1u16, 65535]).unwrap();
    pixels.save(&path).unwrap();
    assert_eq!(read(&[folder.file("x.png")]).to_vec(), [1.0, 65535.0]);
    let double = call("imread", &[folder.file("x.png")], 1, ElementType::Double).unwrap();
    assert_eq!(double[0].element_type(), Some(ElementType::Double));
}

#[test]
fn errors_name_the_file_and_the_cause() {
    let folder = Folder::new("errors");
    let text = |result: Result<Vec<Value>>| result.unwrap_err().to_string();
    let missing = text(run("imread", &[folder.file("missing.png")]));
    assert!(
        missing.starts_with("imread: cannot read image '") && missing.contains("missing.png'"),
        "{missing}"
    );
    std::fs::write(folder.0.join("broken.png"), b"\x89PNG\r\n\x1a\nnonsense").unwrap();
    assert!(text(run("imread", &[folder.file("broken.png")])).contains("broken.png': "));
    std::fs::write(folder.0.join("text.dat"), b"hello").unwrap();
    assert!(text(run("imread", &[folder.file("text.dat")])).contains("unknown format; supported are png"));
    let image = gradient(&[2, 2]).to_value();
    let error = text(run("imwrite", &[folder.file("x.xcf"), image.clone()]));
    assert!(
        error.ends_with(
            "unknown extension 'xcf'; use one of png, jpg, jpeg, tif, tiff, bmp, gif, webp, exr, pgm, ppm"
        ),
        "{error}"
    );
    let error = text(run("imwrite", &[folder.file("x.png"), gradient(&[2, 2, 2]).to_value()]));
    assert!(error.contains("found 2x2x2"), "{error}");
    assert!(
        text(run("imwrite", &[folder.file("x.pgm"), gradient(&[2, 2, 3]).to_value()])).contains("use ppm")
    );
    assert!(run("imwrite", &[folder.file("no/such/folder.png"), image.clone()]).is_err());
    let error = text(run("imread", &[folder.file("x.png"), "grey".into()]));
    assert_eq!(error, "imread: argument 2 must be \"rgb\" or \"gray\", found \"grey\"");
    assert!(run("imwrite", &[folder.file("x.png"), image, Array::from([1.0f32, 0.0]).to_value()]).is_err());
    assert!(!Path::new(&folder.0.join("x.png")).exists());
    assert_eq!(folder.names(), ["broken.png", "text.dat"]);
    let direct = quasar_runtime::library::image_file::read(Path::new("/nowhere.png"), Default::default());
    assert!(matches!(direct, Err(Error::ImageFile { function: "imread", .. })));
}

#[test]
fn tables_return_what_was_written() {
    let folder = Folder::new("tables");
    let file = folder.file("x.csv");
    let table = Array::from([[1.5f32, -2.0, 1e-20], [0.1, 4e9, 3.0]]);
    run("csvwrite", &[file.clone(), table.to_value()]).unwrap();
    let found: Array<f32> =
        Array::from_value(run("csvread", std::slice::from_ref(&file)).unwrap().remove(0)).unwrap();
    assert_eq!(found, table);
    assert!(run("exists", &[file]).unwrap()[0].is_true().unwrap());
    assert!(!run("exists", &[folder.file("y.csv")]).unwrap()[0].is_true().unwrap());
    assert!(run("csvread", &[folder.file("y.csv")]).is_err());
}

#[test]
fn programs_print_where_they_are_told() {
    let text = quasar_runtime::context::with_output(|| {
        quasar_runtime::library::host_services::with_host(ElementType::Single, |host| {
            host.print("to the sink\n").unwrap();
            assert!(host.now_ms() >= 0.0);
        });
    });
    assert_eq!(text, "to the sink\n");
    assert!(run("no_such_function", &[]).is_err());
}

#[test]
fn text_files_are_written_and_read() {
    let folder = Folder::new("text");
    let file = folder.file("x.txt");
    let handle = run("fopen", &[file.clone(), "w".into()]).unwrap().remove(0);
    run("fprintf", &[handle.clone(), "%d and %d\nend".into(), Value::int(1), Value::int(2)]).unwrap();
    assert!(run("fgets", std::slice::from_ref(&handle)).is_err());
    run("fclose", std::slice::from_ref(&handle)).unwrap();
    assert!(run("fclose", std::slice::from_ref(&handle)).is_err());
    let handle = run("fopen", &[file, "r".into()]).unwrap().remove(0);
    let ask = |name: &str| run(name, std::slice::from_ref(&handle)).unwrap().remove(0);
    assert_eq!(ask("fgets").as_text(), Some("1 and 2\n"));
    assert!(!ask("feof").is_true().unwrap());
    assert_eq!(Array::<u8>::from_value(ask("fread")).unwrap().to_vec(), b"end");
    assert!(ask("feof").is_true().unwrap());
    run("fclose", &[handle]).unwrap();
    let listed = run("dir", &[folder.file("*.txt")]).unwrap().remove(0);
    assert_eq!(listed.cell_items().unwrap().unwrap().len(), 1);
    let error = run("fopen", &[folder.file("none.txt")]).unwrap_err().to_string();
    assert!(error.starts_with("fopen: '") && error.contains("none.txt"), "{error}");
}

#[test]
fn saved_values_are_loaded() {
    let folder = Folder::new("values");
    let file = folder.file("x.bin");
    let a = Array::from([[1.0f64, 2.0]]);
    run("save", &[file.clone(), a.to_value(), "text".into()]).unwrap();
    let values = run("load", std::slice::from_ref(&file)).unwrap();
    assert_eq!(Array::<f64>::from_value(values[0].clone()).unwrap(), a);
    assert_eq!(values[1].as_text(), Some("text"));
    std::fs::write(file.as_text().unwrap(), "something else").unwrap();
    assert!(run("load", &[file]).unwrap_err().to_string().ends_with("this is not a file written by save"));
}

#[test]
fn a_seed_repeats_the_random_numbers() {
    let draw = || {
        let value = run("rand", &[Value::int(3)]).unwrap().remove(0);
        Array::<f32>::from_value(value).unwrap().to_vec()
    };
    quasar_runtime::context::seed(7);
    let (first, second) = (draw(), draw());
    assert_ne!(first, second);
    quasar_runtime::context::seed(7);
    assert_eq!((draw(), draw()), (first.clone(), second));
    run("seed", &[Value::int(7)]).unwrap();
    assert_eq!(draw(), first);
}

/// Whoever takes one value of a file of two would lose the other.
#[test]
fn all_values_of_a_file_are_taken_or_named() {
    let folder = Folder::new("values-taken");
    let numbers = Array::from([1.0f32, 2.0]).to_value();
    for name in ["two.q", "two.npz"] {
        let file = folder.file(name);
        run("save", &[file.clone(), numbers.clone(), numbers.clone()]).unwrap();
        let error =
            call("load", std::slice::from_ref(&file), 1, ElementType::Single).unwrap_err().to_string();
        assert!(
            error.contains("the file holds 2 values, of which 1 is taken; write [a1, a2] = load(..)"),
            "{error}"
        );
        assert_eq!(call("load", &[file], 2, ElementType::Single).unwrap().len(), 2);
    }
    let named = run("load", &[folder.file("two.npz"), Value::from("arr_1")]).unwrap();
    assert_eq!(named.len(), 1);
}
