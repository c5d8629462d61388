//! What atomic replacement preserves (mode, owner, links), and the cases in which the old file is overwritten in place.

#![cfg(unix)]

mod folder;

use folder::{Folder, is_root, pipe, set_mode};
use quasar_files::replace::replace;
use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::Path;

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(&folder.0).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_mode_stays() {
    let folder = Folder::new("mode");
    for mode in [0o600, 0o640, 0o644, 0o666, 0o700, 0o755, 0o604] {
        let file = folder.file("x", "old", mode);
        replace(&file, b"new").unwrap();
        assert_eq!(text(&file), "new");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, mode, "{mode:o}");
    }
    // New contents do not run as their owner.
    let file = folder.file("x", "old", 0o4755);
    replace(&file, b"new").unwrap();
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o755);
    // A new file has the mode of any other new file.
    replace(&folder.path("new"), b"new").unwrap();
    fs::write(folder.path("other"), "other").unwrap();
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().mode();
    assert_eq!(mode("new"), mode("other"));
    assert_eq!(names(&folder), ["new", "other", "x"]);
}

#[test]
fn the_owner_stays() {
    let folder = Folder::new("owner");
    if !is_root() {
        return;
    }
    let file = folder.file("x", "old", 0o640);
    for (user, group) in [(4711, 4712), (0, 4712), (4711, 0)] {
        chown(&file, Some(user), Some(group)).unwrap();
        replace(&file, b"new").unwrap();
        let data = fs::metadata(&file).unwrap();
        assert_eq!((data.uid(), data.gid(), data.mode() & 0o777), (user, group, 0o640));
    }
}

