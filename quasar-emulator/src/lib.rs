//! A virtual device for testing Quasar programs. It detects errors in their kernels: data races, divergent barriers,
//! out-of-bounds accesses, and reads of uninitialised shared memory.
//!
//! A crate with Quasar programs adds this one as a development dependency and runs them in its tests:
//!
//! ```
//! use quasar_emulator::{Emulator, MistakeKind, Program};
//!
//! let program = Program::from_text(
//!     "turn.q",
//!     "function [] = __kernel__ turn(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
//!          s = shared(64)
//!          s[blkpos] = x[pos]
//!          y[pos] = s[blkdim - 1 - blkpos]   % a barrier is missing before this line
//!      endfunction
//!      function y : vec = turned(x : vec)
//!          y = zeros(numel(x))
//!          parallel_do([numel(x), 4], x, y, turn)
//!      endfunction",
//! )?;
//! let x = quasar_runtime::Array::from([1.0f32, 2.0, 3.0, 4.0]);
//! let report = Emulator::new(&program).call("turned", &[x.into()]);
//!
//! let race = &report.mistakes()[0];
//! assert_eq!(race.kind, MistakeKind::Race);
//! assert_eq!(race.lines(), [3, 4]);
//! println!("{report}");
//! # Ok::<(), quasar_emulator::Rejected>(())
//! ```
//!
//! The report shows both lines:
//!
//! ```text
//! Error: turn.q - line 4: race on 's': two threads use one element, one of them writes it, and no barrier stands between [Q0901]
//!  --> turn.q:4:11
//!   |
//! 4 |          y[pos] = s[blkdim - 1 - blkpos]   % a barrier is missing before this line
//!   |                   ^^^^^^^^^^^^^^^^^^^^^^ thread [3] reads s[0]
//!   :
//! 3 |          s[blkpos] = x[pos]
//!   |          ^^^^^^^^^^^^^^^^^^ thread [0] writes s[0]
//!   = help: put 'syncthreads' between the two
//! ```
//!
//! # What is run
//!
//! Each program runs as written and after the compiler's transforms (with loops that became kernels), and each of both
//! with serial threads and with several random interleavings of threads, which switch at every step. The interleavings
//! are seeded, so reports are reproducible. The detection of races, uninitialised memory and divergent barriers does
//! not depend on the interleaving: two accesses race if nothing orders them, whichever came first. Output of the
//! program goes into the report.
//!
//! The interpreter executes all of this: no GPU is needed, and a thread takes about a microsecond per operation, so
//! inputs should be small.

#![forbid(unsafe_code)]

mod diagnostic;
mod emulator;
mod launches;
mod monitor;
mod program;
mod report;
mod trace;

pub use diagnostic::{Mistake, MistakeKind};
pub use emulator::Emulator;
pub use launches::{Launch, Limit, Occupancy, VirtualDevice};
pub use program::{Program, Rejected};
pub use quasar_devicelib::value::Value;
pub use report::{Report, Stopped};
