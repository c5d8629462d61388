//! Image files and tables of numbers.

#![cfg(feature = "image")]

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
    call(name, args, 1, ElementType::Single)
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
fn lossy_and_opaque_formats_come_close() {
    let folder = Folder::new("lossy");
    let image = Array::<f32>::filled(&[16, 16, 4], 100.0).unwrap();
    for extension in ["jpg", "ppm"] {
        let file = folder.file(&format!("image.{extension}"));
        run("imwrite", &[file.clone(), image.to_value()]).unwrap();
        let found = read(&[file]);
        assert_eq!(found.dims(), [16, 16, 3]);
        assert!(found.read().iter().all(|x| (x - 100.0).abs() <= 2.0));
    }
}

#[test]
fn numbers_are_rounded_and_saturated() {
    let folder = Folder::new("rounding");
    let file = folder.file("x.png");
    let image = Array::from([[-5.0f32, 0.4, 0.5, 254.6, 300.0, f32::NAN]]);
    run("imwrite", &[file.clone(), image.to_value()]).unwrap();
    assert_eq!(read(std::slice::from_ref(&file)).to_vec(), [0.0, 0.0, 1.0, 255.0, 255.0, 0.0]);
    let range = Array::from([0.0f32, 0.5]).to_value();
    let image = Array::from([[0.0f64, 0.25, 0.5, 1.0]]);
    run("imwrite", &[file.clone(), image.to_value(), range]).unwrap();
    assert_eq!(read(std::slice::from_ref(&file)).to_vec(), [0.0, 128.0, 255.0, 255.0]);
    let auto = Array::<f32>::zeros(&[0]).unwrap().to_value();
    let image = Array::from([[10i32, 20, 30]]);
    run("imwrite", &[file.clone(), image.to_value(), auto]).unwrap();
    assert_eq!(read(&[file]).to_vec(), [0.0, 128.0, 255.0]);
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
    let error = text(run("imwrite", &[folder.file("x.gif"), image.clone()]));
    assert!(
        error.ends_with("unknown extension 'gif'; use one of png, jpg, jpeg, tif, tiff, bmp, pgm, ppm"),
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
            host.print("to the sink\n");
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
    assert_eq!(listed.cell_items().unwrap().len(), 1);
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
