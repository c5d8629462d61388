//! From source text to the syntax tree: lexer, parser, tree utilities, and the printer.

pub mod ast;
pub mod change;
pub mod compare;
pub mod formatter;
pub mod lexer;
pub mod made;
mod messages;
pub mod node_map;
pub mod operators;
pub mod parser;
pub mod printer;
pub mod token;
pub mod walk;

pub use parser::{ParseOptions, parse, parse_expression, parse_type, parse_with};
pub use printer::{print, print_compact, print_expr, print_stmt, print_type};
