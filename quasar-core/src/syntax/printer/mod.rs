//! Prints a tree as canonical Quasar source, which parses to the same tree.

mod expressions;
mod statements;

use super::ast::*;
use super::operators::Level;

/// A whole file.
pub fn print(module: &Module) -> String {
    let mut printer = Printer::new(false);
    printer.short = module.endings == Endings::Short;
    printer.module(module);
    printer.out
}

/// One statement with its block, in long form.
pub fn print_stmt(stmt: &Stmt) -> String {
    let mut printer = Printer::new(false);
    printer.statement(stmt);
    printer.out
}

/// An expression with canonical spacing: `(p + q) * 2`.
pub fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::new(false);
    printer.expr(expr, Level::Lowest);
    printer.out
}

/// An expression without spaces, as `$str` gives it: `(p+q)*2`.
pub fn print_compact(expr: &Expr) -> String {
    let mut printer = Printer::new(true);
    printer.expr(expr, Level::Lowest);
    printer.out
}

/// A type: `mat[int](:,3)'const`.
pub fn print_type(ty: &TypeExpr) -> String {
    let mut printer = Printer::new(false);
    printer.type_expr(ty);
    printer.out
}

struct Printer {
    out: String,
    indent: usize,
    compact: bool,
    short: bool,
}

impl Printer {
    fn new(compact: bool) -> Printer {
        Printer { out: String::new(), indent: 0, compact, short: false }
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// A sign surrounded by spaces, except in compact form.
    fn spaced(&mut self, text: &str) {
        let blank = if self.compact { "" } else { " " };
        self.out.extend([blank, text, blank]);
    }

    fn comma(&mut self) {
        self.put(if self.compact { "," } else { ", " });
    }

    fn list<T>(&mut self, items: &[T], mut f: impl FnMut(&mut Self, &T)) {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.comma();
            }
            f(self, item);
        }
    }

    /// The output of `f`, as a separate string.
    fn apart(&mut self, f: impl FnOnce(&mut Self)) -> String {
        let start = self.out.len();
        f(self);
        self.out.split_off(start)
    }
}
