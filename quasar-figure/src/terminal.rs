//! Figures in terminals: as an image where the terminal says that it shows images, else as characters. An image pixel is half a
//! character; curves are dots of Braille characters, and texts are texts.

use crate::draw::{self, Placed};
use crate::glyphs;
use crate::model::Figure;
use crate::raster::{self, Raster};
use crate::{Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plotters::prelude::{DrawingBackend, IntoDrawingArea};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, DrawingErrorKind};
use std::fmt::Write as _;

/// What a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Characters only.
    Characters,
    /// The images of kitty, which WezTerm and Ghostty show too.
    Kitty,
    /// The images of iTerm2.
    ITerm2,
}

impl Protocol {
    /// What the terminal of these environment variables shows.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Protocol {
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let kitty = variable("KITTY_WINDOW_ID").is_some()
            || variable("TERM").is_some_and(|term| term.contains("kitty"))
            || ["WezTerm", "ghostty"].contains(&program.as_str());
        match (kitty, program.as_str()) {
            (true, _) => Protocol::Kitty,
            (_, "iTerm.app") => Protocol::ITerm2,
            _ => Protocol::Characters,
        }
    }
}

/// Columns and rows of a terminal that figures may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Characters in a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

/// What shows a figure when it is written to the terminal.
///
/// # Errors
/// If the figure cannot be drawn.
pub fn text(figure: &Figure, protocol: Protocol, extent: Extent) -> Result<String> {
    match protocol {
        Protocol::Characters => match figure.only_image() {
            Some((picture, map)) => Ok(half_blocks(&picture.pixels(map), extent)),
            None => chart(figure, extent),
        },
        Protocol::Kitty => Ok(kitty(&raster::render(figure)?.png()?)),
        Protocol::ITerm2 => {
            let png = raster::render(figure)?.png()?;
            let data = STANDARD.encode(&png);
            Ok(format!("\x1b]1337;File=inline=1;size={}:{data}\x07\n", png.len()))
        }
    }
}

/// A PNG file in pieces of at most 4096 characters.
fn kitty(png: &[u8]) -> String {
    let data = STANDARD.encode(png);
    let pieces: Vec<&[u8]> = data.as_bytes().chunks(4096).collect();
    let mut text = String::new();
    for (place, piece) in pieces.iter().enumerate() {
        let first = if place == 0 { "a=T,f=100," } else { "" };
        let more = u8::from(place + 1 < pieces.len());
        let piece = String::from_utf8_lossy(piece);
        let _ = write!(text, "\x1b_G{first}m={more};{piece}\x1b\\");
    }
    text.push('\n');
    text
}

/// An image, two pixels in each character, made smaller where it does not fit.
fn half_blocks(pixels: &Raster, extent: Extent) -> String {
    let across = extent.columns as f64 / pixels.width as f64;
    let down = (extent.rows * 2) as f64 / pixels.height as f64;
    let scale = across.min(down).min(1.0);
    let side = |n: usize| ((n as f64 * scale).round() as usize).max(1);
    let small = pixels.resized(side(pixels.width), side(pixels.height));
    let mut cells = Cells::new(small.width, small.height.div_ceil(2));
    cells.put(&small, 0, 0);
    cells.text()
}

fn chart(figure: &Figure, extent: Extent) -> Result<String> {
    let mut cells = Cells::new(extent.columns, extent.rows);
    let mut placed: Vec<Placed> = Vec::new();
    draw::draw(&(&mut cells).into_drawing_area(), figure, &mut placed)?;
    for image in &placed {
        let (width, height) = (image.size.0 as i32, image.size.1 as i32);
        let side = |n: i32, of: i32| usize::try_from(n / of).unwrap_or_default().max(1);
        let small = image.pixels.resized(side(width, WIDE), side(height, HIGH / 2));
        cells.put(&small, (image.left / WIDE) as usize, (image.top / (HIGH / 2)) as usize);
    }
    Ok(cells.text())
}

/// The pixels of a character, so that letters of the font are one character each.
const WIDE: i32 = 8;
const HIGH: i32 = 16;
/// The pixels of a dot of a Braille character.
const DOT: i32 = 4;

/// What one character shows; later things hide earlier ones.
#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    colour: [u8; 3],
    letter: Option<char>,
    /// The pixels of an image, the upper and the lower one.
    halves: [Option<[u8; 3]>; 2],
}

/// Characters that `plotters` draws on.
struct Cells {
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
}

impl Cells {
    fn new(columns: usize, rows: usize) -> Cells {
        Cells { columns, rows, cells: vec![Cell::default(); columns * rows] }
    }

    fn at(&mut self, column: i32, row: i32) -> Option<&mut Cell> {
        let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
        if column >= self.columns { None } else { self.cells.get_mut(row * self.columns + column) }
    }

