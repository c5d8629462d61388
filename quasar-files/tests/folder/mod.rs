//! Temporary folders for the tests, and helpers for modes, pipes and root.

use std::path::{Path, PathBuf};

/// A folder that only this user can write to, removed with its contents.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).expect("the folder for tests can be written");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Creates a file with a mode.
    pub(crate) fn file(&self, name: &str, contents: &str, mode: u32) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).unwrap();
        set_mode(&path, mode);
        path
    }
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, mode).unwrap();
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Creates a named pipe.
pub(crate) fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo");
    assert!(made.success());
}

/// Whether this process may change the owner of files, which the tests with other owners need.
pub(crate) fn is_root() -> bool {
    let root = quasar_files::trust::user() == 0;
    if !root {
        eprintln!("not run as root: files of other owners are not tested");
    }
    root
}
