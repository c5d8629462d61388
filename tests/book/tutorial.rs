//! The crate that the chapter "Your first filter" makes is `examples/sharpen`: each file stands in the chapter as it is.

use std::fs;

const FILES: &[&str] =
    &["src/sharpen.q", "src/lib.rs", "src/main.rs", "tests/sharpen.rs", "tests/emulated.rs"];

#[test]
fn the_chapter_shows_the_files_of_the_crate() {
    let chapter = crate::text("first_filter");
    let mut at = 0;
    for file in FILES {
        let path = crate::root().join("examples/sharpen").join(file);
        let code = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let name = chapter.find(&format!("`{file}`")).unwrap_or_else(|| panic!("{file} is not named"));
        let block =
            chapter.find(&format!("\n{code}```")).unwrap_or_else(|| panic!("{file} is shown otherwise"));
        assert!(at < name && name < block, "{file} is not shown in its place");
        at = block;
    }
}

/// rustc puts the message of the compiler above the line of the macro call.
#[test]
fn the_error_in_the_chapter_is_that_of_the_compiler() {
    let chapter = crate::text("first_filter");
    let (_, shown) = chapter.split_once("```text\nerror: ").expect("the error");
    let (shown, _) = shown.split_once(" --> src/lib.rs").expect("the place of the call");
    let name = "src/sharpen.q";
    let path = crate::root().join("examples/sharpen").join(name);
    let code = fs::read_to_string(path).expect("the filter").replace("amount * (image", "amuont * (image");
    let said = crate::examples::messages(name, &code);
    for line in shown.lines().map(str::trim) {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
}
