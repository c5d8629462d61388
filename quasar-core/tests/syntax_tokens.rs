//! Each kind of token, and each level of precedence.

use quasar_core::message::Sink;
use quasar_core::source::FileId;
use quasar_core::syntax::ast::{Expr, NodeIds};
use quasar_core::syntax::compare::same_expr;
use quasar_core::syntax::lexer::lex;
use quasar_core::syntax::token::{Keyword, Sign, TokenKind};
use quasar_core::syntax::{ParseOptions, parse_expression, parse_with, print, print_compact};

fn kinds(text: &str) -> Vec<TokenKind> {
    let mut sink = Sink::default();
    let tokens = lex(FileId(0), text, ParseOptions::default(), &mut sink);
    assert!(sink.is_empty(), "{text}: {:?}", sink.messages());
    tokens.iter().map(|t| t.kind).filter(|k| *k != TokenKind::End).collect()
}

fn expr(text: &str) -> Expr {
    let mut sink = Sink::default();
    let e = parse_expression(FileId(0), text, &mut NodeIds::default(), &mut sink);
    assert!(sink.is_empty(), "{text}: {:?}", sink.messages());
    e
}

#[test]
fn numbers() {
    use TokenKind::{Float, Imaginary, Int};
    let int = |n| vec![Int(n)];
    assert_eq!(kinds("0"), int(0));
    assert_eq!(kinds("1011b"), int(11));
    assert_eq!(kinds("11B"), int(3));
    assert_eq!(kinds("755o"), int(0o755));
    assert_eq!(kinds("1Fh"), int(0x1F));
    assert_eq!(kinds("0FFH"), int(0xFF));
    assert_eq!(kinds("0E5h"), int(0xE5));
    assert_eq!(kinds("1."), [Float(1.0)]);
    assert_eq!(kinds(".5"), [Float(0.5)]);
    assert_eq!(kinds("1e-3"), [Float(1e-3)]);
    assert_eq!(kinds("7.1E4"), [Float(7.1e4)]);
    assert_eq!(kinds("1j"), [Imaginary(1.0)]);
    assert_eq!(kinds("2.5i"), [Imaginary(2.5)]);
    assert_eq!(kinds("99999999999999999999"), [Float(1e20)]);
}

#[test]
fn a_point_belongs_to_a_number_only_without_an_operator() {
    use TokenKind::{Float, Int, Sign as S};
    assert_eq!(kinds("0..9"), [Int(0), S(Sign::DotDot), Int(9)]);
    assert_eq!(kinds("2.^3"), [Int(2), S(Sign::DotCaret), Int(3)]);
    assert_eq!(kinds("2.*3"), [Int(2), S(Sign::DotStar), Int(3)]);
    assert_eq!(kinds("2./3"), [Int(2), S(Sign::DotSlash), Int(3)]);
    assert_eq!(kinds("0.5..1.5"), [Float(0.5), S(Sign::DotDot), Float(1.5)]);
}

#[test]
fn every_sign_and_keyword() {
    for sign in Sign::ALL {
        let text = format!("a {} b", sign.text());
        assert_eq!(kinds(&text), [TokenKind::Ident, TokenKind::Sign(*sign), TokenKind::Ident], "{text}");
    }
    for keyword in Keyword::ALL {
        assert_eq!(kinds(keyword.text()), [TokenKind::Keyword(*keyword)]);
    }
}

#[test]
fn names() {
    for name in ["a", "a_1", "opt__f", "__x", "endless", "λ", "print", "type"] {
        assert_eq!(kinds(name), [TokenKind::Ident], "{name}");
    }
    assert_eq!(kinds("$target"), [TokenKind::Meta]);
}

#[test]
fn minimum_assignment_needs_a_place_before_it() {
    assert_eq!(kinds("a __= 2")[1], TokenKind::Sign(Sign::MinEqual));
    assert_eq!(kinds("a[0]__=2")[4], TokenKind::Sign(Sign::MinEqual));
    assert_eq!(kinds("a__=2"), [TokenKind::Ident, TokenKind::Sign(Sign::Equal), TokenKind::Int(2)]);
}

#[test]
fn an_underscore_at_the_end_joins_lines() {
    assert_eq!(kinds("a _ % comment\n b"), [TokenKind::Ident, TokenKind::Ident]);
    assert_eq!(kinds("[_,\n_\n]").len(), 7);
    assert_eq!(kinds("% only"), []);
}

#[test]
fn rust_comments_and_strings_in_token_form() {
    let text = "a = \"q\\\"r\" // one\n/* two /* three */ */ b = 2 % four\n";
    let mut sink = Sink::default();
    let options = ParseOptions { rust_comments: true, ..ParseOptions::default() };
    let module = parse_with(FileId(0), text, options, &mut NodeIds::default(), &mut sink);
    assert!(sink.is_empty(), "{:?}", sink.messages());
    assert_eq!(print(&module), "a = \"q\"\"r\"\nb = 2\n");
}

/// Pairs of texts where the second shows the grouping of the first.
#[test]
fn precedence() {
    for (text, grouped) in [
        ("-a^2", "-(a^2)"),
        ("a^-b^c", "a^(-(b^c))"),
        ("a^b[0]", "a^(b[0])"),
        ("!a.b", "!(a.b)"),
        ("-a*b", "(-a)*b"),
        ("a*b/c.*d./e", "(((a*b)/c).*d)./e"),
        ("a+b*c-d", "(a+(b*c))-d"),
        ("a+1..b-1", "(a+1)..(b-1)"),
        ("a..s+1..b", "a..(s+1)..b"),
        ("a..b<c", "(a..b)<c"),
        ("a<b==c>=d", "(a<b)==(c>=d)"),
        ("a==b&&c!=d", "(a==b)&&(c!=d)"),
        ("a||b&&c||d", "(a||(b&&c))||d"),
        ("a||b?c:d?e:f", "(a||b)?c:(d?e:f)"),
        ("a=b+=c?d:e", "a=(b+=(c?d:e))"),
        ("x->y->x+y", "x->(y->(x+y))"),
        ("a<-b", "a<(-b)"),
    ] {
        let printed = print_compact(&expr(text));
        assert_eq!(printed, text, "compact form");
        assert!(!same_expr(&expr(text), &expr(grouped)), "parentheses are kept");
        let strip = |e: &Expr| format!("{:?}", quasar_core::syntax::compare::without_parens(e));
        assert_eq!(strip(&expr(text)), strip(&expr(grouped)), "{text} is not {grouped}");
    }
}
