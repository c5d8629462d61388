//! What this machine's processor is called.

use std::path::Path;

/// The name of the processor with the number of its threads, such as `AMD EPYC 7763, 8 threads`; its architecture where the system
/// does not say a name.
pub fn name() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let about = std::fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let noun = if threads == 1 { "thread" } else { "threads" };
    format!("{}, {threads} {noun}", model(&about).unwrap_or(std::env::consts::ARCH))
}

/// The name in what Linux says of its processors.
fn model(about: &str) -> Option<&str> {
    let rows = about.lines().filter_map(|line| line.split_once(':'));
    let mut named = rows.filter(|(name, _)| name.trim() == "model name").map(|(_, value)| value.trim());
    named.next().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_found() {
        let about =
            "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763: 64-Core\nmodel name\t: other\n";
        assert_eq!(model(about), Some("AMD EPYC 7763: 64-Core"));
        assert_eq!(model("processor : 0\n"), None);
        assert!(name().contains(" thread"));
    }
}
