//! `quasar profile`, as a user types it.

use std::path::PathBuf;
use std::process::Command;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn quasar(arguments: &[&str], environment: &[(&str, &str)]) -> (bool, String, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_quasar"));
    process.env_remove("QUASAR_PROFILE").envs(environment.iter().copied());
    let output = process.args(arguments).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// A loop in order around launches, which are too large to be one kernel with it.
const PROGRAM: &str = "function [] = main(n : int)
    x = ones(100, 200)
    y = zeros(100, 200)
    for k = 1..n
        for i = 0..99
            for j = 0..199
                y[i,j] = x[i,j] * k
            endfor
        endfor
        last = k
    endfor
    print max(y[3,4], last)
endfunction
";

fn program(name: &str) -> String {
    let file = path(name);
    std::fs::write(&file, PROGRAM).expect("the folder for tests can be written");
    file.to_string_lossy().into_owned()
}

#[test]
fn a_program_is_measured_shown_and_compared() {
    let file = program("measured.q");
    let name = |name: &str| path(name).to_string_lossy().into_owned();
    let (report, trace, other) =
        (name("measured.json"), name("measured_trace.json"), name("measured_other.json"));
    let (success, output, said) =
        quasar(&["profile", "--lines", "-o", &report, "--trace", &trace, &file, "7"], &[]);
    assert!(success && output.starts_with("7\n\n"), "{output}{said}");
    let line = output.lines().find(|line| line.contains("main_line5")).expect("the kernel");
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(words.contains(&"7") && line.contains("measured.q:5") && line.contains("interpreter"), "{line}");
    assert!(line.ends_with("100x200"), "{line}");
    assert!(
        output.lines().any(|line| line.contains("5  |         for i = 0..99") && line.contains("in 7")),
        "{output}"
    );
    let written = std::fs::read_to_string(&trace).expect("a trace");
    assert_eq!(written.matches("\"ph\": \"X\"").count(), 7);

    let (success, shown, _) = quasar(&["profile", &report], &[]);
    assert!(success && output.contains(shown.trim()), "{shown}");
    assert!(quasar(&["profile", "-o", &other, &file, "1"], &[]).0);
    let (success, compared, _) = quasar(&["profile", "--compare", &report, &other], &[]);
    let line = compared.lines().find(|line| line.contains("main_line5")).expect("the kernel");
    assert!(success && line.contains(" x "), "{compared}");
    assert!(line.trim_start().starts_with("few calls"), "{compared}");
}

/// A page needs nothing but itself, and its elements are closed.
fn check(page: &str) {
    for part in ["http://", "https://", "src=", "@import", "url(", "NaN", "inf\""] {
        assert!(!page.contains(part), "'{part}' is in the page");
    }
    for tag in [
        "section", "table", "thead", "tbody", "tr", "td", "th", "div", "span", "svg", "text", "g", "a",
        "details", "ul", "li",
    ] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "<{tag}>");
    }
    // What links lead to is there.
    for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(page.contains(&format!("id=\"{link}\"")), "#{link}");
    }
}

#[test]
fn a_page_shows_all_of_a_report() {
    let file = program("page <b>&'.q");
    let name = |name: &str| path(name).to_string_lossy().into_owned();
    let (report, page) = (name("page.json"), name("page.html"));
    let (success, _, said) = quasar(&["profile", "--html", &page, "-o", &report, &file, "7"], &[]);
    assert!(success, "{said}");
    let text = std::fs::read_to_string(&page).expect("a page");
    check(&text);
    for part in [
        "<section id=\"timeline\">",
        "<td class=\"name\">main_line5</td>",
        "page &lt;b&gt;&amp;&#39;.q:5</a>",
        "for i = 0..99",
        "<b>100.0 %</b>",
        "\"lanes\":[\"thread 1\"]",
        "The interpreter does not tell what its arrays take",
        "the engine tells no bytes",
    ] {
        assert!(text.contains(part), "no '{part}'");
    }
    assert_eq!(text.matches("[0,0,").count(), 7, "the calls");
    // The same page comes of the report; only what was written since is said besides.
    let again = name("page_again.html");
    assert!(quasar(&["profile", "--html", &again, &report], &[]).0);
    assert_eq!(std::fs::read_to_string(&again).expect("a page"), text);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let source = std::fs::File::options().append(true).open(&file).expect("the program");
    source.set_modified(later).expect("a time");
    let (success, shown, _) = quasar(&["profile", "--lines", "--html", &again, &report], &[]);
    assert!(success && shown.contains("was changed after this was measured"), "{shown}");
    let text = std::fs::read_to_string(&again).expect("a page");
    check(&text);
    assert!(text.contains("<p class=\"warning\">") && text.contains("was changed after this was measured"));
}

