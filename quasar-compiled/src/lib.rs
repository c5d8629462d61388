//! Compiled kernels: NVRTC, the disk cache of images, and embedded PTX.
//!
//! The runtime compiles kernels when programs run, and the macros when they embed PTX; both share the compiler and the
//! cache.

#![deny(unsafe_code)]

pub mod cache;
#[cfg(feature = "nvrtc")]
#[cfg_attr(docsrs, doc(cfg(feature = "nvrtc")))]
#[allow(unsafe_code, reason = "loads libraries")]
pub mod libraries;
#[cfg(feature = "nvrtc")]
#[cfg_attr(docsrs, doc(cfg(feature = "nvrtc")))]
#[allow(unsafe_code, reason = "calls a compiler")]
pub mod nvrtc;
pub mod portable;

/// The reason why something is unavailable on this machine: devices of a kind, or a compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unavailable {
    /// Human-readable.
    pub reason: String,
}

impl Unavailable {
    /// With a reason.
    pub fn new(reason: impl Into<String>) -> Unavailable {
        Unavailable { reason: reason.into() }
    }
}
