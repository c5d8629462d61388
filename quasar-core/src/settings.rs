//! The compiler settings `COMPILER_*`: parsing of names and values, and the options they set for the phases.

use quasar_devicelib::element::ElementType;
use quasar_devicelib::settings::{
    BOUNDS_CHECKS, COMPILER, FUNCTION_POINTERS, INLINING, KERNEL_MEMORY, Kind, LOOP_PARALLELIZER, Row,
    one_of, read_config,
};

pub use quasar_devicelib::settings::{CONFIG_FILE, DEVICE_LINES, PRECISION, RANKS};

/// Which calls are inlined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inlining {
    /// Those of lambdas that are small or called only once, and of small device functions of numbers.
    #[default]
    OnlySuitable,
    /// None.
    Never,
    /// Those of all lambdas and device functions, unless they are recursive.
    Always,
}

/// Whether calls may be indirect, with a callee chosen at run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FunctionPointers {
    /// Where the callee is not known at compile time.
    #[default]
    SmartlyAvoid,
    /// Also where it is known, for parameters of host functions with a function type: these are not specialised.
    Always,
    /// Never: such calls are errors.
    Error,
}

/// Settings of a compilation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The element type that `scalar` stands for: `Single` or `Double`.
    pub precision: ElementType,
    /// `Some(true)` makes `'unchecked` mean `'checked`, `Some(false)` the opposite; `None` leaves modes as written.
    pub bounds_checks: Option<bool>,
    /// Which calls are inlined.
    pub inlining: Inlining,
    /// Which calls may choose their callee at run time.
    pub function_pointers: FunctionPointers,
    /// Whether loops are parallelised without an annotation.
    pub loop_parallelizer: bool,
    /// Whether threads of kernels may allocate arrays whose sizes are unknown at compile time.
    pub kernel_memory: bool,
    /// Whether the texts of kernels for devices name the lines of the program.
    pub device_lines: bool,
    /// Whether launches may be shared by the ranks of a cluster.
    pub ranks: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            precision: ElementType::Single,
            bounds_checks: None,
            inlining: Inlining::default(),
            function_pointers: FunctionPointers::default(),
            loop_parallelizer: true,
            kernel_memory: true,
            device_lines: false,
            ranks: false,
        }
    }
}

/// Why a setting is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the name is unknown; otherwise the value is wrong.
    pub unknown: bool,
    /// The error.
    pub text: String,
    /// The allowed names or values.
    pub help: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.text, self.help)
    }
}

/// Whether a name has the prefix of these settings, ignoring case.
pub fn is_setting(name: &str) -> bool {
    let prefix = "COMPILER_";
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// The names of all settings.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMPILER.iter().map(|row| row.name)
}