/// A report as programs on devices leave it, of another machine.
const DEVICES: &str = r#"{"quasar_profile": 2, "program": "blur", "machine": "elsewhere", "date": 1, "wall": 9000, "left_out": 2,
"rows": [
{"kind": "kernel", "name": "blur_line3", "file": "gone.q", "line": 3, "device": "GPU </script>", "count": 4, "untimed": 0, "total": 4000, "min": 900,
 "max": 1100, "bytes": 8000, "operations": 16000, "uncounted": 0, "grid": [8, 1, 1], "block": [256, 1, 1], "samples": [900, 1100, 1000, 1000]},
{"kind": "copy", "name": "to the device", "file": "", "line": 0, "device": "GPU </script>", "count": 1, "untimed": 0, "total": 500, "min": 500,
 "max": 500, "bytes": 4000, "operations": 0, "uncounted": 1, "grid": [0, 0, 0], "block": [0, 0, 0], "samples": [500]}],
"events": [
{"kind": "copy", "name": "to the device", "file": "", "line": 0, "device": "GPU </script>", "track": "thread 1", "start": 100, "time": 500, "bytes": 4000},
{"kind": "kernel", "name": "blur_line3", "file": "gone.q", "line": 3, "device": "GPU </script>", "track": "stream", "start": 700, "time": 1000, "bytes": 2000}],
"memory": [{"device": "GPU </script>", "peak": 6000, "at": [50, 60, 8000], "in_use": [2000, 6000, 0]}]}"#;

#[test]
fn devices_have_lanes_transfers_and_memory() {
    let name = |name: &str| path(name).to_string_lossy().into_owned();
    let (report, page) = (name("devices.json"), name("devices.html"));
    std::fs::write(&report, DEVICES).expect("a report");
    let (success, _, said) = quasar(&["profile", "--html", &page, &report], &[]);
    assert!(success, "{said}");
    let text = std::fs::read_to_string(&page).expect("a page");
    check(&text);
    assert_eq!(text.matches("</script>").count(), 2, "the data and the script");
    for part in [
        r#""lanes":["thread 1","GPU \u003c/script>: copies","GPU \u003c/script>: stream"]"#,
        "8 of 256",
        "another machine (elsewhere)",
        ">2.00</td><td class=\"num\">4.00</td>",
        "The source cannot be shown",
        "id=\"Lgone-q-3\"",
        "Without the last 2 calls",
        "at most 6.0 kB",
        "aria-label=\"transfers\"",
    ] {
        assert!(text.contains(part), "no '{part}' in {text}");
    }
}

#[test]
fn pages_that_cannot_be_written_are_errors() {
    let report = path("unwritable.json").to_string_lossy().into_owned();
    std::fs::write(&report, DEVICES).expect("a report");
    let (success, _, said) = quasar(&["profile", "--html", "/no/such/folder/page.html", &report], &[]);
    assert!(!success && said.contains("the page '/no/such/folder/page.html' cannot be written"), "{said}");
    let (success, _, said) = quasar(&["profile", "--html", "page.html", "--compare", &report, &report], &[]);
    assert!(!success && said.contains("--html"), "{said}");
}

#[test]
fn reports_of_other_programs_are_not_compared() {
    let name = |name: &str| path(name).to_string_lossy().into_owned();
    let (report, other) = (name("one_program.json"), name("other_program.json"));
    std::fs::write(&report, DEVICES).expect("a report");
    let changed = DEVICES.replace("blur_line3", "sharpen_line7").replace("\"blur\"", "\"sharpen\"");
    std::fs::write(&other, changed).expect("a report");
    let (success, output, said) = quasar(&["profile", "--compare", &report, &other], &[]);
    assert!(!success && output.is_empty(), "{output}");
    assert!(
        said.contains("different programs, blur and sharpen") && said.contains("one_program.json"),
        "{said}"
    );
}

