//! Licences, versions and sources of all packages that are built, compared with `deny.toml`. `cargo deny` reads the same file; this needs
//! neither that nor a network, so that it runs everywhere. Packages of other systems than this one are seen by their lock file only: where
//! they come from and in how many versions.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The texts in quotes of a list of `deny.toml`, line by line.
fn listed(section: &str, key: &str) -> Vec<Vec<String>> {
    let text = read("deny.toml");
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let inside = lines.skip_while(|line| *line != format!("[{section}]")).skip(1);
    let inside = inside.take_while(|line| !line.starts_with('['));
    let list =
        inside.skip_while(|line| *line != format!("{key} = [")).skip(1).take_while(|line| *line != "]");
    let quoted = |line: &str| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let found: Vec<Vec<String>> = list.map(quoted).filter(|texts| !texts.is_empty()).collect();
    assert!(!found.is_empty(), "deny.toml has no list '{key}' in '{section}'");
    found
}

/// Whether an expression of licences (`(MIT OR Apache-2.0) AND Unicode-3.0`) can be met by those that are allowed.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = any_of(&words, &mut at, allowed);
    assert_eq!(at, words.len(), "'{expression}' is no expression of licences");
    met
}

fn any_of(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut met = all_of(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all_of(words, at, allowed);
    }
    met
}

fn all_of(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut met = licence(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= licence(words, at, allowed);
    }
    met
}

fn licence(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word != "(" {
        return allowed.contains(word);
    }
    let met = any_of(words, at, allowed);
    assert_eq!(words.get(*at), Some(&")"), "a parenthesis is open");
    *at += 1;
    met
}

#[test]
fn expressions_of_licences_are_read_as_they_are_meant() {
    let allowed: BTreeSet<String> = ["MIT", "Zlib", "Unicode-3.0"].map(str::to_owned).into();
    let is_allowed = |expression| is_allowed(expression, &allowed);
    assert!(is_allowed("MIT") && is_allowed("GPL-3.0 OR MIT") && is_allowed("MIT/Apache-2.0"));
    assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!is_allowed("GPL-3.0") && !is_allowed("MIT AND GPL-3.0"));
    assert!(!is_allowed("(GPL-3.0 OR LGPL-3.0) AND MIT") && !is_allowed("GPL-3.0 OR MIT AND Apache-2.0"));
}

/// What `cargo` knows of the packages that are built here, with all features.
fn built() -> Vec<Value> {
    let host = Command::new(env!("CARGO")).args(["-vV"]).output().expect("cargo runs");
    let host = String::from_utf8_lossy(&host.stdout).into_owned();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host").to_owned();
    let asked = |network: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--all-features",
            "--filter-platform",
            &host,
        ]);
        cargo.args(network).current_dir(root()).output().expect("cargo runs")
    };
    // Packages of features that are off by default may not have been downloaded yet.
    let mut answer = asked(&["--offline"]);
    if !answer.status.success() {
        answer = asked(&[]);
    }
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let all: Value = serde_json::from_slice(&answer.stdout).expect("what cargo knows");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let used: BTreeSet<String> =
        list(&all["resolve"]["nodes"]).iter().map(|node| node["id"].to_string()).collect();
    list(&all["packages"]).into_iter().filter(|package| used.contains(&package["id"].to_string())).collect()
}

#[test]
fn licences_of_all_packages_are_allowed() {
    let allowed: BTreeSet<String> = listed("licenses", "allow").into_iter().flatten().collect();
    let packages = built();
    assert!(packages.len() > 50, "the packages were not found");
    let mut met = BTreeSet::new();
    for package in &packages {
        let (name, licence) = (&package["name"], package["license"].as_str());
        let Some(licence) = licence else { panic!("{name} does not say its licence") };
        assert!(is_allowed(licence, &allowed), "{name}: '{licence}' is not allowed by deny.toml");
        met.extend(allowed.iter().filter(|one| licence.contains(one.as_str())).cloned());
    }
    assert_eq!(met, allowed, "deny.toml allows licences that no package has");
}

/// The packages of a lock file: name, version, source.
fn locked(file: &str) -> Vec<[String; 3]> {
    let text = read(file);
    let entry = |entry: &str| {
        let value = |key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|rest| rest.strip_suffix('"')).unwrap_or_default().to_owned()
        };
        ["name", "version", "source"].map(value)
    };
    text.split("[[package]]").skip(1).map(entry).collect()
}

#[test]
fn packages_come_from_one_registry_in_one_version() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for [name, version, source] in locked("Cargo.lock") {
        let ours = source.is_empty();
        assert!(
            ours || source.starts_with("registry+") && source.ends_with("/crates.io-index"),
            "{name}: {source}"
        );
        versions.entry(name).or_default().push(version);
    }
    let skipped = listed("bans", "skip");
    for (name, versions) in &versions {
        let excused = |version: &&String| skipped.contains(&vec![name.clone(), (*version).clone()]);
        let counted = versions.iter().filter(|version| !excused(version)).count();
        assert!(
            counted <= 1,
            "{name} is there in several versions, {versions:?}; deny.toml excuses one by name"
        );
    }
    for skip in skipped {
        let [name, version] = &skip[..] else { panic!("a name and a version: {skip:?}") };
        let there = versions.get(name).is_some_and(|found| found.contains(version) && found.len() > 1);
        assert!(there, "deny.toml excuses {name} {version}, which is not there twice any more");
    }
}

/// The packages of the workspace that are published.
fn published() -> Vec<Value> {
    let own = |package: &Value| {
        package["source"].is_null() && package["publish"].as_array().is_none_or(|r| !r.is_empty())
    };
    built().into_iter().filter(own).collect()
}

#[test]
fn packages_can_be_published() {
    let packages = published();
    assert!(packages.len() >= 8, "the packages of the workspace were not found");
    for package in &packages {
        let (name, folder) = (&package["name"], package["manifest_path"].as_str().expect("a path"));
        let folder = std::path::Path::new(folder).parent().expect("a folder");
        for field in ["description", "license", "readme", "documentation", "rust_version"] {
            assert!(package[field].is_string(), "{name} has no field '{field}'");
        }
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(folder.join(file).is_file(), "{name} has no {file}");
        }
        assert!(name != "quasar" && name != "quasar-cli", "{name} on crates.io is another crate");
        for dependency in package["dependencies"].as_array().expect("a list") {
            let tests_only = dependency["kind"] == "dev";
            assert!(tests_only || dependency["req"] != "*", "{name}: {} has no version", dependency["name"]);
        }
    }
}
