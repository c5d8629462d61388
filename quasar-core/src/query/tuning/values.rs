//! Files of tuned values: `NAME.tune.json` beside `NAME.q`. They hold what was measured to be best for the tuning parameters of a
//! program, for each engine and device. Pure functions over texts.

use super::{Tuning, TuningParam};
use quasar_devicelib::json::{Json, quoted};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u64 = 1;
/// The field that says that a file is one of these, and its version.
const KIND: &str = "quasar_tune";

/// The best values for one device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Best {
    /// `cpu`, `cuda` or `opencl`.
    pub engine: String,
    /// The name of the device.
    pub device: String,
    /// Values by the names of parameters.
    pub values: Vec<(String, String)>,
    /// Milliseconds of the program with its own values, and with these.
    pub times: [f64; 2],
}

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuned {
    /// The digest of the parameters that were tuned.
    pub parameters: String,
    /// One for each device.
    pub best: Vec<Best>,
}

/// The file of a program.
pub fn file_of(program: &Path) -> PathBuf {
    program.with_extension("tune.json")
}

/// A digest of names and ranges. Values for other parameters are not used. Those that nobody wrote do not count.
pub fn digest(params: &[TuningParam]) -> String {
    let mut text = String::new();
    for param in params.iter().filter(|param| !param.implied) {
        let _ = writeln!(text, "{} {}", param.name, param.range.join(" | "));
    }
    // FNV-1a: the same on all machines.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

impl Tuned {
    /// Reads a file, or says what is wrong with it.
    ///
    /// # Errors
    /// It is none of these files, of another version, or damaged.
    pub fn read(text: &str) -> Result<Tuned, String> {
        let json = Json::parse(text)?;
        match json.number(KIND) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(format!("it is of version {version}; version {VERSION} is read here"));
            }
            None => return Err("it is no file of tuned values".to_owned()),
        }
        let whole = || {
            Some(Tuned {
                parameters: json.text("parameters")?,
                best: json.list("best")?.iter().map(best).collect::<Option<_>>()?,
            })
        };
        whole().ok_or_else(|| "it is damaged".to_owned())
    }

    /// The text of a file.
    pub fn written(&self) -> String {
        let mut text = format!(
            "{{\n  \"{KIND}\": {VERSION},\n  \"parameters\": {},\n  \"best\": [",
            quoted(&self.parameters)
        );
        for (k, best) in self.best.iter().enumerate() {
            let values: Vec<String> = best
                .values
                .iter()
                .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
                .collect();
            let _ = write!(
                text,
                "{}\n    {{\"engine\": {}, \"device\": {},\n     \"values\": {{{}}},\n     \"default_ms\": {:.6}, \"best_ms\": {:.6}}}",
                if k == 0 { "" } else { "," },
                quoted(&best.engine),
                quoted(&best.device),
                values.join(", "),
                best.times[0],
                best.times[1]
            );
        }
        text.push_str("\n  ]\n}\n");
        text
    }

    /// Takes over the values for a device, in place of others for it.
    pub fn put(&mut self, best: Best) {
        self.remove(&best.engine, &best.device);
        self.best.push(best);
    }

    /// Forgets the values for a device. Says whether there were some.
    pub fn remove(&mut self, engine: &str, device: &str) -> bool {
        let before = self.best.len();
        self.best.retain(|known| (known.engine.as_str(), known.device.as_str()) != (engine, device));
        self.best.len() < before
    }

    /// The definitions for an engine and a device, each as `$p = value`, of parameters that `given` does not define already. Without the
    /// name of a device, which builds for others do not know, they are those of the only device of this engine.
    ///
    /// # Errors
    /// Why the file cannot be used for this program.
    pub fn definitions(
        &self,
        tuning: &Tuning,
        engine: &str,
        device: Option<&str>,
        given: &[String],
    ) -> Result<Vec<String>, String> {
        if self.parameters != digest(&tuning.params) {
            return Err("the program had other tuning parameters when it was measured".to_owned());
        }
        let fits = |best: &&Best| best.engine == engine && device.is_none_or(|device| best.device == device);
        let mut fitting = self.best.iter().filter(fits);
        let Some(best) = fitting.next() else { return Ok(Vec::new()) };
        if let Some(other) = fitting.next() {
            return Err(format!(
                "it has values for several devices, '{}' and '{}'",
                best.device, other.device
            ));
        }
        let blocks = tuning.blocks(&[]);
        let known = |name: &str| {
            tuning.params.iter().any(|param| param.name == name)
                || blocks.iter().any(|param| param.name == name)
        };
        if let Some((name, _)) = best.values.iter().find(|(name, _)| !known(name)) {
            return Err(format!("the program has no tuning parameter '{name}'"));
        }
        let is_given =
            |name: &str| given.iter().any(|text| text.split('=').next().is_some_and(|n| n.trim() == name));
        let used = best.values.iter().filter(|(name, value)| !value.is_empty() && !is_given(name));
        Ok(used.map(|(name, value)| format!("{name} = {value}")).collect())
    }
}

