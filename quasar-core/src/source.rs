//! Source files, spans in them, and where imported modules come from. No I/O: a [`SourceProvider`] reads files.

pub mod library;

/// The file of a [`Span`]; an index into the [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A range of bytes `start..end` in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; `other` must be in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name in messages, such as a path or `<inline>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// The number of lines of an enclosing file before this text, so that line numbers refer to that file.
    pub first_line: u32,
    /// Byte offsets of line starts.
    starts: Vec<usize>,
}

/// All source files of a unit.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file whose first line is line 1.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.add_at(name, text, 0)
    }

    /// Adds text that begins after `first_line` lines of the file it is embedded in.
    pub fn add_at(&mut self, name: impl Into<String>, text: impl Into<String>, first_line: u32) -> FileId {
        let (name, text) = (name.into(), text.into());
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(k, _)| k + 1)).collect();
        self.files.push(SourceFile { name, text, first_line, starts });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Ids and files in load order.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(k, f)| (FileId(k as u32), f))
    }

    /// Line and column (both from 1, columns in characters) of a byte offset.
    pub fn line_column(&self, file: FileId, offset: u32) -> (u32, u32) {
        let file = self.file(file);
        let mut offset = (offset as usize).min(file.text.len());
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = file.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|k| file.starts.get(k)).copied().unwrap_or(0);
        let column = file.text[start..offset].chars().count() as u32 + 1;
        (line as u32 + file.first_line, column)
    }

    /// The text a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// Provides the text of imported modules; the compiler itself opens no files.
pub trait SourceProvider {
    /// The text of `import "name"` in the file `from`, and its name in messages; `None` if there is no such module
    /// outside the built-in library.
    ///
    /// # Errors
    /// Why an existing module cannot be read.
    fn load(&self, name: &str, from: &str) -> Result<Option<(String, String)>, String>;
}

/// A provider for programs that import only library modules.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImports;

impl SourceProvider for NoImports {
    fn load(&self, _name: &str, _from: &str) -> Result<Option<(String, String)>, String> {
        Ok(None)
    }
}

/// Searches imports in folders: first that of the importing file, then a list. `read` returns the text of a path,
/// `None` if it does not exist, or why it cannot be read.
#[derive(Clone, Debug)]
pub struct SearchPath<R> {
    /// Folders to search after that of the importing file.
    pub folders: Vec<std::path::PathBuf>,
    /// Reads a file.
    pub read: R,
}

impl<R: Fn(&std::path::Path) -> Result<Option<String>, String>> SourceProvider for SearchPath<R> {
    fn load(&self, name: &str, from: &str) -> Result<Option<(String, String)>, String> {
        let beside = std::path::Path::new(from).parent().map(std::path::Path::to_path_buf);
        for folder in beside.iter().chain(&self.folders) {
            let path = folder.join(name);
            if let Some(text) = (self.read)(&path)? {
                return Ok(Some((text, path.to_string_lossy().into_owned())));
            }
        }
        Ok(None)
    }
}
