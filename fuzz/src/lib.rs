//! What libFuzzer runs: functions of bytes that must come back, whatever the bytes are. A panic (also one that somebody
//! would catch), an abort, ten seconds or four gigabytes are findings.

pub mod bytes;
pub mod memory;
pub mod targets;
