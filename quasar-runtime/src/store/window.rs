//! The elements of an array for a launch: all of them as usual, or, of a stored array, those that the strip of positions uses.

use crate::array::{Intervals, ReadGuard, StoredWindow, WriteGuard};
use crate::error::{Error, Result};
use quasar_devicelib::element::Element;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The elements of an array while a launch goes strip by strip.
pub struct Rows<'a, T: Element>(Access<'a, T>);

enum Access<'a, T: Element> {
    Read(ReadGuard<'a, T>),
    Written(WriteGuard<'a, T>),
    Window(StoredWindow<'a, T>),
}

impl<'a, T: Element> Rows<'a, T> {
    pub(crate) fn read(guard: ReadGuard<'a, T>) -> Self {
        Rows(Access::Read(guard))
    }

    pub(crate) fn written(guard: WriteGuard<'a, T>) -> Self {
        Rows(Access::Written(guard))
    }

    pub(crate) fn window(window: StoredWindow<'a, T>) -> Self {
        Rows(Access::Window(window))
    }
}

impl<T: Element> Deref for Rows<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Access::Read(guard) => guard,
            Access::Written(guard) => guard,
            Access::Window(window) => window.elements(),
        }
    }
}

impl<T: Element> DerefMut for Rows<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            // Launches write what they asked to write.
            Access::Read(_) => &mut [],
            Access::Written(guard) => guard,
            Access::Window(window) => window.elements_mut(),
        }
    }
}

impl<T: Element> fmt::Debug for Rows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Access::Read(_) => "Read",
            Access::Written(_) => "Written",
            Access::Window(_) => "Window",
        };
        f.debug_tuple("Rows").field(&kind).finish()
    }
}

/// The elements of an array whatever their type, as strips move over them.
pub trait Paged {
    /// Has these rows in memory and no others. Those that are new are read, unless all of them are going to be written.
    #[doc(hidden)]
    fn move_to(&mut self, needs: &RowSet, reads: bool) -> Result<()>;
    /// Writes rows to the store.
    #[doc(hidden)]
    fn store(&mut self, rows: &RowSet) -> Result<()>;
}

/// Rows of an array.
#[derive(Clone, Debug)]
pub struct RowSet(pub(crate) Intervals);

impl<T: Element> Paged for Rows<'_, T> {
    fn move_to(&mut self, needs: &RowSet, reads: bool) -> Result<()> {
        self.windowed()?.move_to(&needs.0, reads)
    }

    fn store(&mut self, rows: &RowSet) -> Result<()> {
        self.windowed()?.store(&rows.0)
    }
}

impl<'a, T: Element> Rows<'a, T> {
    fn windowed(&mut self) -> Result<&mut StoredWindow<'a, T>> {
        match &mut self.0 {
            Access::Window(window) => Ok(window),
            _ => Err(Error::system("strips of an array that is in memory as a whole")),
        }
    }
}
