//! What the page asks of its module: colours and messages of a text, output, figures, files and errors of a program, and an end to one
//! that has none.

use quasar_files::memory::Files;
use quasar_playground::examples::{PHOTOGRAPHS, examples};
use quasar_playground::look::look;
use quasar_playground::run::{Ended, MOST_PRINTED, Page, Wanted, run};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A page that keeps what it is told.
#[derive(Default)]
struct Kept {
    printed: RefCell<String>,
    figures: RefCell<Vec<(i64, String, String)>>,
    clock: Cell<f64>,
    ticks: Cell<usize>,
}

impl Page for Kept {
    fn print(&self, text: &str) {
        self.printed.borrow_mut().push_str(text);
    }

    fn picture(&self, number: i64, svg: &str, loss: &str) {
        self.figures.borrow_mut().push((number, svg.into(), loss.into()));
    }

    fn now_ms(&self) -> f64 {
        self.clock.set(self.clock.get() + 1000.0);
        self.clock.get()
    }

    fn tick(&self) {
        self.ticks.set(self.ticks.get() + 1);
    }
}

fn run_with(text: &str, wanted: Wanted) -> (Rc<Kept>, Ended) {
    let kept = Rc::new(Kept::default());
    let page: Rc<dyn Page> = kept.clone();
    let ended = run(text, wanted, &page);
    (kept, ended)
}

fn run_alone(text: &str) -> (Rc<Kept>, Ended) {
    run_with(text, Wanted::default())
}