    /// Puts an image below dots and letters; `top` counts halves of characters.
    fn put(&mut self, image: &Raster, left: usize, top: usize) {
        for y in 0..image.height {
            for x in 0..image.width {
                let pixel = image.opaque(x, y);
                let (column, row) = ((left + x) as i32, ((top + y) / 2) as i32);
                let half = self.at(column, row).and_then(|cell| cell.halves.get_mut((top + y) % 2));
                if let Some(half) = half {
                    *half = Some(pixel);
                }
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for row in self.cells.chunks(self.columns.max(1)) {
            let filled = row.iter().rposition(|cell| !cell.shown().0.is_whitespace()).map_or(0, |at| at + 1);
            let mut colours = String::new();
            for cell in row.iter().take(filled) {
                let (shown, wanted) = cell.shown();
                if wanted != colours {
                    text.push_str(if wanted.is_empty() { "\x1b[0m" } else { &wanted });
                    colours = wanted;
                }
                text.push(shown);
            }
            text.push_str(if colours.is_empty() { "\n" } else { "\x1b[0m\n" });
        }
        text
    }
}

/// The sequence for a colour of letters (38) or of the background (48).
fn sequence(which: u8, [r, g, b]: [u8; 3]) -> String {
    format!("\x1b[{which};2;{r};{g};{b}m")
}

impl Cell {
    /// The character and the sequence for its colours, which is empty for those of the terminal.
    fn shown(&self) -> (char, String) {
        // Black is what the terminal writes with, whatever its background is.
        let ink = |colour: [u8; 3]| if colour == [0; 3] { String::new() } else { sequence(38, colour) };
        if let Some(letter) = self.letter {
            return (letter, String::new());
        }
        if self.dots != 0 {
            let shown = char::from_u32(0x2800 + u32::from(self.dots)).unwrap_or('.');
            let behind = self.halves[0].or(self.halves[1]).map(|colour| sequence(48, colour));
            return (shown, format!("\x1b[0m{}{}", behind.unwrap_or_default(), ink(self.colour)))
                .plain_if_black(self);
        }
        match self.halves {
            [None, None] => (' ', String::new()),
            [Some(upper), None] => ('▀', format!("\x1b[0m{}", sequence(38, upper))),
            [None, Some(lower)] => ('▄', format!("\x1b[0m{}", sequence(38, lower))),
            [Some(upper), Some(lower)] => ('▀', sequence(38, upper) + &sequence(48, lower)),
        }
    }
}

/// Dots in the colours of the terminal need no sequence.
trait PlainIfBlack {
    fn plain_if_black(self, cell: &Cell) -> Self;
}

impl PlainIfBlack for (char, String) {
    fn plain_if_black(self, cell: &Cell) -> Self {
        if cell.colour == [0; 3] && cell.halves == [None, None] { (self.0, String::new()) } else { self }
    }
}

type Drawn = std::result::Result<(), DrawingErrorKind<Error>>;

impl DrawingBackend for &mut Cells {
    type ErrorType = Error;

    fn get_size(&self) -> (u32, u32) {
        ((self.columns as i32 * WIDE) as u32, (self.rows as i32 * HIGH) as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        let (r, g, b) = colour.rgb;
        // The bits of the dots of a Braille character, row by row.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let (column, row) = (x.rem_euclid(WIDE) / DOT, y.rem_euclid(HIGH) / DOT);
        let bit =
            BITS.get(row as usize).and_then(|row| row.get(column as usize)).copied().unwrap_or_default();
        let Some(cell) = self.at(x.div_euclid(WIDE), y.div_euclid(HIGH)) else { return Ok(()) };
        if (r, g, b) == (255, 255, 255) && colour.alpha > 0.5 {
            *cell = Cell { halves: cell.halves, ..Cell::default() };
        } else if colour.alpha > 0.3 {
            cell.dots |= bit;
            cell.colour = [r, g, b];
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, pos: BackendCoord) -> Drawn {
        let turn = style.transform();
        let length = text.chars().count() as i32;
        let before = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Right => -length * WIDE,
            HPos::Center => -length * WIDE / 2,
        };
        let below = match style.anchor().v_pos {
            VPos::Top => HIGH / 2,
            VPos::Center => 0,
            VPos::Bottom => -HIGH / 2,
        };
        let (x, y) = turn.transform(before + WIDE / 2, below);
        let (step_x, step_y) = turn.transform(1, 0);
        let (column, row) = ((pos.0 + x).div_euclid(WIDE), (pos.1 + y).div_euclid(HIGH));
        // Turned texts stand upright, one letter below the other.
        let (column, row) = if step_y == 0 { (column, row) } else { (column, pos.1 / HIGH - length / 2) };
        for (place, letter) in (0..).zip(text.chars()) {
            let cell = if step_y == 0 {
                self.at(column + place * step_x, row)
            } else {
                self.at(column, row + place)
            };
            if let Some(cell) = cell {
                cell.letter = Some(if letter.is_control() { '?' } else { letter });
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        _style: &S,
    ) -> std::result::Result<(u32, u32), DrawingErrorKind<Error>> {
        let (width, height) = glyphs::extent(text, f64::from(HIGH));
        Ok((width as u32, height as u32))
    }
}
