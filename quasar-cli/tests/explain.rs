//! `quasar explain x.q:12` and `quasar workbench x.q`: what they show, and what they do with bad input.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "function y = scaled(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 2*x[m,n]
        endfor
    endfor
endfunction
t = ones(30,30)
print scaled(t + t.*t), \"</script><b>&\"
";

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("quasar-explain-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn program(folder: &Path, text: &str) -> String {
    let file = folder.join("p.q");
    fs::write(&file, text).expect("the program is written");
    file.to_string_lossy().into_owned()
}

/// Exit status, output, messages.
fn quasar(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_quasar")).args(args).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_line_is_explained() {
    let folder = folder("line");
    let file = program(&folder, PROGRAM);
    let (code, output, said) = quasar(&["explain", &format!("{file}:5")]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "{said}");
    for part in [
        "line 5",
        "assignment to an element",
        "part of the kernel 'opt__scaled_line3'",
        "x[m,n]: not tested",
        "in the loop over m, line 3",
        "parallel over m, n",
        "x : mat",
    ] {
        assert!(output.contains(part), "no '{part}' in\n{output}");
    }
    let (code, output, _) = quasar(&["explain", &format!("{file}:10")]);
    assert!(code == Some(0) && output.contains("fused into one kernel"), "{output}");
    assert!(output.contains("scaled(x : mat) -> (y : mat)"), "{output}");
    fs::remove_dir_all(folder).expect("the folder goes");
}

#[test]
fn bad_questions_are_errors() {
    let folder = folder("bad");
    let file = program(&folder, PROGRAM);
    let missing = folder.join("missing.q");
    for (args, part) in [
        (vec!["explain".to_string(), format!("{file}:11")], "there is no line 11, the file has 10"),
        (vec!["explain".to_string(), format!("{file}:0")], "there is no line 0"),
        (vec!["explain".to_string(), format!("{}:1", missing.display())], "missing.q"),
        (vec!["workbench".to_string(), missing.display().to_string()], "missing.q"),
        (vec!["explain".to_string(), folder.display().to_string() + ":1"], "Error"),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, output, said) = quasar(&args);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{args:?}: {said}");
        assert!(said.contains(part) && !said.contains("panicked"), "{args:?}: {said}");
    }
    for (word, part) in [
        (file.clone(), "no line is given"),
        (format!("{file}:x"), "'x' is no line"),
        (format!("{file}:-1"), ""),
    ] {
        let (code, _, said) = quasar(&["explain", &word]);
        assert!(
            code.is_some_and(|code| code != 0) && said.contains(part) && !said.contains("panicked"),
            "{said}"
        );
    }
    fs::remove_dir_all(folder).expect("the folder goes");
}

/// Programs that do not compile have errors, which are shown instead, and no page is written.
#[test]
fn programs_with_errors_show_them() {
    let folder = folder("errors");
    let page = folder.join("page.html");
    let page = page.to_str().expect("a name");
    for (text, part) in [
        ("for i = 0..\n", "error"),
        ("x = undefined_name + 1\n", "undefined_name"),
        ("x = ones(2)\n{!parallel for}\nfor i = 0..1\n    x = x + i\nendfor\nprint x\n", "Q04"),
        ("\u{0}", "rror"),
    ] {
        let file = program(&folder, text);
        for args in [vec!["explain", &format!("{file}:1")], vec!["workbench", &file, "-o", page]] {
            let (code, output, said) = quasar(&args);
            assert_eq!((code, output.as_str()), (Some(1), ""), "{text:?}: {said}");
            assert!(said.contains(part) && !said.contains("panicked"), "{text:?}: {said}");
        }
        assert!(!Path::new(page).exists());
    }
    fs::remove_dir_all(folder).expect("the folder goes");
}

#[test]
fn pages_need_nothing_but_themselves() {
    let folder = folder("page");
    let file = program(&folder, PROGRAM);
    let page = folder.join("page.html");
    let (code, output, said) = quasar(&["workbench", &file, "-o", page.to_str().expect("a name")]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "{said}");
    assert!(output.contains("page.html"));
    let text = fs::read_to_string(&page).expect("the page");
    for part in [
        "parallel over m, n",
        "autoparallel",
        "Q_KERNEL void",
        "data-t=\"x : mat\"",
        "prefers-color-scheme",
        "&lt;/script&gt;",
    ] {
        assert!(text.contains(part), "no '{part}'");
    }
    for part in ["http://", "https://", "src=", "@import", "url(", "</script><b>"] {
        assert!(!text.contains(part), "'{part}' is in the page");
    }
    // Code of each language is marked by line: the assignment in line 5.
    for column in ["ir", "rust", "cuda"] {
        let start = text.find(&format!("data-is=\"{column}\"")).expect("a column");
        let end = text[start + 1..].find("data-is=").map_or(text.len(), |end| start + 1 + end);
        assert!(text[start..end].contains("<div class=\"cl\" data-l=\"5\">"), "{column}");
    }
    assert!(!text.contains("#line") && !text.contains("/*@"), "places are no code");
    assert_eq!(text.matches("<script>").count(), 1);
    for tag in ["section", "details", "table", "div", "span", "pre", "code", "dl", "tr", "td"] {
        let opened = text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "<{tag}>");
    }
    fs::remove_dir_all(folder).expect("the folder goes");
}

