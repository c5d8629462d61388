//! Files with random mistakes: readers give values or errors, and never panic.
//!
//! `QUASAR_FUZZ_SECONDS=600` runs for that long, `QUASAR_FUZZ_SEED=N` begins with that seed. A failure names its seed.

#![cfg(feature = "image-files")]

#[path = "../../tests/random/random.rs"]
#[allow(dead_code, reason = "the generator of programs uses more of it")]
mod random;

use quasar_devicelib::element::ElementType;
use quasar_runtime::library::call;
use quasar_runtime::{Array, Value};
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Names of files, each with the function that reads it.
const FILES: [(&str, &str); 14] = [
    ("x.png", "imread"),
    ("x.bmp", "imread"),
    ("x.tif", "imread"),
    ("x.jpg", "imread"),
    ("x.ppm", "imread"),
    ("x.pgm", "imread"),
    ("x.csv", "csvread"),
    ("x.bin", "load"),
    ("x.npy", "load"),
    ("x.npz", "load"),
    ("x.mat", "load"),
    ("packed.mat", "load"),
    ("float.tif", "imread"),
    ("x.xml", "load_config"),
];

fn run(name: &str, args: &[Value]) -> quasar_runtime::Result<Vec<Value>> {
    call(name, args, 1, ElementType::Single)
}

/// The bytes of a right file.
fn sample(folder: &Path, name: &str) -> Vec<u8> {
    let path = folder.join(name);
    let file = Value::from(path.to_str().expect("a name"));
    let count = |dims: &[usize]| dims.iter().product::<usize>();
    let image = |dims: &[usize]| {
        let values = (0..count(dims)).map(|k| (k * 7 % 256) as f32).collect();
        Array::from_vec(dims, values).expect("an image").to_value()
    };
    let written = match name {
        "x.csv" => run("csvwrite", &[file, image(&[3, 4])]),
        "x.mat" => run("save", &[file, image(&[2, 3]), "text".into(), Value::int(7), image(&[1, 2, 3])]),
        "packed.mat" => return include_bytes!("matlab_files/sample.mat").to_vec(),
        "x.bin" => run("save", &[file, image(&[2, 3]), "text".into(), Value::int(7), image(&[1, 2, 3])]),
        "x.npy" => run("save", &[file, image(&[2, 3, 2])]),
        "x.npz" => {
            // As NumPy packs it: the archive is the same for all who make one, and this one is deflated.
            let packed = include_bytes!("numpy_files/packed.npz");
            return packed.to_vec();
        }
        "float.tif" => run("imwrite", &[file, image(&[5, 6]), "float".into()]),
        "x.pgm" => run("imwrite", &[file, image(&[5, 6])]),
        "x.xml" => {
            let setting = "<a><setting name=\"RUNTIME_NUM_THREADS\"><value>0</value></setting></a>";
            std::fs::write(&path, setting).expect("written");
            Ok(Vec::new())
        }
        _ => run("imwrite", &[file, image(&[5, 6, 3])]),
    };
    written.expect("a right file");
    std::fs::read(path).expect("a file")
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len().max(1));
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), random.below(256) as u8),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 if at < bytes.len() => bytes[at] = *random.pick(&[0, 1, 127, 128, 255, b'-', b'9', b'\n']),
            4 if at + 4 <= bytes.len() => {
                let edge = *random.pick(&[0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0001_0000]);
                bytes[at..at + 4].copy_from_slice(&edge.to_le_bytes());
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn readers_survive_damaged_files() {
    let folder = std::env::temp_dir().join(format!("quasar-damaged-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let samples: Vec<Vec<u8>> = FILES.iter().map(|(name, _)| sample(&folder, name)).collect();
    let end = Instant::now() + Duration::from_secs(number("QUASAR_FUZZ_SECONDS").unwrap_or(0));
    let first = number("QUASAR_FUZZ_SEED").unwrap_or(0);
    let mut seed = first;
    let mut broken = Vec::new();
    while (seed < first + 500 || Instant::now() < end) && broken.len() < 5 {
        let mut random = Random::new(seed);
        let k = random.below(FILES.len());
        let (name, reader) = FILES[k];
        let mut bytes = samples[k].clone();
        mutate(&mut bytes, &mut random);
        let path = folder.join(name);
        std::fs::write(&path, &bytes).expect("written");
        let start = Instant::now();
        let read = catch_unwind(AssertUnwindSafe(|| match reader {
            "load_config" => drop(
                quasar_runtime::settings::Settings::default().load_file(&String::from_utf8_lossy(&bytes)),
            ),
            _ => drop(run(reader, &[Value::from(path.to_str().expect("a name"))])),
        }));
        if read.is_err() || start.elapsed() > Duration::from_secs(20) {
            broken.push((seed, name));
        }
        seed += 1;
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("seeds {first}..{seed}");
    assert!(broken.is_empty(), "{broken:?}");
}
