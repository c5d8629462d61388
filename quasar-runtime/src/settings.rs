//! Settings of the run-time system: their names, what they may be, and where their values come from.
//!
//! In increasing priority: defaults, a configuration file, environment variables of the same names, the Rust program.

use crate::error::{Error, Result};
use quasar_devicelib::settings::{COMPILER, ConfigError, OFF_ON, ON_OFF, one_of, read_config, row};
use quasar_devicelib::stack;

pub use quasar_devicelib::settings::{Kind, Row};

/// Devices of one kind are numbered below this.
pub const DEVICES_PER_KIND: u8 = 8;

const fn number(default: u64, least: u64, most: u64) -> Kind {
    Kind::Number { default, least, most }
}

/// The number of threads; also read from the environment variable `QUASAR_THREADS`. 0 means all processors.
pub const THREADS: &str = "RUNTIME_NUM_THREADS";
/// Which devices are used; also read from the environment variable `QUASAR_DEVICE`.
pub const ENGINE: &str = "RUNTIME_ENGINE";
/// Kept host memory in MB.
pub const HOST_POOL_SIZE: &str = "RUNTIME_HOST_POOLSIZE";
/// MB of memory for copies of arrays that lie in stores.
pub const STORE_BUDGET: &str = "RUNTIME_STORE_BUDGET";
/// How much of a core's cache line buffers fill.
pub const HOST_CACHE: &str = "RUNTIME_HOST_CACHE";
/// Smallest parallel work.
pub const SERIAL_WORK: &str = "RUNTIME_SERIAL_WORK";
/// Smallest work that ranks share.
pub const CLUSTER_WORK: &str = "RUNTIME_CLUSTER_WORK";
/// Smallest work that all devices of the engine share without being asked.
pub const DIVIDED_WORK: &str = "RUNTIME_DIVIDED_WORK";
/// The most that kernels may use of the processor's instructions.
pub const INSTRUCTIONS: &str = "RUNTIME_INSTRUCTIONS";
/// How much device memory is reserved in advance.
pub const GPU_MEMORY_MODEL: &str = "RUNTIME_GPU_MEMORYMODEL";
/// What is done when device memory is short.
pub const SCHEDULING_MODE: &str = "RUNTIME_GPU_SCHEDULINGMODE";
/// Whether launches on devices return before they are done.
pub const CONCURRENT: &str = "RUNTIME_CONCURRENT";
/// MB of device memory left to the system.
pub const GPU_RESERVED_MEMORY: &str = "RUNTIME_GPU_RESERVEDMEM";
/// The most MB of device memory used.
pub const GPU_MEMORY_LIMIT: &str = "RUNTIME_GPU_MEMORYLIMIT";
/// MB of device memory that the threads of a kernel may take for their arrays.
pub const DKM_HEAP_SIZE: &str = "RUNTIME_DKM_HEAPSIZE";
/// MB of compiled kernels kept on disk.
pub const KERNEL_CACHE_SIZE: &str = "RUNTIME_KERNEL_CACHESIZE";
/// Whether kernels on CUDA devices are made of the PTX in the program only.
pub const EMBEDDED_PTX: &str = "RUNTIME_CUDA_EMBEDDEDPTX";
/// How many calls may be nested.
pub const CALLS: &str = "RUNTIME_NESTED_CALLS";
/// How many threads a warp has where the processor runs it.
pub const WARP_SIZE: &str = "RUNTIME_WARP_SIZE";
/// Whether results are checked for NaN and infinities.
pub const CHECK_NAN_INF: &str = "RUNTIME_CHECK_NANINF";

