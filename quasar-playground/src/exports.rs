//! What the script of the page calls, and what this module calls in the script. Texts go in through one buffer: the script asks for its
//! place (`reserve`), fills it, and calls a function that uses it. They go out through `said`, which copies them.

#![allow(unsafe_code, reason = "functions of the script are foreign, and it finds ours by their names")]

use crate::examples;
use crate::look::look;
use crate::run::{Page, Wanted, run};
use quasar_files::memory::Files;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    fn said(kind: u32, start: *const u8, length: usize);
    safe fn now() -> f64;
    safe fn tick();
}

/// What a text is that goes out; the script has the same numbers.
#[derive(Clone, Copy)]
enum Kind {
    /// The answer of a function, as JSON.
    Answer = 0,
    /// What the program prints.
    Printed = 1,
    /// A figure, as JSON.
    Figure = 2,
    /// A file that the program wrote: the length of its name in four bytes, its name, its contents.
    File = 3,
    /// What a defect of ours says before it ends everything.
    Panic = 4,
}

fn say(kind: Kind, bytes: &[u8]) {
    // SAFETY: the script reads these bytes before it returns.
    unsafe { said(kind as u32, bytes.as_ptr(), bytes.len()) }
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static FILES: RefCell<Files> = const { RefCell::new(Files::new()) };
}

/// The place of so many bytes, which the script fills before the next call.
#[unsafe(no_mangle)]
extern "C" fn reserve(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

fn input() -> String {
    String::from_utf8(INPUT.take()).unwrap_or_default()
}

/// Begins: defects are told to the script.
#[unsafe(no_mangle)]
extern "C" fn begin() {
    std::panic::set_hook(Box::new(|info| say(Kind::Panic, info.to_string().as_bytes())));
}

/// Adds a file for programs: its name in the first bytes of the buffer, its contents behind.
#[unsafe(no_mangle)]
extern "C" fn add_file(name: usize) {
    let mut bytes = INPUT.take();
    let contents = bytes.split_off(name.min(bytes.len()));
    let path = PathBuf::from(String::from_utf8(bytes).unwrap_or_default());
    FILES.with_borrow_mut(|files| files.insert(path, contents));
}

/// The programs of the page.
#[unsafe(no_mangle)]
extern "C" fn list_examples() {
    say(Kind::Answer, examples::list().to_string().as_bytes());
}

/// Checks the text in the buffer.
#[unsafe(no_mangle)]
extern "C" fn check() {
    say(Kind::Answer, look(&input()).to_string().as_bytes());
}

struct Script;

impl Page for Script {
    fn print(&self, text: &str) {
        say(Kind::Printed, text.as_bytes());
    }

    fn picture(&self, number: i64, svg: &str, loss: &str) {
        let figure = serde_json::json!({"number": number, "svg": svg, "loss": loss});
        say(Kind::Figure, figure.to_string().as_bytes());
    }

    fn now_ms(&self) -> f64 {
        now()
    }

    fn tick(&self) {
        tick();
    }
}

/// Runs the text in the buffer.
#[unsafe(no_mangle)]
extern "C" fn run_program(seed: u32) {
    let page: Rc<dyn Page> = Rc::new(Script);
    let files = FILES.with_borrow(Clone::clone);
    let ended = run(&input(), Wanted { files, seed: seed.into(), steps: None }, &page);
    for (path, contents) in ended.written {
        let name = path.to_string_lossy().into_owned();
        let mut bytes = (name.len() as u32).to_le_bytes().to_vec();
        bytes.extend(name.as_bytes());
        bytes.extend(contents);
        say(Kind::File, &bytes);
    }
    say(Kind::Answer, ended.answer.to_string().as_bytes());
}