impl Settings {
    /// Changes a setting. Name and value ignore case.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        let Some(row) = COMPILER.iter().find(|row| row.name.eq_ignore_ascii_case(name.trim())) else {
            let text = format!("there is no setting '{}'", name.trim());
            return Err(Refusal { unknown: true, text, help: format!("there are {}", listed(names())) });
        };
        let words = words(row);
        let Some(word) = one_of(words, value.trim()) else {
            let text = format!("'{}' is no value of '{}'", value.trim(), row.name);
            return Err(Refusal {
                unknown: false,
                text,
                help: format!("use {}", listed(words.iter().copied())),
            });
        };
        let on = word == "True";
        match row.name {
            PRECISION if word == "double" => self.precision = ElementType::Double,
            PRECISION => self.precision = ElementType::Single,
            BOUNDS_CHECKS => self.bounds_checks = Some(on),
            LOOP_PARALLELIZER => self.loop_parallelizer = on,
            KERNEL_MEMORY => self.kernel_memory = on,
            DEVICE_LINES => self.device_lines = on,
            RANKS => self.ranks = on,
            INLINING => {
                self.inlining = match word {
                    "Never" => Inlining::Never,
                    "Always" => Inlining::Always,
                    _ => Inlining::OnlySuitable,
                }
            }
            FUNCTION_POINTERS => {
                self.function_pointers = match word {
                    "Always" => FunctionPointers::Always,
                    "Error" => FunctionPointers::Error,
                    _ => FunctionPointers::SmartlyAvoid,
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// All settings in effect, each as `NAME = value`.
    pub fn said(&self) -> Vec<String> {
        let on = |on: bool| if on { "True" } else { "False" };
        let precision = if self.precision == ElementType::Double { "double" } else { "single" };
        let mut said = vec![
            format!("{PRECISION} = {precision}"),
            format!("{INLINING} = {:?}", self.inlining),
            format!("{FUNCTION_POINTERS} = {:?}", self.function_pointers),
            format!("{LOOP_PARALLELIZER} = {}", on(self.loop_parallelizer)),
            format!("{KERNEL_MEMORY} = {}", on(self.kernel_memory)),
            format!("{DEVICE_LINES} = {}", on(self.device_lines)),
            format!("{RANKS} = {}", on(self.ranks)),
        ];
        said.extend(self.bounds_checks.map(|checks| format!("{BOUNDS_CHECKS} = {}", on(checks))));
        said
    }

    /// Reads values from the text of a configuration file and from the environment (through `variable`), which takes
    /// precedence. Returns the errors; valid entries apply nevertheless.
    pub fn load(&mut self, file: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let (entries, mistakes) = file.map(read_config).unwrap_or_default();
        let mut wrong: Vec<String> =
            mistakes.into_iter().map(|mistake| format!("{}: {}", mistake.name, mistake.message)).collect();
        for (name, value) in entries.iter().filter(|(name, _)| is_setting(name)) {
            if let Err(refusal) = self.set(name, value) {
                wrong.push(format!("in the configuration file: {refusal}"));
            }
        }
        for name in names() {
            if let Some(Err(refusal)) = variable(name).map(|value| self.set(name, &value)) {
                wrong.push(format!("in the environment: {refusal}"));
            }
        }
        wrong
    }
}

fn words(row: &Row) -> &'static [&'static str] {
    match row.kind {
        Kind::Choice(words) => words,
        Kind::Engine(..) | Kind::Number { .. } => &[],
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_an_effect_for_every_value() {
        for row in COMPILER {
            let values = words(row).iter().map(|word| {
                let mut settings = Settings::default();
                settings.set(&row.name.to_lowercase(), &word.to_uppercase()).expect("a value of the row");
                format!("{settings:?}")
            });
            let distinct: std::collections::BTreeSet<String> = values.collect();
            assert_eq!(distinct.len(), words(row).len(), "{}", row.name);
        }
    }

    #[test]
    fn what_is_said_gives_the_same_settings_again() {
        for row in COMPILER {
            for word in words(row) {
                let mut settings = Settings::default();
                settings.set(row.name, word).expect("a value of the row");
                let mut again = Settings::default();
                for text in settings.said() {
                    let (name, value) = text.split_once('=').expect("a name and a value");
                    again.set(name, value).expect("a setting");
                }
                assert_eq!(format!("{again:?}"), format!("{settings:?}"));
            }
        }
    }

    #[test]
    fn the_environment_comes_before_the_file() {
        let file = "<setting name=\"COMPILER_PRECISION\"><value>double</value></setting>\
                    <setting name=\"compiler_loop_parallelizer\"><value>false</value></setting>\
                    <setting name=\"COMPILER_SPEED\"><value>3</value></setting>\
                    <setting name=\"RUNTIME_ENGINE\"><value>cpu</value></setting>";
        let mut settings = Settings::default();
        let wrong = settings.load(Some(file), |name| match name {
            "COMPILER_PRECISION" => Some("Single".to_string()),
            "COMPILER_KERNEL_DYNAMICMEMORY" => Some("maybe".to_string()),
            _ => None,
        });
        assert_eq!(settings.precision, ElementType::Single);
        assert!(!settings.loop_parallelizer && settings.kernel_memory);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(
            wrong[0]
                .starts_with("in the configuration file: there is no setting 'COMPILER_SPEED'; there are ")
        );
        assert_eq!(
            wrong[1],
            "in the environment: 'maybe' is no value of 'COMPILER_KERNEL_DYNAMICMEMORY'; use True, False"
        );
    }
}