/// The settings that act while programs run.
static RUNTIME: &[Row] = &[
    row(
        ENGINE,
        Kind::Engine(&["auto", "cpu", "cuda", "opencl", "cuda - multi"], &["cuda", "opencl"]),
        "Which devices execute kernels.",
    ),
    row(THREADS, number(0, 0, 4096), "Threads for parallel loops; 0 means one for each processor."),
    row(
        CLUSTER_WORK,
        number(1 << 22, 0, u64::MAX),
        "Launches of fewer operations are not shared by the ranks of a cluster: each rank does them.",
    ),
    row(
        DIVIDED_WORK,
        number(0, 0, u64::MAX),
        "Launches of so many operations are divided among the devices of the engine; 0 divides those alone for which the program asks.",
    ),
    row(SERIAL_WORK, number(1 << 18, 0, u64::MAX), "Loops of fewer operations run on the calling thread."),
    row(
        CALLS,
        number(stack::CALLS as u64, 1, u32::MAX as u64),
        "How many calls of functions that call themselves, also through others, may be under way.",
    ),
    row(
        WARP_SIZE,
        Kind::Choice(&["32", "16", "8", "4", "2", "1"]),
        "How many threads a virtual warp has, where the processor runs kernels that speak of warps.",
    ),
    row(
        INSTRUCTIONS,
        Kind::Choice(&["avx512", "avx2", "baseline"]),
        "The most that kernels use of the processor's instructions.",
    ),
    row(
        HOST_CACHE,
        number(512, 0, 1 << 20),
        "KB of a core's cache for rows of arrays between launches that go strip by strip, where the arrays have more than twice as much.",
    ),
    row(
        STORE_BUDGET,
        number(0, 0, 1 << 30),
        "MB of memory for arrays that lie in stores (`open_array`, `create_array`); 0 means half of the machine's.",
    ),
    row(HOST_POOL_SIZE, number(512, 0, 1 << 30), "MB of freed host memory kept for new arrays."),
    row(
        GPU_MEMORY_MODEL,
        Kind::Choice(&["MediumFootprint", "SmallFootprint", "LargeFootprint"]),
        "How much device memory is reserved in advance.",
    ),
    row(
        SCHEDULING_MODE,
        Kind::Choice(&["MaximizeStability", "MaximizePerformance"]),
        "Whether kernels fall back to the CPU when device memory is short.",
    ),
    row(GPU_RESERVED_MEMORY, number(160, 0, 1 << 30), "MB of device memory left to the system."),
    row(
        GPU_MEMORY_LIMIT,
        number(0, 0, 1 << 30),
        "The most MB of device memory used; 0 means all but the reserved.",
    ),
    row(EMBEDDED_PTX, OFF_ON, "Whether CUDA kernels are made of PTX in the program, never by NVRTC."),
    row(KERNEL_CACHE_SIZE, number(256, 0, 1 << 30), "MB of compiled kernels kept on disk; 0 keeps none."),
    row(
        "RUNTIME_CUDA_UNIFIEDMEMORYMODE",
        Kind::Choice(&["Never", "Always"]),
        "One memory for host and device.",
    ),
    row(
        DKM_HEAP_SIZE,
        number(32, 1, 1 << 30),
        "MB of device memory that the threads of a kernel may take for their arrays.",
    ),
    row(CONCURRENT, ON_OFF, "Whether launches return before they are done."),
    row("RUNTIME_CUDA_FP16TEXTURES", OFF_ON, "Whether textures store halves."),
    row(CHECK_NAN_INF, OFF_ON, "Whether results of kernels are checked for NaN and infinities."),
];

/// All settings. `COMPILER_*` settings act while programs are compiled; they are known here so that one file can hold both.
pub fn table() -> impl Iterator<Item = &'static Row> {
    RUNTIME.iter().chain(COMPILER)
}

