//! Arrays of Python's zarr: what it writes is read here, and what is written here is read by it, with the same bits. Shown as ignored
//! where it is missing.

use libtest_mimic::{Arguments, Failed, Trial};
use quasar_store::{Compression, Kind, Layout, Store};
use std::path::{Path, PathBuf};
use std::process::Command;

const DIMS: [usize; 3] = [23, 9, 4];

fn main() {
    let args = Arguments::from_args();
    let script = "import zarr; assert int(zarr.__version__.split('.')[0]) >= 3";
    let found = Command::new("python3").args(["-c", script]).output();
    let missing = !found.is_ok_and(|output| output.status.success());
    let kind = if missing { "Python's zarr 3 is not installed" } else { "" };
    let trial = |name: &str, run: fn() -> Result<(), Failed>| {
        Trial::test(name, run).with_kind(kind).with_ignored_flag(missing)
    };
    let trials =
        vec![trial("arrays_of_python_are_read", reads), trial("python_reads_what_is_written", writes)];
    libtest_mimic::run(&args, trials).exit();
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder, Failed> {
        let path = std::env::temp_dir().join(format!("quasar-store-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    fn python(&self, command: &str) -> Result<(), Failed> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/arrays.py");
        let output = Command::new("python3").arg(script).arg(command).arg(&self.0).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The bytes of an array, as `arrays.py` has them.
fn content(kind: Kind) -> Vec<u8> {
    let count = DIMS.iter().product::<usize>() * kind.size();
    (0..count).map(|k| ((k as u64 * 2_654_435_761) >> 13) as u8).collect()
}

/// 7 as an element.
fn seven(kind: Kind) -> Vec<u8> {
    match kind {
        Kind::F16 => vec![0, 0x47],
        Kind::F32 => 7_f32.to_ne_bytes().to_vec(),
        Kind::F64 => 7_f64.to_ne_bytes().to_vec(),
        Kind::C32 => [7_f32.to_ne_bytes(), [0; 4]].concat(),
        Kind::C64 => [7_f64.to_ne_bytes(), [0; 8]].concat(),
        _ => [[7].as_slice(), &vec![0; kind.size() - 1]].concat(),
    }
}

fn reads() -> Result<(), Failed> {
    let folder = Folder::new("reads")?;
    folder.python("write")?;
    for kind in Kind::ALL {
        for form in ["default", "plain", "gzip", "zstd", "checked", "big", "shards", "dots", "filled"] {
            let name = format!("{form}-{}", kind.name());
            let fail = |error: quasar_store::Failure| format!("{name}: {error}");
            let store = Store::open(&folder.0.join(&name)).map_err(fail)?;
            assert_eq!((store.kind(), store.dims().collect::<Vec<_>>()), (*kind, DIMS.to_vec()), "{name}");
            let mut expected = content(*kind);
            let row = store.row_bytes();
            if form == "filled" {
                expected[10 * row..]
                    .chunks_exact_mut(kind.size())
                    .for_each(|x| x.copy_from_slice(&seven(*kind)));
            }
            for rows in [0..23, 4..16, 22..23] {
                let mut found = vec![0; rows.len() * row];
                store.read_rows(rows.clone(), &mut found).map_err(fail)?;
                assert!(found == expected[rows.start * row..rows.end * row], "{name} {rows:?}");
            }
        }
    }
    let said = |name: &str| Store::open(&folder.0.join(name)).unwrap_err().to_string();
    assert!(said("old").contains("Zarr 2"), "{}", said("old"));
    assert!(said("bool").starts_with("elements are bool; there are int8, "), "{}", said("bool"));
    assert!(said("number").contains("0 dimensions"), "{}", said("number"));
    assert!(said("blosc").contains("blosc"), "{}", said("blosc"));
    Ok(())
}

fn writes() -> Result<(), Failed> {
    let folder = Folder::new("writes")?;
    for kind in Kind::ALL {
        for (form, compression) in [("none", Compression::None), ("gzip", Compression::Gzip)] {
            let layout =
                Layout { kind: *kind, dims: DIMS.to_vec(), chunks: Some(vec![4, 5, 4]), compression };
            let mut store = Store::create(&folder.0.join(format!("{form}-{}", kind.name())), &layout)?;
            store.write_rows(0..23, &content(*kind))?;
            store.finish(true)?;
        }
    }
    folder.python("check")
}
