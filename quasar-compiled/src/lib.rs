//! Compiled kernels: the compiler of CUDA texts, images on disk, and PTX inside of programs.
//!
//! Programs compile kernels when they run, and the macros do when they embed PTX; both find the same compiler and the same
//! images here.

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

/// Why something is not to be had on this machine: devices of a kind, or a compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unavailable {
    /// For people.
    pub reason: String,
}

impl Unavailable {
    /// With a reason.
    pub fn new(reason: impl Into<String>) -> Unavailable {
        Unavailable { reason: reason.into() }
    }
}
