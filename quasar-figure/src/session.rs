//! The figures of a program, and what its calls do to them. A figure is shown when the next picture takes its place, when the program
//! asks for it (`drawnow`), and at the end.

use crate::colour::ColourMap;
use crate::display::{Display, Output, Pages};
use crate::model::{Axes, Figure, Layer};
use crate::{Error, Result};
use std::collections::BTreeMap;

/// The most axes at a side of a figure.
const MOST_AXES: usize = 32;

/// A figure of a program.
#[derive(Debug, Default)]
struct Entry {
    figure: Figure,
    /// Which axes the next call changes.
    at: usize,
    /// Whether something has changed since it was shown.
    changed: bool,
}

impl Entry {
    fn axes(&mut self) -> &mut Axes {
        self.changed = true;
        self.figure.axes.entry(self.at).or_default()
    }
}

/// The figures of a program.
#[derive(Debug)]
pub struct Session {
    display: Display,
    figures: BTreeMap<i64, Entry>,
    current: i64,
    pages: Pages,
}

impl Session {
    /// A program without figures.
    pub fn new(display: Display) -> Session {
        Session { display, figures: BTreeMap::new(), current: 0, pages: Pages::default() }
    }

    /// Where figures are shown from now on.
    pub fn set_display(&mut self, display: Display) {
        self.display = display;
    }

    /// The current figure, made if there is none.
    fn entry(&mut self) -> &mut Entry {
        if self.current == 0 {
            self.current = 1;
        }
        self.figures.entry(self.current).or_default()
    }

    /// The current axes.
    pub fn axes(&mut self) -> &mut Axes {
        self.entry().axes()
    }

    /// Makes a figure the current one: that of the number, or a new one.
    ///
    /// # Errors
    /// If the number is not positive.
    pub fn figure(&mut self, number: Option<i64>) -> Result<i64> {
        let next = self.figures.last_key_value().map_or(1, |(last, _)| last.saturating_add(1));
        let number = number.unwrap_or(next);
        if number < 1 {
            return Err(Error::Argument(format!("figures have the numbers 1, 2, .., found {number}")));
        }
        self.current = number;
        self.entry();
        Ok(number)
    }

    /// Adds layers to the current axes, which are emptied first unless they hold what they have. The result is the number of the
    /// figure.
    ///
    /// # Errors
    /// If the picture that was there cannot be shown.
    pub fn add(&mut self, layers: Vec<Layer>, output: &mut dyn Output) -> Result<i64> {
        let entry = self.entry();
        let there = entry.figure.axes.get(&entry.at);
        if there.is_some_and(|axes| !axes.hold && !axes.layers.is_empty()) {
            if entry.changed {
                self.show(self.current, output)?;
            }
            *self.axes() = Axes::default();
        }
        self.axes().layers.extend(layers);
        Ok(self.current)
    }

    /// Goes to axes of a grid, counted from 1 row after row. Another grid than before begins an empty figure.
    ///
    /// # Errors
    /// If the grid has no such axes, or is too large.
    pub fn subplot(
        &mut self,
        rows: usize,
        columns: usize,
        place: usize,
        output: &mut dyn Output,
    ) -> Result<()> {
        let sides = 1..=MOST_AXES;
        if !sides.contains(&rows) || !sides.contains(&columns) || place == 0 || place > rows * columns {
            return Err(Error::Argument(format!(
                "a grid has 1 to {MOST_AXES} rows and columns, and axes 1 to rows * columns; found {rows}, {columns}, {place}"
            )));
        }
        if self.entry().figure.grid != (rows, columns) {
            let number = self.current;
            if self.figures.get(&number).is_some_and(|entry| entry.changed) {
                self.show(number, output)?;
            }
            self.entry().figure = Figure { grid: (rows, columns), axes: BTreeMap::new() };
        }
        self.entry().at = place - 1;
        Ok(())
    }

    /// What makes colours of gray images in the current axes.
    ///
    /// # Errors
    /// If the colour map is unknown.
    pub fn colour_map(&mut self, name: &str) -> Result<()> {
        self.axes().colour_map = ColourMap::named(name)?;
        Ok(())
    }

    /// Shows what has changed in a figure.
    fn show(&mut self, number: i64, output: &mut dyn Output) -> Result<()> {
        let Some(entry) = self.figures.get_mut(&number) else { return Ok(()) };
        // Also if it fails: it would fail again.
        entry.changed = false;
        if entry.figure.is_empty() {
            return Ok(());
        }
        self.display.show(number, &entry.figure, &mut self.pages, output)
    }

    /// Shows all figures that have changed.
    ///
    /// # Errors
    /// That of the first figure that cannot be shown; the others are shown.
    pub fn show_changed(&mut self, output: &mut dyn Output) -> Result<()> {
        let changed: Vec<i64> =
            self.figures.iter().filter(|(_, entry)| entry.changed).map(|(number, _)| *number).collect();
        let mut result = Ok(());
        for number in changed {
            let shown = self.show(number, output);
            result = result.and(shown);
        }
        result
    }
}
