//! What tools ask about a program while it is written: tokens, symbols, definitions and references, types, signatures, completions and
//! what became of loops. Pure functions over a text and its compilation; a text with errors is answered as far as it can be parsed.
//!
//! Names are bound over the trees as they were written ([`names`]), types come from the analysis ([`types`]), reasons for loops from
//! the messages of the passes ([`loops`]).

pub mod completion;
pub mod loops;
pub mod names;
pub mod outcome;
pub mod outline;
pub mod signatures;
pub mod tokens;
pub mod tuning;
pub mod types;

use crate::driver::{self, Compilation, Options};
use crate::message::{Message, Sink};
use crate::source::{FileId, SourceProvider, Span};
use crate::syntax::ast::{Module, NodeIds};
use crate::syntax::lexer::{comments, lex_lines};
use crate::syntax::token::Token;
use crate::syntax::{ParseOptions, parse};
use loops::LoopNote;
use names::Names;
use types::Index;

/// A text with all that is known about it.
#[derive(Debug)]
pub struct Document {
    /// The compilation up to the analysis.
    pub compilation: Compilation,
    /// The file of the text.
    pub root: FileId,
    /// The trees of the text and of what it imports, as written, without expansions; in load order.
    pub trees: Vec<Module>,
    /// The tokens of the text, line ends included.
    pub tokens: Vec<Token>,
    /// Its comments, as ranges of bytes.
    pub comments: Vec<(u32, u32)>,
    /// What its names mean.
    pub names: Names,
    /// All messages: those of the analysis or, if the passes ran, of all phases.
    pub messages: Vec<Message>,
    /// What became of loops, if the passes ran.
    pub loops: Vec<LoopNote>,
    /// Where types are found.
    index: Index,
}

impl Document {
    /// Reads and analyses a text; the passes do not run.
    pub fn inspect(name: &str, text: &str, provider: &dyn SourceProvider, options: &Options) -> Document {
        let compilation = driver::inspect(name, text, provider, options);
        let root = FileId(0);
        let trees = compilation.unit.modules.iter().map(|each| {
            let file = each.module.file;
            let text = &compilation.sources.file(file).text;
            parse(file, text, &mut NodeIds::default(), &mut Sink::default())
        });
        let trees: Vec<Module> = trees.collect();
        let tokens = lex_lines(root, text, ParseOptions::default(), &mut Sink::default());
        let comments = comments(text, &tokens);
        let imports: Vec<Vec<usize>> =
            compilation.unit.modules.iter().map(|each| each.imports.clone()).collect();
        let index = Index::of(&compilation);
        let names = Names::bind(&trees, &imports, &|span| types::classes_at(&compilation, &index, span));
        let messages = compilation.messages.clone();
        Document { compilation, root, trees, tokens, comments, names, messages, loops: Vec::new(), index }
    }

    /// As [`Document::inspect`], with the messages of the passes as well, unless there are errors before.
    pub fn check(name: &str, text: &str, provider: &dyn SourceProvider, options: &Options) -> Document {
        let mut document = Document::inspect(name, text, provider, options);
        if !document.messages.iter().any(|message| message.category.is_error()) {
            let options = Options { optimise: false, check: true, ..options.clone() };
            document.messages = driver::compile(name, text, provider, &options).messages;
            document.loops = loops::notes(&document);
        }
        document
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.compilation.sources.file(self.root).text
    }

    /// The tree of the text.
    pub fn tree(&self) -> Option<&Module> {
        self.trees.iter().find(|tree| tree.file == self.root)
    }

    /// The text of a span in any of the files.
    pub fn slice(&self, span: Span) -> &str {
        self.compilation.sources.text(span)
    }

    /// The word at a place of the text: a name, a keyword or a meta name. A place directly behind it counts.
    pub fn word_at(&self, offset: u32) -> Option<Token> {
        use crate::syntax::token::TokenKind::{Ident, Keyword, Meta};
        let mut found = self.tokens.iter().filter(|token| token.start <= offset && offset <= token.end);
        found.rfind(|token| matches!(token.kind, Ident | Meta | Keyword(_))).copied()
    }
}

/// Whether a span holds a place; the end counts.
fn holds(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}