/// The timeline is drawn by a browser without a window, where there is one.
#[test]
fn the_timeline_is_drawn() {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&paths).flat_map(|path| names.map(|name| path.join(name)));
    let Some(browser) = found.find(|path| path.is_file()) else { return };
    let (report, page) = (path("drawn.json"), path("drawn.html"));
    std::fs::write(&report, DEVICES).expect("a report");
    let (report, page) = (report.to_string_lossy(), page.to_string_lossy());
    assert!(quasar(&["profile", "--html", &page, &report], &[]).0);
    // A click on a copy, closer, and a click on a title.
    let text = std::fs::read_to_string(&*page).expect("the page");
    let click = "<script>document.querySelector('#lanes rect.copy').dispatchEvent(new MouseEvent('click', { bubbles: true }));\
        document.querySelector('[data-zoom=\"0.5\"]').click();\
        document.querySelectorAll('#table th')[5].click();</script></body>";
    std::fs::write(&*page, text.replace("</body>", click)).expect("the page is written");
    let profile = format!("--user-data-dir={}", path("drawn_profile").display());
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=2000",
            "--timeout=20000",
        ])
        .args([&profile, "--dump-dom", &format!("file://{page}")])
        .output();
    let dom = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    // A browser that does not start here says nothing of the script.
    if dom.contains("</html>") {
        for part in [
            "aria-label=\"timeline\"",
            "<tr id=\"row1\" class=\"on\">",
            "<th class=\"num down\">calls</th>",
            "2.25 us to 6.75 us",
        ] {
            assert!(dom.contains(part), "no '{part}' in {dom}");
        }
        assert_eq!(dom.matches("<text class=\"lane\"").count(), 3);
    }
}

#[test]
fn the_environment_asks_for_a_report() {
    let file = program("environment.q");
    let report = path("environment.json").to_string_lossy().into_owned();
    let (success, output, said) = quasar(&["run", "--debug", &file, "2"], &[("QUASAR_PROFILE", &report)]);
    assert!(success && output == "2\n", "{output}{said}");
    let (success, shown, said) = quasar(&["profile", &report], &[]);
    assert!(success && shown.contains("main_line5"), "{shown}{said}");
    let nowhere = path("no/such/folder.json").to_string_lossy().into_owned();
    let (success, output, said) = quasar(&["run", &file, "2"], &[("QUASAR_PROFILE", &nowhere)]);
    assert!(success && output == "2\n", "{output}");
    assert!(said.contains("Warning: profile: '") && said.contains("folder.json"), "{said}");
}

#[test]
fn a_program_that_fails_is_shown_as_well() {
    let file = path("fails.q");
    std::fs::write(&file, format!("{PROGRAM}main(2)\nerror(\"enough\")\n")).expect("a program");
    let (success, output, said) = quasar(&["profile", &file.to_string_lossy()], &[]);
    assert!(!success && said.contains("enough") && output.contains("main_line5"), "{output}{said}");
}

#[test]
fn what_is_no_report_is_said() {
    let report = path("wrong.json").to_string_lossy().into_owned();
    for (text, expected) in [
        ("", "this is no report, or a damaged one: line 1: expected a value, the file ends"),
        ("{\"quasar_profile\": 1, \"rows\": [", "line 1: expected a value, the file ends"),
        ("{\"traceEvents\": []}", "this is JSON, but no report of a Quasar program"),
        ("{\"quasar_profile\": 9}", "this is a report of version 9; version 2 is read here"),
        ("{\"quasar_profile\": 2}", "the report is damaged"),
        ("function y = f(x)", "this is no report"),
    ] {
        std::fs::write(&report, text).expect("a file");
        for arguments in [vec!["profile", &report], vec!["profile", "--compare", &report, &report]] {
            let (success, output, said) = quasar(&arguments, &[]);
            assert!(!success && output.is_empty(), "{output}");
            assert!(said.contains("wrong.json") && said.contains(expected), "{said}");
        }
    }
    let (success, _, said) = quasar(&["profile", "/no/such/report.json"], &[]);
    assert!(!success && said.contains("/no/such/report.json"), "{said}");
    assert!(!quasar(&["profile", "--compare", &report], &[]).0);
    assert!(!quasar(&["profile"], &[]).0);
}
