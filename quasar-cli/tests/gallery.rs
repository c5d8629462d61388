//! The gallery of the book: each program draws the picture below it. `UPDATE_EXPECT=1` writes the pictures; look at them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/src")
}

/// The programs of the page, each with the picture below it.
fn programs() -> Vec<(String, PathBuf)> {
    let page = fs::read_to_string(book().join("gallery.md")).expect("the page is there");
    let blocks = page.split("```quasar,figure\n").skip(1);
    let both = |block: &str| {
        let (program, below) = block.split_once("```\n")?;
        let (_, picture) = below.split_once("](")?;
        let (picture, _) = picture.split_once(')')?;
        Some((program.to_owned(), book().join(picture)))
    };
    blocks.map(|block| both(block).expect("a picture below each program")).collect()
}

#[test]
fn each_program_draws_its_picture() {
    let all = programs();
    assert!(all.len() >= 5, "{} programs", all.len());
    for (program, picture) in all {
        let name = picture.file_stem().expect("a name").to_string_lossy().into_owned();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(&name);
        fs::create_dir_all(&folder).expect("the folder for tests can be written");
        let file = folder.join("program.q");
        fs::write(&file, program).expect("the folder for tests can be written");
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        process.env("QUASAR_DISPLAY", format!("file:{}", folder.display()));
        let output = process.arg("run").arg(&file).output().expect("the command starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        let drawn = fs::read(folder.join("figure-1.png")).expect("one figure");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&picture, drawn).expect("the picture can be written");
            continue;
        }
        let expected = fs::read(&picture).expect("the picture is there");
        assert!(drawn == expected, "{name}: the picture differs; UPDATE_EXPECT=1 writes it");
    }
}
