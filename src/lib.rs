//! Array programs inside Rust crates, in the language Quasar.
//!
//! Quasar is an array language of the MATLAB and Julia family. Its programs are compiled together with the Rust crate
//! that contains them: types are inferred, loops are parallelised, and array expressions are fused into single passes
//! over memory. Programs and Rust exchange [`Array`]s.
//!
//! ```
//! use quasar::{Array, quasar};
//!
//! quasar! {
//!     // The mean of each element and its neighbours in a row; rows go on as in a mirror.
//!     function y : mat = smooth(x : mat 'mirror)
//!         y = uninit(size(x))
//!         for m = 0..size(x, 0) - 1
//!             for n = 0..size(x, 1) - 1
//!                 y[m, n] = (x[m, n - 1] + x[m, n] + x[m, n + 1]) / 3
//!             endfor
//!         endfor
//!     endfunction
//! }
//!
//! # fn main() -> quasar::Result<()> {
//! let smoothed = smooth(&Array::from([[0.0f32, 3.0, 6.0, 3.0]]))?;
//! assert_eq!(smoothed.to_vec(), [1.0, 3.0, 4.0, 4.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Programs
//!
//! [`quasar!`] takes a program as tokens or as a string literal, [`quasar_file!`] from a file. Each host function whose
//! parameters all have types becomes a Rust function in the place of the call; `concealed` ones, kernels, device
//! functions and those with untyped parameters can be used inside the program only.
//!
//! | Quasar | parameter in Rust | result in Rust |
//! |---|---|---|
//! | `scalar`, `int`, `uint8`, .. | `f32`, `i32`, `u8`, .. | the same |
//! | `vec`, `mat`, `cube`, `mat[int]`, .. | <code>&[Array]&lt;f32></code>, <code>&[Array]&lt;i32></code>, .. | `Array<f32>`, .. |
//! | `string` | `&str` | `String` |
//! | several outputs | | a tuple |
//! | `??` | <code>&[Value]</code> | `Value` |
//!
//! A function may change the elements of an array that it was given: `&Array` is a handle. Every function returns a
//! [`Result`], and takes as many arguments as are declared, also those that are optional in Quasar.
//!
//! The string form and files take the whole language. Tokens must pass Rust's own lexer: a space goes before the
//! apostrophe of a modifier (`mat 'mirror`), and apostrophes and back-ticks in comments need Rust's comments (`//`).
//!
//! ```
//! mod statistics {
//!     quasar::quasar!(r#"
//!         function [low : scalar, high : scalar] = range(x : vec'const)  % don't sort
//!             [low, high] = [min(x), max(x)]
//!         endfunction
//!     "#);
//! }
//!
//! # fn main() -> quasar::Result<()> {
//! let samples = quasar::Array::from([3.0f32, -1.0, 4.0]);
//! assert_eq!(statistics::range(&samples)?, (-1.0, 4.0));
//! # Ok(())
//! # }
//! ```
//!
//! `NAME = value` after a file or text, and `#![define(NAME = value)]` before any program, override top-level variables
//! that the program assigns once:
//!
//! ```
//! mod program {
//!     quasar::quasar!(
//!         "GAIN = 2
//!          function y = amplified(x : int)
//!              y = GAIN * x
//!          endfunction",
//!         GAIN = 10
//!     );
//! }
//!
//! # fn main() -> quasar::Result<()> {
//! assert_eq!(program::amplified(4)?, 40);
//! # Ok(())
//! # }
//! ```
//!
//! Top-level statements run once, before the first function that is called; `initialize()` runs them by itself.
//!
//! # Messages of the compiler
//!
//! Errors stop the build and point at the token or line. Warnings appear as uses of a deprecated item named
//! `quasar_warning`. `#![quiet]` before the program (`quasar! { #![quiet] .. }`,
//! `quasar_file!(#![quiet] "x.q")`) switches them off for one call; the environment variable `QUASAR_MESSAGES`, which
//! may be set for a crate by its build script, says what is shown: `off` (errors only), `warnings`, or `all`, as
//! `#![verbose]` does for one call: also what the optimiser did and could not do.
//!
//! # Precision
//!
//! A `scalar` has single precision. `#![double]` before the program gives it, and arrays of it, double precision:
//!
//! ```
//! mod precise {
//!     quasar::quasar! {
//!         #![double]
//!         function y = third(x : scalar)
//!             y = x / 3
//!         endfunction
//!     }
//! }
//!
//! # fn main() -> quasar::Result<()> {
//! assert_eq!(precise::third(1.0)?, 1.0_f64 / 3.0);
//! # Ok(())
//! # }
//! ```
//!
//! # Arrays
//!
//! An [`Array`] is a handle to elements in row-major order. Clones alias the same elements, as assignments do in
//! Quasar; [`Array::copy`] makes independent ones.
//!
//! ```
//! use quasar::Array;
//!
//! # fn main() -> quasar::Result<()> {
//! let image = Array::from([[0.0f32, 64.0], [128.0, 255.0]]);
//! let same = image.clone();
//! same.set(&[0, 0], 16.0)?;
//!
//! assert_eq!(image.dims(), [2, 2]);
//! assert_eq!(image.get(&[0, 0])?, 16.0);
//! let brightest = image.read().iter().copied().fold(0.0, f32::max);
//! assert_eq!(brightest, 255.0);
//! # Ok(())
//! # }
//! ```
//!
//! Elements are `i8` to `i64`, `u8` to `u64`, [`struct@f16`], `f32`, `f64` and [`Complex`] numbers; sizes may have up
//! to 16 dimensions. Arrays come from vectors, slices and nested arrays, and with the features below from `ndarray`
//! arrays and `image` buffers, without copying row-major elements that are given away:
//!
//! ```
//! use quasar::Array;
//!
//! # fn main() -> quasar::Result<()> {
//! let samples: Array<f64> = vec![1.0, 2.0, 3.0, 4.0].into();
//! let table = samples.reshape(&[2, 2])?;
//! let back: Vec<f64> = table.copy()?.into();
//! assert_eq!(back, [1.0, 2.0, 3.0, 4.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Threads
//!
//! Functions may be called from any number of threads, including those of `rayon`, with the same arrays in any order.
//! Each loop and each array statement locks its arrays while it runs: writers exclusively, readers shared, without
//! starvation. A function of several such steps is not atomic: threads that must not interleave need a lock of their
//! own. A guard that is held over calls ([`Array::read`], [`Array::write`]) blocks other users of the array; threads
//! whose guards would deadlock get an error.
//!
//! A forked process runs kernels on the CPU: devices that were in use before are lost there. Arrays that another thread
//! was using at the fork are an error.
//!
//! # Errors
//!
//! Every runtime failure of a program is an [`Error`], whose text names the function, the line, the array and the index
//! as far as they are known. Programs do not panic.
//!
//! ```
//! use quasar::{Array, Error};
//!
//! let error = Array::from([1, 2, 3]).get(&[3]).unwrap_err();
//! assert!(matches!(error, Error::OutOfBounds { .. }));
//! assert_eq!(error.to_string(), "index out of bounds: array[3], size 3");
//! ```
//!
//! # Settings and output
//!
//! [`context`] holds the state that programs share: settings (from a file, the environment or [`context::set`]), the
//! number of threads, the random generator and the output of `print`, which tests capture with
//! [`context::with_output`].
//!
//! ```
//! use quasar::context;
//!
//! # fn main() -> quasar::Result<()> {
//! context::set("RUNTIME_HOST_POOLSIZE", "256")?; // MB of freed memory kept for new arrays
//! context::seed(42); // the same random numbers in every run
//! # Ok(())
//! # }
//! ```
//!
//! # Where the time goes
//!
//! With `QUASAR_PROFILE=report.json` in the environment a program writes a report at its end, which `quasar profile report.json`
//! shows. [`profile`] measures a part of a program:
//!
//! ```
//! use quasar::{Array, profile, quasar};
//!
//! quasar! {
//!     function y = doubled(x : vec)
//!         y = 2 * x
//!     endfunction
//! }
//!
//! # fn main() -> quasar::Result<()> {
//! profile::start();
//! doubled(&Array::from([1.0f32, 2.0]))?;
//! let report = profile::stop()?;
//! assert_eq!(report.rows[0].count, 1);
//! assert_eq!(report.rows[0].kind, profile::Kind::Kernel);
//! # Ok(())
//! # }
//! ```
//!
//! # Speed of debug builds
//!
//! Compiled kernels rely on the optimiser. Give the crate that contains them at least `opt-level = 2` in the profile
//! `dev`, best as a crate of its own.
//!
//! # Features
//!
//! * `figure`: figures of programs (`imshow`, `plot`, ..) as files and in terminals.
//! * `image-files` (default): reading and writing PNG, JPEG, TIFF, BMP, GIF, PGM and PPM files (`imread`, `imwrite`).
//! * `webp` (default), `exr`: the same for WebP files, and for EXR files, which take a tenth of a build.
//! * `image`: conversions from and to the buffers of the crate `image`, which takes a sixth of a build.
//! * `ndarray`: conversions from and to the arrays of the crate `ndarray`.
//! * `fft-sse`: Fourier transforms by SSE, for processors without AVX and FMA.
//! * `mat` (default): reading and writing `.mat` files of MATLAB.
//! * `npz` (default): reading and writing `.npz` files, the archives of NumPy.
//! * `zarr`: arrays in folders of chunks, which may be larger than memory (`open_array`, `create_array`; in Rust the module `store`).
//! * `cuda` (default), `opencl` (default): kernels on GPUs. Drivers are loaded on demand.
//! * `embed-ptx`: programs embed their kernels as PTX too, compiled by NVRTC at build time. At run time NVIDIA GPUs
//!   then need the driver only.
//! * `eval`: programs evaluate strings at run time (`eval(text)`); they contain the compiler and their sources.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use half::f16;
pub use num_complex::Complex;
pub use quasar_runtime::array::DevicePointer;
pub use quasar_runtime::array::coherence::Access;
pub use quasar_runtime::settings::Settings;
pub use quasar_runtime::{
    Array, Call, Cancel, Element, ElementType, Error, Place, Progress, ReadGuard, Result, Running, Scalar,
    Value, WriteGuard, cluster, context, device, profile, settings, spawn,
};

#[cfg(feature = "zarr")]
pub use quasar_runtime::store;

#[cfg(feature = "figure")]
pub use quasar_runtime::library::figure::{set_display, show_figures};

pub use quasar_macros::{quasar, quasar_file};

#[cfg(not(feature = "eval"))]
#[doc(hidden)]
pub use quasar_runtime::abi;

/// The items that generated code refers to, including the compiler.
#[cfg(feature = "eval")]
#[doc(hidden)]
pub mod abi {
    pub use quasar_eval::{Sources, Texts, evaluate};
    pub use quasar_runtime::abi::*;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/book/src/tour.md")]
struct Tour;

#[cfg(doctest)]
#[doc = include_str!("../docs/book/src/runtime.md")]
struct RunTime;

#[cfg(doctest)]
#[doc = include_str!("../tests/hostile.md")]
struct Hostile;
