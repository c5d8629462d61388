//! Runs Quasar programs on a virtual device, which finds what is wrong with their kernels: data races, barriers that not all
//! threads reach, accesses out of bounds, and shared memory that is read before it is written.
//!
//! A package that has Quasar programs takes this one as a development dependency and tests them beside its other tests:
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
//! Each program runs as it is written and as it is after the compiler's transforms (loops that became kernels), and each of
//! both in the order of its positions and in several random orders of threads, which switch at every step. The random orders
//! follow from seeds, so a report is the same each time. Races, uninitialised memory and barriers do not depend on the order:
//! two accesses race where nothing orders them, whichever came first. What a program prints goes into the report.
//!
//! The interpreter does all of this: no GPU is needed, and a thread takes about a microsecond for each operation. Take small
//! images.

#![forbid(unsafe_code)]

mod emulator;
mod launches;
mod mistake;
mod program;
mod report;
mod trace;
mod watch;

pub use emulator::Emulator;
pub use launches::{Launch, Limit, Occupancy, VirtualDevice};
pub use mistake::{Mistake, MistakeKind};
pub use program::{Program, Rejected};
pub use quasar_devicelib::value::Value;
pub use report::{Report, Stopped};
