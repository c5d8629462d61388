//! Rows of arrays in folders: what comes back, what is left when writing fails, and what damaged folders say.

use quasar_store::{Compression, Kind, Layout, Store};
use std::fs;
use std::path::{Path, PathBuf};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("rows-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn array(&self) -> PathBuf {
        self.0.join("a.zarr")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn layout(kind: Kind, dims: &[usize], chunks: Option<&[usize]>) -> Layout {
    let chunks = chunks.map(<[usize]>::to_vec);
    Layout { kind, dims: dims.to_vec(), chunks, compression: Compression::None }
}

fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// What a store says instead of an array.
fn refused(path: &Path) -> String {
    match Store::open(path) {
        Err(failure) => failure.to_string(),
        Ok(store) => {
            let rows = store.dims().next().unwrap();
            let mut bytes = vec![0; rows * store.row_bytes()];
            store.read_rows(0..rows, &mut bytes).unwrap_err().to_string()
        }
    }
}

#[test]
fn rows_come_back_bit_for_bit_whatever_the_chunks_are() {
    let folder = Folder::new("back");
    let shapes: [(&[usize], Option<&[usize]>); 7] = [
        (&[10], None),
        (&[10], Some(&[3])),
        (&[10, 7], Some(&[3, 4])),
        (&[10, 7], Some(&[20, 1])),
        (&[10, 3, 5], Some(&[4, 2, 5])),
        (&[10, 3, 5], None),
        (&[10, 2, 2, 3], Some(&[1, 1, 2, 2])),
    ];
    for (dims, chunks) in shapes {
        for (compression, kind) in
            [(Compression::None, Kind::F32), (Compression::Gzip, Kind::U8), (Compression::None, Kind::C64)]
        {
            let layout = Layout { compression, ..layout(kind, dims, chunks) };
            let mut store = Store::create(&folder.array(), &layout).unwrap();
            let row = store.row_bytes();
            let all = pattern(10 * row);
            let mut expected = vec![0; 10 * row];
            // Ranges that cross chunks, some of them twice.
            for rows in [6..10, 0..1, 1..7, 3..3] {
                let bytes = rows.start * row..rows.end * row;
                store.write_rows(rows, &all[bytes.clone()]).unwrap();
                expected[bytes.clone()].copy_from_slice(&all[bytes]);
                let mut found = vec![1; 10 * row];
                store.read_rows(0..10, &mut found).unwrap();
                assert!(found == expected, "{dims:?} {chunks:?}");
            }
            store.sync_rows(0..10).unwrap();
            assert!(refused(&folder.array()).contains("is unfinished"));
            store.finish(true).unwrap();
            let again = Store::open(&folder.array()).unwrap();
            assert_eq!((again.kind(), again.dims().collect::<Vec<_>>()), (kind, dims.to_vec()));
            for rows in [0..10, 2..5, 9..10, 0..0] {
                let mut found = vec![1; rows.len() * row];
                again.read_rows(rows.clone(), &mut found).unwrap();
                assert!(found == all[rows.start * row..rows.end * row]);
            }
        }
    }
}

#[test]
fn chunks_that_nobody_wrote_are_zeros() {
    let folder = Folder::new("zeros");
    let mut store = Store::create(&folder.array(), &layout(Kind::I16, &[8, 4], Some(&[2, 4]))).unwrap();
    store.write_rows(2..4, &pattern(16)).unwrap();
    store.finish(false).unwrap();
    let mut found = vec![1; 64];
    Store::open(&folder.array()).unwrap().read_rows(0..8, &mut found).unwrap();
    assert_eq!(found[16..32], pattern(16));
    assert!(found[..16].iter().chain(&found[32..]).all(|byte| *byte == 0));
}

#[test]
fn missing_and_damaged_chunks_are_errors_that_name_them() {
    let folder = Folder::new("damaged");
    let make = || {
        let mut store = Store::create(&folder.array(), &layout(Kind::F32, &[8, 4], Some(&[2, 4]))).unwrap();
        store.write_rows(0..8, &pattern(128)).unwrap();
        store.finish(true).unwrap();
    };
    let chunk = folder.array().join("c/1/0");
    make();
    fs::remove_file(&chunk).unwrap();
    assert_eq!(refused(&folder.array()), "chunk c/1/0 is missing");
    make();
    let good = fs::read(&chunk).unwrap();
    for byte in 0..good.len() {
        let mut bad = good.clone();
        bad[byte] ^= 0x10;
        fs::write(&chunk, bad).unwrap();
        assert!(refused(&folder.array()).starts_with("chunk c/1/0 is damaged: "), "{byte}");
        fs::write(&chunk, &good[..byte]).unwrap();
        assert!(refused(&folder.array()).starts_with("chunk c/1/0 is damaged: "), "{byte}");
    }
    fs::write(&chunk, vec![0; 1 << 20]).unwrap();
    assert!(refused(&folder.array()).contains("no chunk of the array so many"));
    fs::remove_file(&chunk).unwrap();
    fs::create_dir(&chunk).unwrap();
    assert_eq!(refused(&folder.array()), "chunk c/1/0 is no file");
}

#[test]
fn what_is_no_array_says_what_it_is() {
    let folder = Folder::new("other");
    let path = folder.array();
    assert_eq!(refused(&path), "there is no such folder");
    assert!(refused(Path::new("s3://bucket/a.zarr")).contains("folders of this machine"));
    fs::write(&path, "x").unwrap();
    assert!(refused(&path).contains("this is a file"));
    let error = Store::create(&path, &layout(Kind::F32, &[1], None)).unwrap_err().to_string();
    assert!(error.contains("there is a file of this name"), "{error}");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(refused(&path).contains("no zarr.json"));
    fs::write(path.join(".zarray"), "{}").unwrap();
    assert!(refused(&path).contains("Zarr 2"));
    let error = Store::create(&path, &layout(Kind::F32, &[1], None)).unwrap_err().to_string();
    assert!(error.contains("not replaced"), "{error}");
    fs::write(path.join("zarr.json"), r#"{"zarr_format":3,"node_type":"group"}"#).unwrap();
    fs::create_dir(path.join("inner")).unwrap();
    fs::write(path.join("inner/zarr.json"), "{}").unwrap();
    assert!(refused(&path).ends_with("it holds inner"));
    for text in ["", "{", "[]", "null", r#"{"node_type":"array"}"#] {
        fs::write(path.join("zarr.json"), text).unwrap();
        assert!(refused(&path).starts_with("zarr.json is damaged"), "{text}");
    }
}

/// Descriptions that somebody made up: a reason each, and no panic.
#[test]
fn hostile_descriptions_are_refused_or_read() {
    let folder = Folder::new("hostile");
    let mut store = Store::create(&folder.array(), &layout(Kind::F32, &[8, 4], Some(&[2, 4]))).unwrap();
    store.write_rows(0..8, &pattern(128)).unwrap();
    store.finish(true).unwrap();
    let file = folder.array().join("zarr.json");
    let good = fs::read_to_string(&file).unwrap();
    let compact = good.replace(['\n', ' '], "");
    let changes = [
        ("[8,4]", "[]"),
        ("[8,4]", "[8]"),
        ("[8,4]", "[18446744073709551615,18446744073709551615]"),
        ("[8,4]", "[18446744073709551615,4]"),
        ("[8,4]", "[-1,4]"),
        ("[8,4]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
        ("[2,4]", "[0,4]"),
        ("[2,4]", "[18446744073709551615,4]"),
        ("[2,4]", "[1099511627776,1]"),
        ("[2,4]", "[2]"),
        ("\"float32\"", "\"bool\""),
        ("\"float32\"", "\"string\""),
        ("\"float32\"", "\"float64\""),
        ("\"float32\"", "7"),
        ("\"crc32c\"", "\"blosc\""),
        ("\"regular\"", "\"rectangular\""),
        ("\"separator\":\"/\"", "\"separator\":\"../\""),
        ("\"fill_value\":0.0", "\"fill_value\":\"x\""),
        ("\"zarr_format\":3", "\"zarr_format\":4"),
    ];
    for (from, to) in changes {
        let changed = compact.replace(from, to);
        assert_ne!(changed, compact, "{from}");
        fs::write(&file, &changed).unwrap();
        let said = refused(&folder.array());
        assert!(!said.is_empty());
    }
    // Any change of a character: whatever it is, nothing worse than an error comes of it.
    let mut state = 7_u64;
    for _ in 0..3000 {
        let mut bytes = compact.clone().into_bytes();
        for _ in 0..2 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = b"0123456789{}[]\",:-xe"[(state >> 20) as usize % 20];
        }
        fs::write(&file, &bytes).unwrap();
        if let Ok(store) = Store::open(&folder.array()) {
            let rows = store.dims().next().unwrap().min(8);
            if rows * store.row_bytes() < 1 << 20 {
                let _ = store.read_rows(0..rows, &mut vec![0; rows * store.row_bytes()]);
            }
        }
    }
}

#[test]
fn arrays_of_other_layouts_are_not_gone_on_with() {
    let folder = Folder::new("reopen");
    let first = layout(Kind::F32, &[8, 4], Some(&[2, 4]));
    let store = Store::create(&folder.array(), &first).unwrap();
    store.write_rows(0..8, &pattern(128)).unwrap();
    assert!(Store::reopen(&folder.array(), &first).is_some());
    for other in [
        layout(Kind::F64, &[8, 4], Some(&[2, 4])),
        layout(Kind::F32, &[8, 5], Some(&[2, 4])),
        layout(Kind::F32, &[8, 4], Some(&[2, 2])),
        layout(Kind::F32, &[8, 4], None),
    ] {
        assert!(Store::reopen(&folder.array(), &other).is_none());
    }
    let mut store = store;
    store.finish(true).unwrap();
    assert!(Store::reopen(&folder.array(), &first).is_none());
}

#[cfg(unix)]
#[test]
fn folders_that_cannot_be_written_are_errors() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("closed");
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o500)).unwrap();
    // The administrator may write everywhere.
    let closed = fs::write(folder.0.join("try"), "").is_err();
    let made = Store::create(&folder.array(), &layout(Kind::F32, &[8], None));
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(made.is_err(), closed);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_leaves_whole_chunks() {
    let folder = Folder::new("full");
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&folder.0)
        .output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("no file system could be mounted: not tested");
        return;
    }
    let store = Store::create(&folder.array(), &layout(Kind::U8, &[64, 16384], Some(&[1, 16384]))).unwrap();
    let rows = pattern(64 * 16384);
    let error = store.write_rows(0..64, &rows).unwrap_err().to_string();
    let chunks = |folder: &Path| fs::read_dir(folder.join("c")).unwrap().flatten().count();
    let whole = (0..64).take_while(|row| {
        let mut found = vec![0; 16384];
        store.read_rows(*row..row + 1, &mut found).unwrap();
        found == rows[row * 16384..(row + 1) * 16384]
    });
    let (whole, all) = (whole.count(), chunks(&folder.array()));
    let left: Vec<_> = fs::read_dir(folder.array().join("c").join(whole.to_string()))
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    let unmounted = std::process::Command::new("umount").arg(&folder.0).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    assert!(error.contains("No space left"), "{error}");
    assert!((1..64).contains(&whole) && all >= whole, "{whole} {all}");
    assert!(left.is_empty(), "{left:?}");
}
