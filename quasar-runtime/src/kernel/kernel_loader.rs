//! The kernel loader: obtains the compiled form of a kernel from the disk cache, the compiler, or PTX embedded in the
//! program, in this order.

use super::cache::{ImageCache, ImageKey};
use crate::context;
use crate::device::{KernelSource, Unavailable, device_error};
use crate::error::{Error, Result};
use quasar_compiled::portable;

/// The origin of a compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An image from an earlier process or from another kernel of this one.
    Made,
    /// Compiled from source.
    Compiler,
    /// Compiled by the driver from PTX embedded in the program.
    Embedded,
}

/// The sources available to a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelLoader<'s> {
    /// The device's name for messages.
    pub(crate) device: &'s str,
    /// The disk cache of images.
    pub(crate) images: &'s ImageCache,
    /// The version of the compiler, or the reason why there is none.
    pub(crate) compiler: Result<&'s str, &'s Unavailable>,
    /// Whether embedded PTX is the only source.
    pub(crate) embedded_only: bool,
}

/// The operations of a device for loading kernels.
pub(crate) trait KernelBackend {
    /// A kernel loaded in the device.
    type Made;
    /// Compiles source text to an image.
    fn compile(&self, source: &KernelSource<'_>) -> Result<Vec<u8>>;
    /// Loads an image, or zero-terminated PTX.
    fn load(&self, image: &[u8]) -> Result<Self::Made>;
    /// Whether the device is lost.
    fn is_lost(&self) -> bool;
}

impl KernelLoader<'_> {
    /// Loads a kernel; `text` is its cache key without the compiler version. The compiler has precedence over embedded
    /// PTX, since its code is better.
    pub(crate) fn make<M: KernelBackend>(
        &self,
        maker: &M,
        source: &KernelSource<'_>,
        text: ImageKey,
    ) -> Result<(M::Made, Origin)> {
        if self.embedded_only {
            return self.embedded(maker, source);
        }
        let version = match self.compiler {
            Ok(version) => version,
            Err(_) if !source.portable.is_empty() => return self.embedded(maker, source),
            Err(reason) => return Err(self.error(source, reason)),
        };
        match self.compiled(maker, source, text.with(version.as_bytes())) {
            Err(error) if !source.portable.is_empty() && !maker.is_lost() => {
                let Ok(made) = self.embedded(maker, source) else { return Err(error) };
                context::warn(error);
                Ok(made)
            }
            other => other,
        }
    }

    fn compiled<M: KernelBackend>(
        &self,
        maker: &M,
        source: &KernelSource<'_>,
        key: ImageKey,
    ) -> Result<(M::Made, Origin)> {
        if let Some(image) = self.images.load(key) {
            match maker.load(&image) {
                Ok(made) => return Ok((made, Origin::Made)),
                Err(error) if maker.is_lost() => return Err(error),
                // A rejected image may be damaged or outdated, so a new one replaces it.
                Err(_) => self.images.refuse(key),
            }
        }
        let image = maker.compile(source)?;
        let made = maker.load(&image).map_err(|error| {
            let (name, compiler) = (source.name, self.compiler.unwrap_or_default());
            device_error(self.device, format!("cannot load kernel '{name}': {error} (compiler {compiler})"))
        })?;
        self.images.store(key, &image);
        Ok((made, Origin::Compiler))
    }

    fn embedded<M: KernelBackend>(&self, maker: &M, source: &KernelSource<'_>) -> Result<(M::Made, Origin)> {
        if source.portable.is_empty() {
            return Err(self.error(source, "the program holds no PTX for it"));
        }
        let ptx = portable::unpack(source.portable);
        let ptx = ptx.ok_or_else(|| self.error(source, "the PTX that the program holds is damaged"))?;
        let made = maker.load(&ptx);
        made.map(|made| (made, Origin::Embedded))
            .map_err(|error| self.error(source, format!("of the PTX that the program holds: {error}")))
    }

    fn error(&self, source: &KernelSource<'_>, what: impl std::fmt::Display) -> Error {
        device_error(self.device, format!("cannot compile kernel '{}': {what}", source.name))
    }
}
