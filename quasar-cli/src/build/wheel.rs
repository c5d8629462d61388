//! Wheels: the archives that `pip install` takes.

use super::{Library, python};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::env::consts::{ARCH, OS};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A wheel and its file name.
pub(super) struct Wheel {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// Packs a library, which has this file name there.
pub(super) fn make(
    library: &Library,
    version: &str,
    file_name: &str,
    binary: &[u8],
) -> Result<Wheel, String> {
    let (name, tag) = (&library.name, format!("py3-none-{}", platform()));
    let information = format!("{name}-{version}.dist-info");
    let metadata = format!(
        "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: Functions of {}\nRequires-Python: >=3.9\nRequires-Dist: numpy\n",
        library.source
    );
    let about = format!(
        "Wheel-Version: 1.0\nGenerator: quasar {}\nRoot-Is-Purelib: false\nTag: {tag}\n",
        env!("CARGO_PKG_VERSION")
    );
    let module = python::module(library, file_name);
    let stubs = python::stubs(library);
    let files: [(String, &[u8]); 7] = [
        (format!("{name}/__init__.py"), module.as_bytes()),
        (format!("{name}/__init__.pyi"), stubs.as_bytes()),
        (format!("{name}/_calls.py"), python::CALLS.as_bytes()),
        (format!("{name}/py.typed"), b""),
        (format!("{name}/{file_name}"), binary),
        (format!("{information}/METADATA"), metadata.as_bytes()),
        (format!("{information}/WHEEL"), about.as_bytes()),
    ];
    let bytes = archive(&files, &format!("{information}/RECORD"));
    let bytes = bytes.map_err(|error| format!("Error: the wheel cannot be written: {error}"))?;
    Ok(Wheel { name: format!("{name}-{version}-{tag}.whl"), bytes })
}

/// An archive with the list of its files as the last one.
fn archive(files: &[(String, &[u8])], record: &str) -> zip::result::ZipResult<Vec<u8>> {
    // No time: the same program makes the same wheel.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut list = String::new();
    for (path, contents) in files {
        archive.start_file(path.as_str(), options)?;
        archive.write_all(contents)?;
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(contents));
        list.push_str(&format!("{path},sha256={digest},{}\n", contents.len()));
    }
    list.push_str(&format!("{record},,\n"));
    archive.start_file(record, options)?;
    archive.write_all(list.as_bytes())?;
    Ok(archive.finish()?.into_inner())
}

/// What pip calls this kind of machine.
fn platform() -> String {
    match (OS, ARCH) {
        ("macos", "aarch64") => "macosx_11_0_arm64".to_owned(),
        ("macos", arch) => format!("macosx_10_12_{arch}"),
        ("windows", "x86_64") => "win_amd64".to_owned(),
        ("windows", "aarch64") => "win_arm64".to_owned(),
        ("windows", _) => "win32".to_owned(),
        (system, "x86") => format!("{system}_i686"),
        (system, arch) => format!("{system}_{arch}"),
    }
}

/// A version as Python has it: numbers with points between, and perhaps what kind of release it is.
pub(crate) fn version(text: &str) -> Result<String, String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (release, rest) = text.split_at(end);
    let known = ["", "a", "b", "rc", ".post", ".dev", "post", "dev"];
    let rest_is_known = match release.strip_suffix('.') {
        Some(_) => {
            [".post", ".dev"].iter().any(|word| format!(".{rest}").strip_prefix(word).is_some_and(is_number))
        }
        None => known.iter().any(|word| {
            rest.strip_prefix(word)
                .is_some_and(|n| n.is_empty() == word.is_empty() && (n.is_empty() || is_number(n)))
        }),
    };
    if release.trim_end_matches('.').split('.').all(is_number) && rest_is_known {
        return Ok(text.to_owned());
    }
    Err("expected a version such as 1.0.2 or 2.0rc1".to_owned())
}
