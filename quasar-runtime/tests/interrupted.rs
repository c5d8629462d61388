//! Processes that are killed while they write files and caches, and disks that are full: the old contents or the new ones are
//! there, never half of them, and caches are right or empty.

#![cfg(all(unix, feature = "image-files"))]

use quasar_compiled::cache::{ImageCache, ImageCounts, ImageKey};
use quasar_devicelib::element::ElementType;
use quasar_runtime::library::call;
use quasar_runtime::{Array, Result, Value};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names the folder of the process that writes.
const FOLDER: &str = "QUASAR_TEST_INTERRUPTED";
/// How often a process is killed; 200 take about ten seconds.
const KILLS: &str = "QUASAR_KILLS";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// This program as the process that does one of the jobs below here.
    fn process(&self, job: &str) -> Command {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", job, "--nocapture"]).env(FOLDER, &self.0);
        process.stdout(Stdio::null()).stderr(Stdio::null());
        process
    }

    fn left_over(&self) -> usize {
        let entries = std::fs::read_dir(&self.0).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp")).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(name: &str, folder: &Path, file: &str, args: &[Value]) -> Result<Vec<Value>> {
    let path = Value::from(folder.join(file).to_str().unwrap());
    call(name, &[&[path], args].concat(), if name == "load" { 9 } else { 1 }, ElementType::Single)
}

const SIDE: usize = 150;

/// All elements of one file are the same, so that half of one is seen.
fn image(number: u8) -> Array<u8> {
    Array::from_vec(&[SIDE, SIDE], vec![number; SIDE * SIDE]).unwrap()
}

/// Of every size, and of noise, which does not get smaller when it is packed.
fn kernel(number: u8) -> Vec<u8> {
    let mut state = u32::from(number) + 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..20_000 + 50 * usize::from(number)).map(|_| next()).collect()
}

fn key(number: u8) -> ImageKey {
    ImageKey::of(&[&[number]])
}

fn write(folder: &Path, number: u8) -> Result<()> {
    let value = image(number).to_value();
    run("imwrite", folder, "x.png", std::slice::from_ref(&value))?;
    run("imwrite", folder, "x.tif", std::slice::from_ref(&value))?;
    run("save", folder, "x.bin", &[value.clone(), Value::int(i64::from(number))])?;
    run("csvwrite", folder, "x.csv", std::slice::from_ref(&value))?;
    Ok(())
}

/// The job of a process that writes until it is killed.
#[test]
fn writes_for_ever() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let cache = ImageCache::in_folder(folder.join("cache"), 400_000);
    for number in (0..=u8::MAX).cycle() {
        write(&folder, number).unwrap();
        cache.store(key(number), &kernel(number));
        if cache.load(key(number / 2)).is_none() {
            cache.store(key(number / 2), &kernel(number / 2));
        }
    }
}

/// Whether a table is there and all its elements are one number.
fn is_whole(array: &Array<f32>) -> bool {
    let elements = array.to_vec();
    elements.len() == SIDE * SIDE && elements.iter().all(|x| *x == elements[0])
}

fn check(folder: &Path) {
    for (reader, file) in [("imread", "x.png"), ("imread", "x.tif"), ("csvread", "x.csv")] {
        if folder.join(file).exists() {
            let found = run(reader, folder, file, &[]).unwrap_or_else(|error| panic!("{error}")).remove(0);
            assert!(is_whole(&Array::from_value(found).unwrap()), "half of {file}");
        }
    }
    if folder.join("x.bin").exists() {
        let found = run("load", folder, "x.bin", &[]).unwrap_or_else(|error| panic!("{error}"));
        let saved = Array::<u8>::from_value(found[0].clone()).unwrap().to_vec();
        let number = found[1].as_scalar().unwrap().as_i64();
        assert!(saved.iter().all(|&x| i64::from(x) == number), "half of x.bin");
    }
    let cache = ImageCache::in_folder(folder.join("cache"), 400_000);
    let found = (0..=u8::MAX).filter(|&number| {
        let found = cache.load(key(number));
        assert!(found.as_ref().is_none_or(|found| *found == kernel(number)), "a wrong image of a kernel");
        found.is_some()
    });
    let found = found.count() as u64;
    let counts = ImageCounts { hits: found, misses: 256 - found, ..ImageCounts::default() };
    assert_eq!(cache.counts(), counts, "no file was broken");
}

