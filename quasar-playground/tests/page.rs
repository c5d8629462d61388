//! The page in a browser without a window: the first example runs, mistakes are marked, endless programs stop, links hold programs, and
//! programs find the photograph. It needs Chromium and a site: `.ci/site FOLDER`, then `QUASAR_SITE=FOLDER`; otherwise it is ignored.

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time for everything, on a slow machine.
const PATIENCE: Duration = Duration::from_secs(300);
const DRIVER: &str = include_str!("page_driver.js");

fn browser() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut found = std::env::split_paths(&paths).flat_map(|path| names.map(|name| path.join(name)));
    found.find(|path| path.is_file())
}

fn site() -> Option<PathBuf> {
    let page = PathBuf::from(std::env::var_os("QUASAR_SITE")?).join("book/html/playground");
    page.join("module.js").is_file().then_some(page)
}

fn main() {
    let arguments = Arguments::from_args();
    let (browser, page) = (browser(), site());
    let kind = match (&browser, &page) {
        (None, _) => "Chromium is not installed",
        (_, None) => "QUASAR_SITE names no site with a playground",
        _ => "",
    };
    let test = move || check(&browser.ok_or("no browser")?, &page.ok_or("no page")?);
    let trial =
        Trial::test("the_page_runs_programs", test).with_kind(kind).with_ignored_flag(!kind.is_empty());
    libtest_mimic::run(&arguments, vec![trial]).exit();
}

/// A browser that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Copies the page, with a script that uses it and sends what it sees.
fn prepared(page: &Path, port: u16) -> std::io::Result<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("page");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("files"))?;
    for inside in ["", "files"] {
        for entry in fs::read_dir(page.join(inside))?.flatten().filter(|entry| entry.path().is_file()) {
            fs::copy(entry.path(), folder.join(inside).join(entry.file_name()))?;
        }
    }
    let html = fs::read_to_string(folder.join("index.html"))?;
    fs::write(folder.join("driver.js"), DRIVER.replace("PORT", &port.to_string()))?;
    fs::write(
        folder.join("index.html"),
        html.replace("</body>", "<script src=\"driver.js\"></script></body>"),
    )?;
    Ok(folder)
}

fn check(browser: &Path, page: &Path) -> Result<(), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let folder = prepared(page, listener.local_addr()?.port())?;
    let _ = fs::remove_dir_all(folder.join("profile"));
    let child = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", folder.join("index.html").display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let _running = Running(child);
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match listener.accept() {
            Ok((stream, _)) => return seen(&received(stream)?),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    Err(Failed::from("the page sent nothing"))
}

/// The body of a request; the answer is empty.
fn received(mut stream: TcpStream) -> std::io::Result<Value> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                stream.write_all(b"HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\r\n")?;
                return serde_json::from_str(body).map_err(std::io::Error::other);
            }
        }
        match stream.read(&mut part)? {
            0 => return Err(std::io::Error::other("the request ended early")),
            read => bytes.extend(part.iter().take(read)),
        }
    }
}

/// Compares what the script saw.
fn seen(answer: &Value) -> Result<(), Failed> {
    for (what, part) in [
        ("failed", "null"),
        ("first", "reach 4: error 0."),
        ("firstState", "Done in "),
        ("firstFigures", "1"),
        ("colours", "true"),
        ("marked", "value"),
        ("message", "unknown name 'value'"),
        ("excerpt", "^^^^^"),
        ("stopped", "Stopped after "),
        ("endless", "on and on"),
        ("link", "42"),
        ("runError", "^"),
        ("runErrorLine", "2"),
        ("photograph", "[256,256]"),
        ("photographFigures", "2"),
        ("deep", "error"),
        ("afterDeep", "3"),
    ] {
        let found = match &answer[what] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if !found.contains(part) {
            return Err(format!("{what}: no '{part}' in '{found}'\n{answer:#}").into());
        }
    }
    Ok(())
}
