//! Embeds PTX for a program's kernels at build time, so that no compiler is needed at run time.

use quasar_compiled::cache::{ImageCache, ImageKey};
use quasar_compiled::{nvrtc, portable};
use quasar_core::backend::rust::Portable;
use quasar_core::message::{Message, Sink};
use quasar_core::source::Span;
use quasar_devicelib::device_text::{Dialect, compose};
use std::sync::OnceLock;

/// The environment variable with the minimal compute capability for the PTX; 86 is `compute_86`.
pub(crate) const ARCHITECTURE: &str = "QUASAR_PTX_ARCHITECTURE";
/// The oldest architecture that current compilers support.
const OLDEST: i32 = 75;

/// The PTX compiler of this build.
struct Embedding {
    images: ImageCache,
    /// The version of NVRTC.
    version: String,
    architecture: i32,
}

impl Embedding {
    fn new() -> Result<Embedding, String> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let architecture = match variable(ARCHITECTURE) {
            None => OLDEST,
            Some(text) => text.trim().parse().map_err(|_| {
                format!("{ARCHITECTURE} is '{text}', but should be a number such as 86 for compute_86")
            })?,
        };
        // The same default as the run-time system.
        let megabytes = variable("RUNTIME_KERNEL_CACHESIZE").and_then(|text| text.parse::<u64>().ok());
        let images = ImageCache::standard(megabytes.unwrap_or(256).saturating_mul(1 << 20));
        let version = nvrtc::version(images.folder()).map_err(|unavailable| unavailable.reason)?;
        Ok(Embedding { images, version, architecture })
    }

    fn ptx(&self, entry: &str, text: &str) -> Result<Vec<u8>, String> {
        let text = compose(Dialect::Cuda, text);
        let architecture = self.architecture.to_le_bytes();
        let key = ImageKey::of(&[b"ptx", &architecture, text.as_bytes()]).with(self.version.as_bytes());
        if let Some(packed) = self.images.load(key) {
            return Ok(packed);
        }
        let compiler = nvrtc::nvrtc().map_err(|unavailable| unavailable.reason)?;
        let packed = portable::pack(&compiler.ptx(entry, &text, self.architecture)?.image);
        self.images.store(key, &packed);
        Ok(packed)
    }
}

/// The PTX compiler, looked up once per process; rustc expands all calls of a crate in one.
fn embedding() -> Result<&'static Embedding, &'static str> {
    static EMBEDDING: OnceLock<Result<Embedding, String>> = OnceLock::new();
    EMBEDDING.get_or_init(Embedding::new).as_ref().map_err(String::as_str)
}

/// The compressed PTX of a kernel.
pub(crate) fn ptx(entry: &str, text: &str) -> Result<Vec<u8>, String> {
    embedding()?.ptx(entry, text)
}

/// The PTX compiler as a function; if there is none, a warning says why.
pub(crate) fn maker(sink: &mut Sink) -> Option<Portable> {
    match embedding() {
        Ok(_) => Some(ptx),
        Err(reason) => {
            let text = format!("the program holds kernels as text only, without PTX: {reason}");
            sink.push(Message::warning("Q0604", Span::default(), text));
            None
        }
    }
}