#[test]
fn a_text_gets_classes_and_messages() {
    let text = "% ä𝄞\nfunction y = f(x : int)\n    y = x + lenght\nendfunction\nprint f(1)\n";
    let answer = look(text);
    let units: Vec<u16> = text.encode_utf16().collect();
    let word = |start: &Value, length: &Value| {
        let start = start.as_u64().unwrap() as usize;
        String::from_utf16(&units[start..start + length.as_u64().unwrap() as usize]).unwrap()
    };
    let tokens: Vec<(String, String)> = answer["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .map(|token| (word(&token[0], &token[1]), token[2].as_str().unwrap().to_owned()))
        .collect();
    for (text, class) in [
        ("% ä𝄞", "comment"),
        ("function", "keyword"),
        ("f", "function"),
        ("x", "parameter"),
        ("int", "type"),
        ("+", "operator"),
        ("1", "number"),
    ] {
        assert!(tokens.contains(&(text.into(), class.into())), "{text} is no {class}: {tokens:?}");
    }
    let [message] = &answer["messages"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert_eq!(
        (&message["kind"], &message["line"], &message["column"]),
        (&"error".into(), &3.into(), &13.into())
    );
    assert_eq!(word(&message["start"], &message["length"]), "lenght");
    assert!(message["excerpt"].as_str().unwrap().contains("^^^^^^"), "{message}");
}

#[test]
fn a_program_prints_and_draws() {
    let (page, ended) = run_alone(
        "print 6 * 7\nplot([1, 3, 2])\ntitle(\"three\")\nimshow(ones(2, 2) * 300)\nprint \"end\"\n",
    );
    assert_eq!(ended.answer["error"], Value::Null, "{}", ended.answer);
    assert_eq!(*page.printed.borrow(), "42\nend\n");
    let figures = page.figures.borrow();
    let [(1, chart, loss), (1, image, cut)] = &figures[..] else { panic!("{figures:?}") };
    assert!(chart.starts_with("<svg") && chart.contains("three") && loss.is_empty(), "{chart}");
    assert!(image.contains("data:image/png") && !cut.is_empty());
    // The next program begins with no figures.
    let (page, _) = run_alone("drawnow()\nprint 1\n");
    assert!(page.figures.borrow().is_empty());
}

#[test]
fn errors_have_their_place() {
    let (page, ended) = run_alone("x = [1, 2, 3]\nprint \"before\"\nprint x[int(sum(x))]\n");
    assert_eq!(*page.printed.borrow(), "before\n");
    let error = &ended.answer["error"];
    assert_eq!(error["line"], 3, "{error}");
    let excerpt = error["excerpt"].as_str().unwrap();
    assert!(excerpt.contains("print x[int(sum(x))]") && excerpt.contains('^'), "{excerpt}");
    // What the compiler refuses does not run.
    let (page, ended) = run_alone("print 1\nprint y\n");
    assert!(page.printed.borrow().is_empty());
    assert_eq!(ended.answer["messages"][0]["line"], 2, "{}", ended.answer);
}

#[test]
fn endless_programs_end() {
    let (page, ended) = run_with(
        "k = 0\nwhile true\n    k += 1\nendwhile\n",
        Wanted { steps: Some(100_000), ..Wanted::default() },
    );
    assert!(ended.answer["error"].to_string().contains("100000"), "{}", ended.answer);
    assert!(page.ticks.get() >= 5, "the page was asked {} times", page.ticks.get());
    let (page, ended) =
        run_alone("while true\n    try\n        print \"on and on\"\n    catch e\n    endtry\nendwhile\n");
    assert!(ended.answer["error"].to_string().contains("printed more than"), "{}", ended.answer);
    assert!(page.printed.borrow().len() <= MOST_PRINTED + 100);
    let (_, ended) = run_alone("while true\n    plot([1, 2])\n    drawnow()\nendwhile\n");
    assert!(ended.answer["error"].to_string().contains("figures"), "{}", ended.answer);
    let (_, ended) =
        run_alone("function y : scalar = f(x : scalar)\n    y = 1 + f(x + 1)\nendfunction\nprint f(0.5)\n");
    assert!(ended.answer["error"].to_string().contains("calls"), "{}", ended.answer);
}

#[test]
fn files_are_in_memory() {
    let own = "function y = twice(x)\n    y = 2 * x\nendfunction\n";
    let files =
        Files::from([(PathBuf::from("own.q"), own.into()), (PathBuf::from("a.csv"), b"1,2\n3,4\n".to_vec())]);
    let text = "import \"own.q\"\nx = twice(csvread(\"a.csv\"))\nprint x[1, 1], \" \", exists(\"b.csv\")\ncsvwrite(\"b.csv\", x)\n\
                imwrite(\"c.png\", x)\nprint size(imread(\"c.png\", \"gray\"))\nprint exists(\"Cargo.toml\")\n";
    let (page, ended) = run_with(text, Wanted { files, ..Wanted::default() });
    assert_eq!(ended.answer["error"], Value::Null, "{}", ended.answer);
    assert_eq!(*page.printed.borrow(), "8 0\n[2,2]\n0\n");
    let names: Vec<&Path> = ended.written.iter().map(|(path, _)| &**path).collect();
    assert_eq!(names, [Path::new("b.csv"), Path::new("c.png")]);
    assert_eq!(ended.written[0].1, b"2,4\n6,8\n");
    assert!(!Path::new("b.csv").exists());
    let again = "save(\"x.npz\", [1, 2])\nsave(\"x.mat\", 3)\nprint load(\"x.npz\"), load(\"x.mat\")\n";
    let (page, ended) = run_alone(&again.replace(", load(", ", \" \", load("));
    assert_eq!(*page.printed.borrow(), "[1,2] 3\n", "{}", ended.answer);
    let (_, ended) = run_alone("f = fopen(\"x.txt\", \"w\")\n");
    assert!(ended.answer["error"].to_string().contains("only files in memory"), "{}", ended.answer);
}

#[test]
fn random_numbers_and_time_come_from_the_page() {
    let draw = |seed| run_with("print rand(3)\n", Wanted { seed, ..Wanted::default() }).0.printed.take();
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    let (page, _) = run_alone("tic()\nprint toc() >= 1\n");
    assert!(page.clock.get() >= 2000.0, "{} {}", page.clock.get(), page.printed.borrow());
}

/// Photographs of the page are the files of the folder, and programs find them by their names.
fn photographs() -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/images");
    let entries = fs::read_dir(&folder).expect("the photographs").flatten();
    let found = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = found.filter(|name| !name.ends_with(".md")).collect();
    names.sort();
    assert_eq!(names, PHOTOGRAPHS, "the photographs against the list of the page");
    let read = |name: &String| (PathBuf::from(name), fs::read(folder.join(name)).expect("a photograph"));
    names.iter().map(read).collect()
}

#[test]
fn the_examples_run() {
    let files = photographs();
    for (group, examples) in examples() {
        assert!(examples.len() >= 3, "{group}: {} programs", examples.len());
        for example in examples {
            let place = format!("{group}, {}", example.name);
            let wanted = Wanted { files: files.clone(), seed: 1, ..Wanted::default() };
            let (page, ended) = run_with(&example.text, wanted);
            if example.name == "Mistakes" {
                assert_eq!(ended.answer["messages"][0]["line"], 5, "{}", ended.answer);
                let (_, ended) = run_alone(&example.text.replace("value[0]", "values[0]"));
                assert_eq!(ended.answer["error"]["line"], 7, "{}", ended.answer);
                continue;
            }
            assert_eq!(ended.answer["messages"], Value::Array(Vec::new()), "{place}");
            assert_eq!(ended.answer["error"], Value::Null, "{place}");
            let (printed, figures) = (page.printed.borrow().len(), page.figures.borrow().len());
            assert!(
                if group == "Gallery" { figures == 1 } else { printed > 0 },
                "{place}: {printed} {figures}"
            );
        }
    }
}
