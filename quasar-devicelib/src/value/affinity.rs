//! Where a program wants the launches that follow: codes that it keeps in variables, to go back to.

use super::ValueError;

/// The run-time system decides. Codes from 0 on are numbers of GPUs.
pub const AUTOMATIC: i32 = -1;
/// The CPU.
pub const CPU: i32 = -2;
/// A GPU.
pub const GPU: i32 = -3;

/// Whether a GPU may have this number.
pub fn check_gpu(index: i32) -> Result<(), ValueError> {
    if index >= 0 {
        return Ok(());
    }
    Err(ValueError::argument("sched", format!("the number of a GPU must not be negative, found {index}")))
}
