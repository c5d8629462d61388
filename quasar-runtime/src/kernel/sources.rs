//! Where the compiled form of a kernel comes from: an image on disk, the compiler, or PTX in the program.

use super::cache::{ImageCache, ImageKey};
use crate::context;
use crate::device::{KernelSource, Unavailable, device_error};
use crate::error::{Error, Result};
use quasar_compiled::portable;

/// Where a compiled kernel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is the image that an earlier process, or another kernel of this one, had made.
    Made,
    /// The compiler made it of the text.
    Compiler,
    /// The driver made it of PTX in the program.
    Embedded,
}

/// How kernels are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<'s> {
    /// What messages call the device.
    pub(crate) device: &'s str,
    /// Where images are kept.
    pub(crate) images: &'s ImageCache,
    /// The version of the compiler, or why there is none.
    pub(crate) compiler: Result<&'s str, &'s Unavailable>,
    /// Whether PTX in the program is the only source.
    pub(crate) embedded_only: bool,
}

/// What a device does to make a kernel.
pub(crate) trait Maker {
    /// A kernel in the device's memory.
    type Made;
    /// Compiles a text.
    fn compile(&self, source: &KernelSource<'_>) -> Result<Vec<u8>>;
    /// Loads an image, or PTX with a zero at its end.
    fn load(&self, image: &[u8]) -> Result<Self::Made>;
    /// Whether the device failed for good.
    fn is_lost(&self) -> bool;
}

impl Sources<'_> {
    /// Makes a kernel, of which `text` names everything but the compiler: from the disk, else by the compiler, which makes
    /// the best code, else from PTX in the program.
    pub(crate) fn make<M: Maker>(
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

    fn compiled<M: Maker>(
        &self,
        maker: &M,
        source: &KernelSource<'_>,
        key: ImageKey,
    ) -> Result<(M::Made, Origin)> {
        if let Some(image) = self.images.load(key) {
            match maker.load(&image) {
                Ok(made) => return Ok((made, Origin::Made)),
                Err(error) if maker.is_lost() => return Err(error),
                // Whatever is wrong with the image, a new one may be better.
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

    fn embedded<M: Maker>(&self, maker: &M, source: &KernelSource<'_>) -> Result<(M::Made, Origin)> {
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
