//! The Rust recipes of the chapter "Cookbook": each file stands in the chapter as it is, and is a test.

mod constants;
mod emulated;
mod errors;
mod guards;
mod modules;
mod objects;
mod output;
mod parallel;
mod placed;
mod results;
mod vectors;
mod watched;

use std::fs;

#[test]
fn the_chapter_shows_the_recipes() {
    let chapter = crate::text("cookbook");
    let files =
        fs::read_dir(crate::root().join("tests/book/recipes")).expect("the folder of recipes").flatten();
    let mut count = 0;
    for file in files {
        let code = fs::read_to_string(file.path()).expect("a recipe");
        assert!(chapter.contains(&format!("\n{code}```")), "{:?} is not shown as it is", file.file_name());
        count += 1;
    }
    assert!(count > 10, "{count} recipes");
}