/// Why a file is not used, and what helps.
pub fn refused(file: &Path, why: &str) -> [String; 2] {
    let help = "`quasar tune` measures them anew; without the file, the values of the program are used";
    [format!("the tuned values in '{}' are not used: {why}", file.display()), help.to_owned()]
}

fn best(json: &Json) -> Option<Best> {
    let Json::Object(values) = json.field("values")? else { return None };
    let value = |(name, value): &(String, Json)| match value {
        Json::Text(text) if name.starts_with('$') => Some((name.clone(), text.clone())),
        _ => None,
    };
    let time = |name: &str| match json.field(name) {
        Some(Json::Number(ms)) => Some(*ms),
        _ => None,
    };
    Some(Best {
        engine: json.text("engine")?,
        device: json.text("device")?,
        values: values.iter().map(value).collect::<Option<_>>()?,
        times: [time("default_ms")?, time("best_ms")?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::NoImports;

    fn tuning(range: &str) -> Tuning {
        let text = format!(
            "function [] = f(x : vec)\n    {{!tuning_param name=\"$p\"; range={range}; default=16}}\nendfunction\n\
             function [] = __kernel__ k(x : vec, pos : int)\n    x[pos] = 1\nendfunction\n"
        );
        Tuning::of("t.q", &text, &NoImports)
    }

    fn tuned(values: &[(&str, &str)]) -> Tuned {
        let mut tuned = Tuned { parameters: digest(&tuning("[8,16]").params), best: Vec::new() };
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let best = Best { engine: "cpu".into(), device: "A \"b\"".into(), values, times: [2.5, 1.25] };
        tuned.put(best);
        tuned
    }

    #[test]
    fn files_come_back() {
        let mut file = tuned(&[("$p", "\"x\\y\""), ("$blocks_k", "64")]);
        assert_eq!(Tuned::read(&file.written()), Ok(file.clone()));
        file.put(Best { engine: "cuda".into(), ..file.best[0].clone() });
        file.put(file.best[0].clone());
        assert_eq!((Tuned::read(&file.written()), file.best.len()), (Ok(file.clone()), 2));
        assert!(file.remove("cpu", "A \"b\"") && !file.remove("cpu", "A"));
        assert_eq!(file.best.len(), 1);
        assert_eq!(Tuned::read(&Tuned::default().written()), Ok(Tuned::default()));
    }

    #[test]
    fn values_are_used_where_they_were_measured() {
        let (file, program) = (tuned(&[("$p", "8"), ("$blocks_k", "64")]), tuning("[8,16]"));
        let used = |device: Option<&str>, given: &[&str]| {
            let given: Vec<String> = given.iter().map(ToString::to_string).collect();
            file.definitions(&program, "cpu", device, &given).expect("a file that fits")
        };
        assert_eq!(used(Some("A \"b\""), &[]), ["$p = 8", "$blocks_k = 64"]);
        assert_eq!(used(None, &["$p=16", "N = 1"]), ["$blocks_k = 64"]);
        assert!(used(Some("C"), &[]).is_empty());
        assert_eq!(file.definitions(&program, "cuda", None, &[]), Ok(Vec::new()));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let refused =
            |file: &Tuned, range: &str| file.definitions(&tuning(range), "cpu", None, &[]).unwrap_err();
        assert!(refused(&tuned(&[("$p", "8")]), "[8,16,32]").contains("other tuning parameters"));
        assert_eq!(refused(&tuned(&[("$q", "8")]), "[8,16]"), "the program has no tuning parameter '$q'");
        let mut several = tuned(&[("$p", "8")]);
        several.best.push(Best { device: "B".into(), ..several.best[0].clone() });
        assert!(refused(&several, "[8,16]").contains("several devices"));
    }

    #[test]
    fn what_is_no_file_is_said() {
        let whole = tuned(&[("$p", "8")]).written();
        for (text, expected) in [
            ("".to_owned(), "line 1: expected a value, the file ends"),
            ("{}".to_owned(), "it is no file of tuned values"),
            ("{\"quasar_tune\": 2}".to_owned(), "it is of version 2; version 1 is read here"),
            (whole.replace("\"$p\"", "\"N\""), "it is damaged"),
            (whole.replace("\"8\"", "8"), "it is damaged"),
        ] {
            assert_eq!(Tuned::read(&text).unwrap_err(), expected, "{text}");
        }
        for end in 0..whole.trim_end().len() {
            assert!(Tuned::read(&whole[..end]).is_err());
        }
    }
}