#[test]
fn links_are_followed() {
    let folder = Folder::new("links");
    fs::create_dir(folder.path("sub")).unwrap();
    let file = folder.file("sub/x", "old", 0o600);
    symlink("sub/x", folder.path("one")).unwrap();
    symlink("one", folder.path("two")).unwrap();
    symlink(&file, folder.path("absolute")).unwrap();
    for (name, contents) in [("one", "1"), ("two", "2"), ("absolute", "3")] {
        replace(&folder.path(name), contents.as_bytes()).unwrap();
        assert_eq!(text(&file), contents);
        assert!(fs::symlink_metadata(folder.path(name)).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    }
    // A dangling link: its target is created.
    symlink("sub/new", folder.path("dangling")).unwrap();
    replace(&folder.path("dangling"), b"new").unwrap();
    assert_eq!(text(&folder.path("sub/new")), "new");
    symlink("circle", folder.path("circle")).unwrap();
    assert!(replace(&folder.path("circle"), b"new").is_err());
    symlink("nowhere/x", folder.path("nowhere")).unwrap();
    assert!(replace(&folder.path("nowhere"), b"new").is_err());
}

#[test]
fn links_of_others_in_folders_for_all_are_not_followed() {
    let folder = Folder::new("planted");
    if !is_root() {
        return;
    }
    let file = folder.file("victim", "old", 0o600);
    fs::create_dir(folder.path("tmp")).unwrap();
    set_mode(&folder.path("tmp"), 0o1777);
    let planted = folder.path("tmp/out.png");
    for target in [file.clone(), folder.path("new")] {
        symlink(&target, &planted).unwrap();
        std::os::unix::fs::lchown(&planted, Some(4711), Some(4711)).unwrap();
        let error = replace(&planted, b"new").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
        assert_eq!(text(&file), "old");
        assert!(!folder.path("new").exists());
        fs::remove_file(&planted).unwrap();
    }
}

#[test]
fn other_names_of_a_file_get_the_new_contents() {
    let folder = Folder::new("names");
    let file = folder.file("x", "old contents", 0o640);
    fs::hard_link(&file, folder.path("y")).unwrap();
    let inode = fs::metadata(&file).unwrap().ino();
    for contents in ["new", "something that is longer", "something as long here..", ""] {
        replace(&file, contents.as_bytes()).unwrap();
        assert_eq!(text(&folder.path("y")), contents);
    }
    assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
    assert_eq!(names(&folder), ["x", "y"]);
}

#[test]
fn names_of_no_file_are_refused() {
    let folder = Folder::new("refused");
    fs::create_dir(folder.path("sub")).unwrap();
    for (path, kind) in [
        (folder.path("sub"), Some(ErrorKind::IsADirectory)),
        (folder.path("sub/"), Some(ErrorKind::IsADirectory)),
        (folder.path("new/"), None),
        (folder.path("no/such/folder"), Some(ErrorKind::NotFound)),
        (folder.path(&"x".repeat(300)), Some(ErrorKind::InvalidFilename)),
        ("".into(), None),
        ("/".into(), Some(ErrorKind::IsADirectory)),
    ] {
        let error = replace(&path, b"new").unwrap_err();
        assert!(kind.is_none_or(|kind| error.kind() == kind), "{}: {error:?}", path.display());
    }
    assert_eq!(names(&folder), ["sub"]);
    // A name of the maximal length.
    let long = "x".repeat(255);
    replace(&folder.path(&long), b"new").unwrap();
    replace(&folder.path(&long), b"newer").unwrap();
    assert_eq!(text(&folder.path(&long)), "newer");
}

#[test]
fn devices_and_pipes_get_the_bytes() {
    let folder = Folder::new("devices");
    replace(Path::new("/dev/null"), b"gone").unwrap();
    if cfg!(target_os = "linux") {
        assert_eq!(replace(Path::new("/dev/full"), b"gone").unwrap_err().kind(), ErrorKind::StorageFull);
        symlink("/dev/full", folder.path("full")).unwrap();
        assert_eq!(replace(&folder.path("full"), b"gone").unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(fs::symlink_metadata(folder.path("full")).unwrap().is_symlink());
    }
    // An open file keeps its identity.
    if cfg!(target_os = "linux") {
        use std::os::fd::AsRawFd;
        let file = folder.file("open", "old contents", 0o600);
        let mut open = fs::File::open(&file).unwrap();
        symlink(format!("/proc/self/fd/{}", open.as_raw_fd()), folder.path("descriptor")).unwrap();
        replace(&folder.path("descriptor"), b"new").unwrap();
        let mut found = String::new();
        open.read_to_string(&mut found).unwrap();
        assert_eq!((found.as_str(), text(&file).as_str()), ("new", "new"));
    }
    let path = folder.path("pipe");
    pipe(&path);
    let reader = {
        let path = path.clone();
        std::thread::spawn(move || {
            let mut found = String::new();
            fs::File::open(path).unwrap().read_to_string(&mut found).unwrap();
            found
        })
    };
    replace(&path, b"through the pipe").unwrap();
    assert_eq!(reader.join().unwrap(), "through the pipe");
    assert!(!fs::metadata(&path).unwrap().is_file());
}

/// Set in the child process that runs as an unprivileged user.
const USER: &str = "QUASAR_FILES_TEST_USER";

/// The part of the next test that runs as another user.
#[test]
fn as_another_user() {
    let Some(folder) = std::env::var_os(USER) else { return };
    let folder = Path::new(&folder);
    for (name, said) in
        [("read_only", ErrorKind::PermissionDenied), ("of_others", ErrorKind::PermissionDenied)]
    {
        assert_eq!(replace(&folder.join(name), b"new").unwrap_err().kind(), said, "{name}");
    }
    replace(&folder.join("for_all"), b"new").unwrap();
    replace(&folder.join("closed/for_all"), b"new").unwrap();
    assert!(replace(&folder.join("closed/new"), b"new").is_err());
    assert!(replace(&folder.join("own"), b"new").is_ok());
}

#[test]
fn files_that_may_not_be_written_stay() {
    use std::os::unix::process::CommandExt;
    let folder = Folder::new("rights");
    if !is_root() {
        return;
    }
    set_mode(&folder.0, 0o777);
    fs::create_dir(folder.path("closed")).unwrap();
    set_mode(&folder.path("closed"), 0o755);
    for (name, mode, owner) in [
        ("read_only", 0o444, 4711),
        ("of_others", 0o644, 4712),
        ("for_all", 0o666, 4712),
        ("closed/for_all", 0o666, 4712),
        ("own", 0o600, 4711),
    ] {
        chown(folder.file(name, "old", mode), Some(owner), Some(owner)).unwrap();
    }
    // The other user must be able to execute this test program.
    let program = std::env::temp_dir().join(format!("quasar-files-test-{}", std::process::id()));
    let base = std::env::temp_dir().join(format!("quasar-files-moved-{}", std::process::id()));
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    set_mode(&program, 0o755);
    fs::rename(&folder.0, &base).ok();
    let place = if base.exists() { base.clone() } else { folder.0.clone() };
    let mut other = std::process::Command::new(&program);
    other.args(["--exact", "as_another_user", "--nocapture"]).env(USER, &place).current_dir("/");
    let output = other.uid(4711).gid(4711).output().unwrap();
    let contents = |name: &str| text(&place.join(name));
    let found = ["read_only", "of_others", "for_all", "closed/for_all", "own"].map(contents);
    let owners =
        ["for_all", "closed/for_all", "own"].map(|name| fs::metadata(place.join(name)).unwrap().uid());
    let _ = fs::remove_file(&program);
    let _ = fs::remove_dir_all(&base);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}{said}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(found, ["old", "old", "new", "new", "new"]);
    assert_eq!(owners, [4712, 4712, 4711], "owners stay");
}