#[test]
fn processes_that_are_killed_leave_nothing_half_written() {
    let kills = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(20_usize);
    let folder = Folder::new("killed");
    let mut state = 12_345_u64;
    for kill in 0..kills {
        let mut process = folder.process("writes_for_ever").spawn().unwrap();
        // Until it writes, and then some time between 0 and 40 ms.
        let begun = std::time::Instant::now();
        while !folder.0.join("x.png").exists() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(4_000 + (state >> 33) % 40_000));
        process.kill().unwrap();
        let status = process.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "kill {kill}: the process ended by itself: {status}");
        check(&folder.0);
    }
    println!("{kills} kills, {} temporary files left", folder.left_over());
    assert!(folder.left_over() <= kills, "a kill leaves one file at most");
    // What was left is in nobody's way.
    write(&folder.0, 7).unwrap();
    check(&folder.0);
}

/// The job of a process that may write files of some kilobytes only, as on a disk that is full.
#[test]
fn finds_the_disk_full() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let large = Array::from_vec(&[300, 300], vec![0.5_f32; 90_000]).unwrap().to_value();
    for (function, file) in [("save", "x.bin"), ("csvwrite", "x.csv"), ("save", "y.bin"), ("save", "new.bin")]
    {
        let error = run(function, &folder, file, std::slice::from_ref(&large)).unwrap_err().to_string();
        assert!(error.contains(file) && error.starts_with(function), "{error}");
    }
    let noise: Vec<u8> = (0..6).flat_map(|k| kernel(200 + k)).collect();
    let noisy = Array::from_vec(&[noise.len()], noise.clone()).unwrap().to_value();
    let error = run("imwrite", &folder, "x.tif", &[noisy]).unwrap_err().to_string();
    assert!(error.starts_with("imwrite: cannot write image"), "{error}");
    let cache = ImageCache::in_folder(folder.join("cache"), 1 << 20);
    cache.store(key(1), &noise);
    assert_eq!((cache.counts().failed, cache.load(key(1))), (1, None));
    // What there is room for can be written.
    run("save", &folder, "small.bin", &[Value::int(3)]).unwrap();
    std::fs::write(folder.join("done"), "").unwrap();
}

#[test]
fn a_full_disk_is_an_error_and_the_old_files_stay() {
    let folder = Folder::new("full");
    write(&folder.0, 9).unwrap();
    // With a second name, which makes the contents change in place.
    run("save", &folder.0, "y.bin", &[Value::from("old")]).unwrap();
    std::fs::hard_link(folder.0.join("y.bin"), folder.0.join("z.bin")).unwrap();
    let process = folder.process("finds_the_disk_full");
    let mut limited = Command::new("sh");
    // Blocks of 512 or 1024 bytes. Without the signal, writing more is an error.
    limited.args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""]);
    limited.arg(process.get_program()).args(process.get_args()).env(FOLDER, &folder.0);
    let output = limited.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && folder.0.join("done").exists(), "{said}");
    check(&folder.0);
    let saved = run("load", &folder.0, "x.bin", &[]).unwrap();
    assert_eq!(saved[1].as_scalar().unwrap().as_i64(), 9);
    for name in ["y.bin", "z.bin"] {
        assert_eq!(run("load", &folder.0, name, &[]).unwrap()[0].as_text(), Some("old"));
    }
    assert!(!folder.0.join("new.bin").exists());
    assert_eq!(folder.left_over(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn devices_that_are_full_are_errors() {
    let text = |result: Result<Vec<Value>>| result.unwrap_err().to_string();
    let full = |name: &str, args: &[Value]| text(run(name, Path::new("/dev"), "full", args));
    let table = image(1).to_value();
    assert!(full("save", std::slice::from_ref(&table)).starts_with("save: '/dev/full': No space left"));
    assert!(
        full("csvwrite", std::slice::from_ref(&table)).starts_with("csvwrite: '/dev/full': No space left")
    );
    let file = run("fopen", Path::new("/dev"), "full", &["w".into()]).unwrap().remove(0);
    let written = call("fprintf", &[file.clone(), "text".into()], 0, ElementType::Single);
    assert!(text(written).starts_with("fprintf: '/dev/full': No space left"));
    call("fclose", &[file], 0, ElementType::Single).unwrap();
    let print = |text: &str| quasar_runtime::context::print(text);
    quasar_runtime::context::set_output(Some(Box::new(std::fs::File::create("/dev/full").unwrap())));
    let error = print("lost\n").unwrap_err().to_string();
    quasar_runtime::context::set_output(None);
    assert!(error.starts_with("the output cannot be written: No space left"), "{error}");
    // Devices and pipes are not read.
    for name in ["load", "csvread", "imread"] {
        let error = text(run(name, Path::new("/dev"), "zero", &[]));
        assert!(error.ends_with("this is a device or a pipe, not a file"), "{error}");
    }
    assert!(text(run("fopen", Path::new("/dev"), "zero", &[])).contains("this is a device or a pipe"));
    assert!(
        text(run("load", Path::new("/proc/self"), "maps", &[]))
            .ends_with("this is information of the system, not a file")
    );
}
