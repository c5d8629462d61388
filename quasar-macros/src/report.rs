//! Converts compiler messages to rustc diagnostics: an error becomes a `compile_error!`, a warning or remark the use of
//! a deprecated item, each with the span of the token it refers to.

use crate::source_text::{Refusal, Source};
use crate::tokens::touched;
use proc_macro2::{Span, TokenStream};
use quasar_core::message::render::{Style, snippet};
use quasar_core::message::{Category, Message};
use quasar_core::source::{FileId, SourceMap};
use quote::{format_ident, quote, quote_spanned};

/// Which messages besides errors are shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Errors,
    Warnings,
    All,
}

impl Level {
    /// The level that `QUASAR_MESSAGES` sets.
    pub(crate) fn from_environment() -> Level {
        Level::of(std::env::var("QUASAR_MESSAGES").ok().as_deref())
    }

    fn of(word: Option<&str>) -> Level {
        match word {
            Some("off") => Level::Errors,
            Some("all") => Level::All,
            _ => Level::Warnings,
        }
    }

    fn shows(self, category: Category) -> bool {
        match category {
            Category::Error | Category::Limitation | Category::Bug => true,
            Category::Warning => self >= Level::Warnings,
            Category::PerformanceWarning
            | Category::Optimization
            | Category::Reduction
            | Category::Information => self == Level::All,
        }
    }
}

/// An error at a span of the Rust file, for a call that cannot be compiled at all.
pub(crate) fn refuse(refusal: &Refusal) -> TokenStream {
    error(&refusal.text, refusal.span, refusal.span)
}

fn error(text: &str, first: Span, last: Span) -> TokenStream {
    // rustc underlines from the first token of the macro call to the last.
    let path = quote_spanned!(first=> ::std::compile_error!);
    let argument = quote_spanned!(last=> { #text });
    quote!(#path #argument)
}

/// All messages that the level shows.
pub(crate) fn report(
    messages: &[Message],
    sources: &SourceMap,
    source: &Source,
    level: Level,
) -> TokenStream {
    let shown = messages.iter().filter(|message| level.shows(message.category));
    shown.map(|message| one(message, sources, source)).collect()
}

fn one(message: &Message, sources: &SourceMap, source: &Source) -> TokenStream {
    let span = message.primary.span;
    let (places, whole) = match span.file {
        FileId(0) => (&source.places[..], source.span),
        FileId(k) => {
            let given = source.given.get(k as usize - 1);
            given.map_or((&[][..], source.span), |given| (&given.places, given.span))
        }
    };
    let at_token = touched(places, span.start as usize, span.end as usize);
    let (text, first, last) = match at_token {
        Some((first, last)) => (sentence(message, sources), first, last),
        None => {
            // rustc adds the heading itself.
            let shown = snippet(message, sources, Style::Plain);
            let excerpt = shown.split_once('\n').map_or("", |(_, rest)| rest);
            let text = format!("{}\n{}", headline(message), excerpt.trim_end());
            (text, whole, whole)
        }
    };
    if message.category.is_error() {
        return error(&text, first, last);
    }
    let name = match message.category {
        Category::Optimization => "quasar_optimization",
        Category::PerformanceWarning => "quasar_performance",
        Category::Reduction | Category::Information => "quasar_information",
        _ => "quasar_warning",
    };
    let name = format_ident!("{}", name, span = first);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            #name
        };
    }
}

fn headline(message: &Message) -> String {
    let bug = if message.category == Category::Bug { "Bug in Quasar: " } else { "" };
    format!("{bug}{} [{}]", message.text, message.code.0)
}

/// The message as text; rustc shows the location.
fn sentence(message: &Message, sources: &SourceMap) -> String {
    let mut text = headline(message);
    if !message.primary.text.is_empty() {
        text += &format!("\n      here: {}", message.primary.text);
    }
    for label in &message.related {
        let (line, column) = sources.line_column(label.span.file, label.span.start);
        let name = &sources.file(label.span.file).name;
        text += &format!("\n      {name}:{line}:{column}: {}", label.text);
    }
    for help in &message.help {
        text += &format!("\nhelp: {help}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_chooses_what_is_said_besides_errors() {
        let shown = |word| {
            let level = Level::of(word);
            [Category::Error, Category::Limitation, Category::Warning, Category::Optimization]
                .map(|category| level.shows(category))
        };
        assert_eq!(shown(Some("off")), [true, true, false, false]);
        assert_eq!(shown(None), [true, true, true, false]);
        assert_eq!(shown(Some("warnings")), [true, true, true, false]);
        assert_eq!(shown(Some("all")), [true; 4]);
    }
}
