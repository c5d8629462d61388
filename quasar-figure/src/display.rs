//! Where figures are shown.

use crate::model::Figure;
use crate::terminal::{self, Extent, Protocol};
use crate::{Error, Result, raster, vector};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The environment variable that chooses a display.
pub const VARIABLE: &str = "QUASAR_DISPLAY";
/// The folder of figures, where nothing else was chosen.
const FOLDER: &str = "figures";

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Pixels.
    Png,
    /// Shapes.
    Svg,
    /// One page with all figures.
    Html,
}

/// Where figures are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Display {
    /// As files in a folder, which is made when it is needed.
    Files(PathBuf, Format),
    /// In the terminal of the program.
    Terminal(Protocol, Extent),
    /// As SVG, given to the program that embeds this one.
    Embedder,
    /// Nowhere.
    None,
}

impl Display {
    /// What a text chooses: `file:FOLDER` (PNG), `svg:FOLDER`, `html:FOLDER`, `terminal`, `none`; `auto` is the terminal if the
    /// program writes to one, else files in the folder `figures`.
    ///
    /// # Errors
    /// For every other text.
    pub fn parse(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
        is_terminal: bool,
    ) -> Result<Display> {
        let (word, folder) = text.split_once(':').unwrap_or((text, ""));
        let folder = PathBuf::from(if folder.is_empty() { FOLDER } else { folder });
        let shown = || {
            let number = |name: &str, otherwise: usize| {
                variable(name).and_then(|text| text.trim().parse().ok()).unwrap_or(otherwise).clamp(20, 400)
            };
            let extent = Extent { columns: number("COLUMNS", 80), rows: number("LINES", 25) - 1 };
            Display::Terminal(Protocol::of_environment(&variable), extent)
        };
        match word.trim() {
            "file" | "png" => Ok(Display::Files(folder, Format::Png)),
            "svg" => Ok(Display::Files(folder, Format::Svg)),
            "html" => Ok(Display::Files(folder, Format::Html)),
            "terminal" => Ok(shown()),
            "none" => Ok(Display::None),
            "auto" | "" if is_terminal => Ok(shown()),
            "auto" | "" => Ok(Display::Files(folder, Format::Png)),
            _ => Err(Error::Argument(format!(
                "{VARIABLE}: '{text}' is no display; use auto, terminal, file:FOLDER, svg:FOLDER, html:FOLDER or none"
            ))),
        }
    }

    /// What the environment of this process chooses.
    ///
    /// # Errors
    /// As [`Display::parse`].
    pub fn of_environment() -> Result<Display> {
        let variable = |name: &str| std::env::var(name).ok();
        let chosen = variable(VARIABLE).unwrap_or_default();
        Display::parse(&chosen, variable, io::IsTerminal::is_terminal(&io::stdout()))
    }
}

/// What a display writes to.
pub trait Output {
    /// Writes to the terminal.
    ///
    /// # Errors
    /// Of the terminal.
    fn print(&mut self, text: &str) -> io::Result<()>;
    /// Says in one line what is shown where.
    fn note(&mut self, line: &str);
    /// Gives a figure to the embedder: its number, SVG, and what its image does not show exactly.
    ///
    /// # Errors
    /// If there is no embedder that takes figures.
    fn picture(&mut self, _number: i64, _svg: &str, _loss: &str) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "nobody takes figures here"))
    }
}

/// The output of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console;

impl Output for Console {
    fn print(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout();
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    }

    fn note(&mut self, line: &str) {
        // There is nobody else to tell.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// The files that this process has written.
static WRITTEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The first file of a name, `NAME.png`, `NAME-2.png`, .., that this process has not written yet.
fn unused(folder: &Path, name: &str, extension: &str) -> PathBuf {
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let numbered = |number: usize| match number {
        1 => folder.join(format!("{name}.{extension}")),
        _ => folder.join(format!("{name}-{number}.{extension}")),
    };
    let mut number = 1;
    while written.contains(&numbered(number)) {
        number += 1;
    }
    let file = numbered(number);
    written.insert(file.clone());
    file
}

fn write(file: &Path, contents: &[u8]) -> Result<()> {
    let failed = |path: &Path, cause| Error::File { path: path.display().to_string(), cause };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|cause| failed(folder, cause))?;
    }
    quasar_files::replace::replace(file, contents).map_err(|cause| failed(file, cause))
}

/// Pages that hold the figures shown so far.
#[derive(Debug, Default)]
pub struct Pages {
    file: Option<PathBuf>,
    figures: Vec<(String, String)>,
}

impl Display {
    /// Shows a figure and says where.
    ///
    /// # Errors
    /// If the figure cannot be drawn or written.
    pub fn show(
        &self,
        number: i64,
        figure: &Figure,
        pages: &mut Pages,
        output: &mut dyn Output,
    ) -> Result<()> {
        let lost = figure.loss().unwrap_or_default();
        if *self == Display::Embedder {
            let failed = |cause| Error::File { path: "the picture".into(), cause };
            return output.picture(number, &vector::svg(figure)?, &lost).map_err(failed);
        }
        let lost = if lost.is_empty() { lost } else { format!(" ({lost})") };
        let name = format!("figure-{number}");
        let place = match self {
            Display::None | Display::Embedder => "not shown".to_owned(),
            Display::Terminal(protocol, extent) => {
                let text = terminal::text(figure, *protocol, *extent)?;
                let failed = |cause| Error::File { path: "the terminal".into(), cause };
                output.print(&text).map_err(failed)?;
                "terminal".to_owned()
            }
            Display::Files(folder, Format::Png) => {
                let pixels = raster::render(figure)?;
                let file = unused(folder, &name, "png");
                write(&file, &pixels.png()?)?;
                format!("{} ({}x{})", file.display(), pixels.width, pixels.height)
            }
            Display::Files(folder, Format::Svg) => {
                let text = vector::svg(figure)?;
                let file = unused(folder, &name, "svg");
                write(&file, text.as_bytes())?;
                file.display().to_string()
            }
            Display::Files(folder, Format::Html) => {
                pages.figures.push((format!("figure {number}{lost}"), vector::svg(figure)?));
                let file = pages.file.get_or_insert_with(|| unused(folder, "figures", "html"));
                write(file, vector::page(&pages.figures).as_bytes())?;
                file.display().to_string()
            }
        };
        output.note(&format!("figure {number}: {place}{lost}"));
        Ok(())
    }
}
