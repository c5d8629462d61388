//! The targets, each in a file of its own.

pub mod cache;
pub mod compiler;
pub mod formats;
pub mod interpreter;
pub mod library;
pub mod macros;
pub mod readers;
pub mod syntax;

/// What runs an input.
pub type Target = fn(&[u8]);

/// The targets by name.
pub const TARGETS: [(&str, Target); 8] = [
    ("syntax", syntax::run),
    ("compiler", compiler::run),
    ("macros", macros::run),
    ("interpreter", interpreter::run),
    ("library", library::run),
    ("formats", formats::run),
    ("readers", readers::run),
    ("cache", cache::run),
];

/// The target that the environment names.
pub fn chosen() -> Option<Target> {
    let name = std::env::var("QUASAR_FUZZ_TARGET").ok()?;
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

/// The text of an input, without what is not text.
pub(crate) fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// A folder of this process, for what reads files.
pub(crate) fn folder() -> &'static std::path::Path {
    static FOLDER: std::sync::LazyLock<std::path::PathBuf> = std::sync::LazyLock::new(|| {
        let memory = std::path::Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let folder = base.join(format!("quasar-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for files");
        folder
    });
    &FOLDER
}