/// Where the value of a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nobody said anything.
    Default,
    /// A configuration file.
    File,
    /// The environment.
    Environment,
    /// The Rust program.
    Program,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// One of the words of its row, spelled as there.
    Word(&'static str),
    /// One of the words of its row and the number of a device.
    Device(&'static str, u8),
    /// A number.
    Number(u64),
}

/// Values of all settings.
#[derive(Clone, Debug)]
pub struct Settings {
    values: Vec<(Setting, Source)>,
}

impl Default for Settings {
    fn default() -> Self {
        let value = |row: &Row| match row.kind {
            Kind::Choice(words) | Kind::Engine(words, _) => {
                Setting::Word(words.first().copied().unwrap_or(""))
            }
            Kind::Number { default, .. } => Setting::Number(default),
        };
        Settings { values: table().map(|row| (value(row), Source::Default)).collect() }
    }
}

impl Settings {
    /// Changes a setting, unless a source of higher priority has set it. The value is checked in any case.
    pub fn set(&mut self, name: &str, value: &str, source: Source) -> Result<()> {
        let (position, row) = find(name)?;
        let value = parse(row, value)?;
        if let Some(entry) = self.values.get_mut(position)
            && entry.1 <= source
        {
            *entry = (value, source);
        }
        Ok(())
    }

    /// The value of a setting and its source.
    pub fn get(&self, name: &str) -> Result<(&Setting, Source)> {
        let (position, _) = find(name)?;
        match self.values.get(position) {
            Some((value, source)) => Ok((value, *source)),
            None => Err(unknown(name)),
        }
    }

    /// The word that a setting has; empty for numbers and unknown names.
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Ok((Setting::Word(word) | Setting::Device(word, _), _)) => word,
            _ => "",
        }
    }

    /// The number that a setting has; 0 for words and unknown names.
    pub fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            Ok((Setting::Number(number), _)) => *number,
            _ => 0,
        }
    }

    /// The number of a device that a setting names.
    pub fn device_number(&self, name: &str) -> Option<u8> {
        match self.get(name) {
            Ok((Setting::Device(_, number), _)) => Some(*number),
            _ => None,
        }
    }

    /// Whether a setting is `True`.
    pub fn is_true(&self, name: &str) -> bool {
        self.word(name) == "True"
    }

    /// Reads a configuration file: `<setting name="X"><value>V</value></setting>`, with anything around. Whatever is
    /// wrong is in the result; the other settings count.
    pub fn load_file(&mut self, text: &str) -> Vec<Error> {
        let (entries, mistakes) = read_config(text);
        let unread = |ConfigError { name, message }: ConfigError| Error::Setting { name, message };
        let mut errors: Vec<Error> = mistakes.into_iter().map(unread).collect();
        errors.extend(entries.iter().filter_map(|(name, value)| self.set(name, value, Source::File).err()));
        errors
    }

    /// Takes values from the environment, which `variable` looks up. Whatever is wrong is in the result; the other
    /// settings count.
    pub fn load_environment(&mut self, variable: impl Fn(&str) -> Option<String>) -> Vec<Error> {
        let mut errors = Vec::new();
        let aliases = [("QUASAR_THREADS", THREADS), ("QUASAR_DEVICE", ENGINE)];
        let names = aliases.into_iter().chain(table().map(|row| (row.name, row.name)));
        for (name, setting) in names {
            if let Some(value) = variable(name) {
                errors.extend(self.set(setting, &value, Source::Environment).err());
            }
        }
        errors
    }
}

fn find(name: &str) -> Result<(usize, &'static Row)> {
    let found = table().enumerate().find(|(_, row)| row.name.eq_ignore_ascii_case(name.trim()));
    found.ok_or_else(|| unknown(name))
}

#[cold]
fn unknown(name: &str) -> Error {
    let names: Vec<_> = table().map(|row| row.name).collect();
    Error::Setting { name: name.into(), message: format!("unknown setting; there are {}", names.join(", ")) }
}

fn parse(row: &Row, text: &str) -> Result<Setting> {
    let text = text.trim();
    let wrong = |allowed: String| Error::Setting {
        name: row.name.into(),
        message: format!("'{text}' is not allowed; use {allowed}"),
    };
    match row.kind {
        Kind::Choice(words) => one_of(words, text).map(Setting::Word).ok_or_else(|| wrong(words.join(", "))),
        Kind::Engine(words, numbered) => {
            parse_engine(words, numbered, text).ok_or_else(|| wrong(engines_text(words, numbered)))
        }
        Kind::Number { least, most, .. } => text
            .parse()
            .ok()
            .filter(|number| (least..=most).contains(number))
            .map(Setting::Number)
            .ok_or_else(|| wrong(format!("a whole number from {least} to {most}"))),
    }
}

/// `auto, cpu, .., cuda:0 to cuda:7, ..`
fn engines_text(words: &[&str], numbered: &[&str]) -> String {
    let last = DEVICES_PER_KIND - 1;
    let ranges: Vec<_> = numbered.iter().map(|word| format!("{word}:0 to {word}:{last}")).collect();
    format!("{}, {}", words.join(", "), ranges.join(", "))
}

