//! Folders and files that others could have planted or could change are refused, and the message says why.

#![cfg(unix)]

mod folder;

use folder::{Folder, is_root, pipe, set_mode};
use quasar_files::{read, trust};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::Path;

const OTHER: u32 = 4711;

#[track_caller]
fn refused(path: &Path, why: &str) {
    let error = trust::make_private(path).expect_err("others could write there");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
    let text = error.to_string();
    assert!(text.contains(why) && text.contains("; "), "{text}");
    assert_eq!(trust::check_private(path).unwrap_err().to_string(), text);
}

#[test]
fn folders_are_made_for_one_user() {
    let folder = Folder::new("made");
    let new = folder.path("a/b/c");
    assert_eq!(trust::check_private(&new).unwrap_err().kind(), ErrorKind::NotFound);
    trust::make_private(&new).unwrap();
    for path in [&new, &folder.path("a/b"), &folder.path("a")] {
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o700, "{}", path.display());
    }
    trust::make_private(&new).unwrap();
    // Others may read it.
    set_mode(&new, 0o755);
    trust::make_private(&new).unwrap();
}

#[test]
fn folders_that_others_can_write_to_are_refused() {
    let folder = Folder::new("open");
    for mode in [0o777, 0o1777, 0o770, 0o775, 0o702, 0o720] {
        let open = folder.path(&format!("{mode:o}"));
        fs::create_dir(&open).unwrap();
        set_mode(&open, mode);
        refused(&open, &format!("can be written by other users (its mode is {mode:03o})"));
    }
    // World-writable without the sticky bit: others could replace the inner folder.
    let inside = folder.path("777/inside");
    fs::create_dir(&inside).unwrap();
    set_mode(&inside, 0o700);
    refused(&inside, "can be written by all users, who could replace what is in it");
    let deeper = inside.join("a/b");
    fs::create_dir_all(&deeper).unwrap();
    refused(&deeper, "can be written by all users, who could replace what is in it");
    // With the sticky bit they cannot.
    let inside = folder.path("1777/inside");
    trust::make_private(&inside).unwrap();
}

#[test]
fn links_files_and_pipes_are_no_folders() {
    let folder = Folder::new("links");
    let real = folder.path("real");
    fs::create_dir(&real).unwrap();
    set_mode(&real, 0o700);
    symlink(&real, folder.path("link")).unwrap();
    refused(&folder.path("link"), "is a link, which could lead anywhere");
    symlink(folder.path("nowhere"), folder.path("dangling")).unwrap();
    refused(&folder.path("dangling"), "is a link, which could lead anywhere");
    refused(&folder.file("file", "", 0o600), "is not a folder");
    pipe(&folder.path("pipe"));
    refused(&folder.path("pipe"), "is not a folder");
    // A parent folder that is a link of this user is allowed.
    trust::make_private(&folder.path("link/inside")).unwrap();
}

#[test]
fn what_belongs_to_others_is_refused() {
    let folder = Folder::new("others");
    if !is_root() {
        return;
    }
    let planted = folder.path("planted");
    fs::create_dir(&planted).unwrap();
    set_mode(&planted, 0o700);
    chown(&planted, Some(OTHER), Some(OTHER)).unwrap();
    refused(&planted, "belongs to user 4711, not to root");
    // A parent folder that is a link of another user.
    fs::create_dir(folder.path("real")).unwrap();
    symlink(folder.path("real"), folder.path("way")).unwrap();
    std::os::unix::fs::lchown(folder.path("way"), Some(OTHER), Some(OTHER)).unwrap();
    fs::create_dir(folder.path("real/inside")).unwrap();
    set_mode(&folder.path("real/inside"), 0o700);
    refused(&folder.path("way/inside"), "is a link of user 4711, who could let it lead elsewhere");
    let file = folder.file("x.config", "text", 0o600);
    chown(&file, Some(OTHER), Some(OTHER)).unwrap();
    let error = read::settings(&file, None).unwrap_err().to_string();
    assert!(error.contains("belongs to user 4711, not to root; copy it, or run chown on it"), "{error}");
    // The owner of the package is trusted, who decides what is compiled anyway.
    let package = folder.file("Cargo.toml", "", 0o600);
    assert!(read::settings(&file, Some(&package)).is_err());
    chown(&package, Some(OTHER), Some(OTHER)).unwrap();
    assert_eq!(read::settings(&file, Some(&package)).unwrap(), "text");
    let library = folder.file("libx.so.1", "", 0o755);
    trust::check_library(&library).unwrap();
    chown(&library, Some(OTHER), Some(OTHER)).unwrap();
    assert!(trust::check_library(&library).unwrap_err().to_string().contains("belongs to user 4711"));
    chown(&library, Some(0), Some(0)).unwrap();
    chown(&folder.0, Some(OTHER), Some(OTHER)).unwrap();
    assert!(trust::check_library(&library).unwrap_err().to_string().contains("belongs to user 4711"));
}