#[test]
fn pages_that_cannot_be_written_are_errors() {
    let folder = folder("unwritable");
    let file = program(&folder, PROGRAM);
    let places =
        [folder.join("no/such/folder/page.html"), folder.clone(), PathBuf::from("/dev/full/page.html")];
    for place in places {
        let (code, output, said) = quasar(&["workbench", &file, "-o", place.to_str().expect("a name")]);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{}: {said}", place.display());
        assert!(said.starts_with("Error: ") && !said.contains("panicked"), "{said}");
    }
    fs::remove_dir_all(folder).expect("the folder goes");
}

/// Empty programs and those without kernels have a page as well.
#[test]
fn small_programs_have_pages() {
    let folder = folder("small");
    let page = folder.join("page.html");
    for text in ["", "\n\n", "% a comment", "print 1\r\nprint 2\r\n", "x = \"\u{e4}\u{1f600}\"\nprint x"] {
        let file = program(&folder, text);
        let (code, _, said) = quasar(&["workbench", &file, "-o", page.to_str().expect("a name")]);
        assert_eq!(code, Some(0), "{text:?}: {said}");
        let (code, _, said) = quasar(&["explain", &format!("{file}:1")]);
        assert_eq!(code, Some(i32::from(text.is_empty())), "{text:?}: {said}");
    }
    fs::remove_dir_all(folder).expect("the folder goes");
}

/// What the book shows is what the command says.
#[test]
fn the_book_shows_what_is_said() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/src/tools.md");
    let book = fs::read_to_string(book).expect("the chapter");
    let block = |start: &str| {
        let from = book.find(start).map(|at| &book[at..]).expect("the block");
        from.split("\n```").next().expect("its text").to_string() + "\n"
    };
    let folder = folder("book");
    fs::write(folder.join("blur.q"), block("function y = blur")).expect("the program is written");
    let shown = block("$ quasar explain blur.q:");
    let mut said = String::new();
    let mut count = 0;
    for command in shown.lines().filter_map(|line| line.strip_prefix("$ quasar ")) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
        let output =
            process.args(command.split(' ')).current_dir(&folder).output().expect("the command starts");
        said += &format!("$ quasar {command}\n{}", String::from_utf8_lossy(&output.stdout));
        count += 1;
    }
    assert!(count > 1 && said == shown, "the chapter shows\n{shown}\nand the command says\n{said}");
    fs::remove_dir_all(folder).expect("the folder goes");
}

/// The script of the page, in a browser without a window where there is one.
#[test]
fn the_script_of_the_page_runs() {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&paths).flat_map(|path| names.map(|name| path.join(name)));
    let Some(browser) = found.find(|path| path.is_file()) else { return };
    let folder = folder("script");
    let file = program(&folder, PROGRAM);
    let page = folder.join("page.html");
    let (code, _, said) = quasar(&["workbench", &file, "-o", page.to_str().expect("a name")]);
    assert_eq!(code, Some(0), "{said}");
    // What a click on a line of the code marks is in the page that is printed.
    let text = fs::read_to_string(&page).expect("the page");
    let click = "<script>document.querySelector('#code .cl[data-l=\"5\"]').click();</script></body>";
    fs::write(&page, text.replace("</body>", click)).expect("the page is written");
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let address = format!("file://{}#passes", page.display());
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=2000",
            "--timeout=20000",
        ])
        .args([&profile, "--dump-dom", &address])
        .output();
    let dom = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    // A browser that does not start here says nothing of the script.
    if dom.contains("</html>") {
        for part in [
            "<body class=\"tabs\">",
            "<section id=\"passes\" class=\"on\">",
            "class=\"cl mark\"",
            "equal lines",
        ] {
            assert!(dom.contains(part), "no '{part}' in the page");
        }
    }
    let _ = fs::remove_dir_all(folder);
}