fn parse_engine(words: &[&'static str], numbered: &[&'static str], text: &str) -> Option<Setting> {
    if let Some((word, number)) = text.split_once(':') {
        let number = number.trim().parse().ok().filter(|&n: &u8| n < DEVICES_PER_KIND)?;
        return one_of(numbered, word.trim()).map(|word| Setting::Device(word, number));
    }
    one_of(words, text).map(Setting::Word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_defaults_hold() {
        let settings = Settings::default();
        assert_eq!(settings.word("RUNTIME_GPU_MEMORYMODEL"), "MediumFootprint");
        assert_eq!(settings.number("RUNTIME_GPU_RESERVEDMEM"), 160);
        assert_eq!(settings.number("RUNTIME_DKM_HEAPSIZE"), 32);
        assert!(settings.is_true("RUNTIME_CONCURRENT"));
        assert!(!settings.is_true(CHECK_NAN_INF));
        assert!(settings.is_true("COMPILER_OUTOFBOUNDS_CHECKS"));
        assert_eq!(settings.word("COMPILER_PRECISION"), "single");
    }

    #[test]
    fn higher_priorities_win_in_any_order() {
        let mut settings = Settings::default();
        settings.set(THREADS, "3", Source::Program).unwrap();
        let file = r#"<?xml version="1.0"?>
            <quasar><settings>
              <!-- <setting name="RUNTIME_ENGINE"><value>cuda</value></setting> -->
              <setting serializeAs="String" name = "RUNTIME_NUM_THREADS"> <value> 7 </value> </setting>
              <setting name='RUNTIME_GPU_MEMORYMODEL'><value>smallFootPrint</value></setting>
              <setting name="RUNTIME_ENGINE"><value>cuda - multi</value></setting>
            </settings></quasar>"#;
        assert_eq!(settings.load_file(file), []);
        assert_eq!(settings.number(THREADS), 3);
        assert_eq!(settings.word("RUNTIME_GPU_MEMORYMODEL"), "SmallFootprint");
        assert_eq!(settings.word(ENGINE), "cuda - multi");
        let errors = settings.load_environment(|name| match name {
            "QUASAR_THREADS" => Some("2".into()),
            "RUNTIME_ENGINE" => Some("CPU".into()),
            _ => None,
        });
        assert_eq!(errors, []);
        assert_eq!(settings.number(THREADS), 3);
        assert_eq!(settings.get(ENGINE).unwrap(), (&Setting::Word("cpu"), Source::Environment));
        assert_eq!(settings.load_file(file), []);
        assert_eq!(settings.word(ENGINE), "cpu");
    }

    #[test]
    fn engines_may_name_a_device() {
        let mut settings = Settings::default();
        assert_eq!((settings.word(ENGINE), settings.device_number(ENGINE)), ("auto", None));
        settings.set(ENGINE, " CUDA:3 ", Source::File).unwrap();
        assert_eq!((settings.word(ENGINE), settings.device_number(ENGINE)), ("cuda", Some(3)));
        let errors = settings.load_environment(|name| (name == "QUASAR_DEVICE").then(|| "opencl".into()));
        assert_eq!(errors, []);
        assert_eq!((settings.word(ENGINE), settings.device_number(ENGINE)), ("opencl", None));
        for wrong in ["cuda:8", "cuda:", "cuda:-1", "cpu:0", "auto:1", ":1", "cuda - multi:1"] {
            assert!(settings.set(ENGINE, wrong, Source::Program).is_err(), "{wrong}");
        }
    }

    #[test]
    fn mistakes_name_what_is_allowed() {
        let mut settings = Settings::default();
        let error = settings.set(ENGINE, "gpu", Source::Program).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting RUNTIME_ENGINE: 'gpu' is not allowed; use auto, cpu, cuda, opencl, cuda - multi, cuda:0 to cuda:7, \
             opencl:0 to opencl:7"
        );
        let error = settings.set(THREADS, "many", Source::Program).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting RUNTIME_NUM_THREADS: 'many' is not allowed; use a whole number from 0 to 4096"
        );
        let error = settings.set("RUNTIME_SPEED", "1", Source::Program).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("setting RUNTIME_SPEED: unknown setting; there are RUNTIME_ENGINE, ")
        );
        assert!(settings.get("RUNTIME_SPEED").is_err());
    }

    #[test]
    fn broken_files_give_warnings_and_keep_the_rest() {
        let mut settings = Settings::default();
        let file = r#"<setting name="RUNTIME_NUM_THREADS"></setting>
            <setting><value>1</value></setting>
            <setting name="RUNTIME_DKM_HEAPSIZE"><value>64</value></setting>
            <setting name="RUNTIME_ENGINE"><value>gpu</value></setting>
            <setting name="#;
        let errors: Vec<_> = settings.load_file(file).iter().map(Error::to_string).collect();
        assert_eq!(errors.len(), 4, "{errors:?}");
        assert_eq!(settings.number("RUNTIME_DKM_HEAPSIZE"), 64);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "(<setting|name=|\"|'|>|<value>|</value>|</setting>|<!--|-->|é|x| ){0,30}") {
            Settings::default().load_file(&text);
        }
    }
}