#[test]
fn settings_and_libraries_that_all_can_change_are_refused() {
    let folder = Folder::new("settings");
    for (mode, fine) in
        [(0o600, true), (0o644, true), (0o664, true), (0o666, false), (0o602, false), (0o777, false)]
    {
        let file = folder.file("x", "text", mode);
        let read = read::settings(&file, None);
        assert_eq!(read.is_ok(), fine, "{mode:o}: {read:?}");
        assert_eq!(trust::check_library(&file).is_ok(), fine, "{mode:o}");
        if let Err(error) = read {
            assert!(
                error.to_string().contains("can be written by all users; run chmod o-w on it"),
                "{error}"
            );
        }
    }
    let library = folder.file("libx.so", "", 0o755);
    symlink(&library, folder.path("libx.so.1")).unwrap();
    trust::check_library(&folder.path("libx.so.1")).unwrap();
    for mode in [0o777, 0o1777, 0o702] {
        set_mode(&folder.0, mode);
        assert!(trust::check_library(&library).is_err(), "the folder has the mode {mode:o}");
        assert!(trust::check_library(&folder.path("libx.so.1")).is_err());
    }
    set_mode(&folder.0, 0o700);
    assert!(trust::check_library(&folder.0).is_err(), "a folder is no library");
    assert!(trust::check_library(Path::new("/dev/null")).is_err());
}

#[test]
fn only_ordinary_files_are_read() {
    let folder = Folder::new("read");
    pipe(&folder.path("pipe.q"));
    symlink("/dev/zero", folder.path("zero.q")).unwrap();
    let huge = fs::File::create(folder.path("huge.q")).unwrap();
    huge.set_len(read::MOST_TEXT + 1).unwrap();
    fs::write(folder.path("bytes.q"), b"ab\xff").unwrap();
    let socket = std::os::unix::net::UnixListener::bind(folder.path("s.q")).unwrap();
    for (path, why) in [
        (folder.path("pipe.q"), "this is a device or a pipe, not a file"),
        (folder.path("zero.q"), "this is a device or a pipe, not a file"),
        ("/dev/zero".into(), "this is a device or a pipe, not a file"),
        ("/dev/null".into(), "this is a device or a pipe, not a file"),
        (folder.0.clone(), "this is a folder, not a file"),
        (folder.path("huge.q"), "the file is too large: 64 MB, at most 64 MB are read"),
        (folder.path("bytes.q"), "this is no text in UTF-8: byte 2 is not part of a character"),
        ("/proc/self/environ".into(), "this is information of the system, not a file"),
        ("/proc/cpuinfo".into(), "this is information of the system, not a file"),
        ("/proc/self/mem".into(), "this is information of the system, not a file"),
    ] {
        if cfg!(not(target_os = "linux")) && path.starts_with("/proc") {
            continue;
        }
        assert_eq!(read::text(&path).unwrap_err().to_string(), why, "{}", path.display());
        assert_eq!(read::module(&path).unwrap_err(), why, "{}", path.display());
        assert!(read::settings(&path, None).is_err());
    }
    assert!(read::text(&folder.path("s.q")).is_err());
    drop(socket);
    assert_eq!(read::module(&folder.path("missing.q")), Ok(None));
    assert_eq!(read::module(&folder.path("bytes.q/x.q")), Ok(None));
    let file = folder.file("x.q", "signed text", 0o600);
    assert_eq!(read::module(&file), Ok(Some("signed text".into())));
    assert_eq!(read::bytes_after(&file, b"signed ").unwrap(), Some(b"text".to_vec()));
    assert_eq!(read::bytes_after(&file, b"other").unwrap(), None);
    // A sparse file larger than the memory: only its beginning is read.
    huge.set_len(1 << 40).unwrap();
    assert_eq!(read::bytes_after(&folder.path("huge.q"), b"signed").unwrap(), None);
}
