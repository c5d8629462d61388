//! The operators: spelling and precedence (language reference §3.1).

use super::ast::{AssignOp, InfixOp, PrefixOp};
use super::token::Sign;

/// Precedence of an expression form, from loosest to tightest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Lambdas and assignments: any expression.
    Lowest,
    /// `c ? a : b`
    Ternary,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==` `!=`
    Equality,
    /// `<` `<=` `>` `>=`
    Relation,
    /// `..`
    Range,
    /// `+` `-`
    Additive,
    /// `*` `/` `.*` `./`
    Multiplicative,
    /// `-a`, `+a`, `!a`
    Unary,
    /// `^` `.^`
    Power,
    /// Calls, indices, members and bracketed expressions.
    Postfix,
}

impl Level {
    /// The next tighter level.
    pub fn tighter(self) -> Level {
        use Level::*;
        match self {
            Lowest => Ternary,
            Ternary => Or,
            Or => And,
            And => Equality,
            Equality => Relation,
            Relation => Range,
            Range => Additive,
            Additive => Multiplicative,
            Multiplicative => Unary,
            Unary => Power,
            Power | Postfix => Postfix,
        }
    }
}

const INFIX: &[(Sign, InfixOp, Level)] = &[
    (Sign::OrOr, InfixOp::Or, Level::Or),
    (Sign::AndAnd, InfixOp::And, Level::And),
    (Sign::EqualEqual, InfixOp::Equal, Level::Equality),
    (Sign::NotEqual, InfixOp::NotEqual, Level::Equality),
    (Sign::Less, InfixOp::Less, Level::Relation),
    (Sign::LessEqual, InfixOp::LessEqual, Level::Relation),
    (Sign::Greater, InfixOp::Greater, Level::Relation),
    (Sign::GreaterEqual, InfixOp::GreaterEqual, Level::Relation),
    (Sign::Plus, InfixOp::Add, Level::Additive),
    (Sign::Minus, InfixOp::Subtract, Level::Additive),
    (Sign::Star, InfixOp::Multiply, Level::Multiplicative),
    (Sign::Slash, InfixOp::Divide, Level::Multiplicative),
    (Sign::DotStar, InfixOp::DotMultiply, Level::Multiplicative),
    (Sign::DotSlash, InfixOp::DotDivide, Level::Multiplicative),
    (Sign::Caret, InfixOp::Power, Level::Power),
    (Sign::DotCaret, InfixOp::DotPower, Level::Power),
];

const ASSIGN: &[(Sign, AssignOp)] = &[
    (Sign::PlusEqual, AssignOp::Add),
    (Sign::MinusEqual, AssignOp::Subtract),
    (Sign::StarEqual, AssignOp::Multiply),
    (Sign::SlashEqual, AssignOp::Divide),
    (Sign::CaretEqual, AssignOp::Power),
    (Sign::DotStarEqual, AssignOp::DotMultiply),
    (Sign::DotSlashEqual, AssignOp::DotDivide),
    (Sign::DotCaretEqual, AssignOp::DotPower),
    (Sign::AndEqual, AssignOp::BitAnd),
    (Sign::OrEqual, AssignOp::BitOr),
    (Sign::TildeEqual, AssignOp::BitXor),
    (Sign::MaxEqual, AssignOp::Max),
    (Sign::MinEqual, AssignOp::Min),
];

/// The binary operator of a sign.
pub fn infix(sign: Sign) -> Option<(InfixOp, Level)> {
    INFIX.iter().find(|row| row.0 == sign).map(|row| (row.1, row.2))
}

/// The prefix operator of a sign.
pub fn prefix(sign: Sign) -> Option<PrefixOp> {
    match sign {
        Sign::Minus => Some(PrefixOp::Negate),
        Sign::Plus => Some(PrefixOp::Plus),
        Sign::Not => Some(PrefixOp::Not),
        _ => None,
    }
}

/// The assignment operator of a sign: `Some(None)` for `=`.
pub fn assignment(sign: Sign) -> Option<Option<AssignOp>> {
    match sign {
        Sign::Equal => Some(None),
        _ => ASSIGN.iter().find(|row| row.0 == sign).map(|row| Some(row.1)),
    }
}

impl InfixOp {
    /// Its spelling.
    pub fn text(self) -> &'static str {
        INFIX.iter().find(|row| row.1 == self).map_or("", |row| row.0.text())
    }

    /// Its precedence.
    pub fn level(self) -> Level {
        INFIX.iter().find(|row| row.1 == self).map_or(Level::Postfix, |row| row.2)
    }
}

impl PrefixOp {
    /// Its spelling.
    pub fn text(self) -> &'static str {
        match self {
            PrefixOp::Negate => "-",
            PrefixOp::Plus => "+",
            PrefixOp::Not => "!",
        }
    }
}

impl AssignOp {
    /// Its spelling.
    pub fn text(self) -> &'static str {
        ASSIGN.iter().find(|row| row.1 == self).map_or("", |row| row.0.text())
    }
}

const TYPE_NAMES: &[&str] = &[
    "int",
    "scalar",
    "cscalar",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "string",
    "object",
    "cell",
    "function",
    "kernel_function",
    "lambda_expr",
    "thread_block",
];

/// Whether the name is a built-in type by its spelling: `int`, `vec`, `cmat`, `vec3`, `mat2x3`, ..
pub fn is_type_name(name: &str) -> bool {
    TYPE_NAMES.contains(&name) || array_family(name)
}

/// Whether the name is `vec`, `mat`, `cube`, their integer and complex forms, or one of these with sizes.
pub fn array_family(name: &str) -> bool {
    let head = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
    let sizes = &name[head.len()..];
    let base =
        head.strip_prefix(['i', 'c']).filter(|rest| ["vec", "mat", "cube"].contains(rest)).unwrap_or(head);
    let count = match base {
        "vec" => 1,
        "mat" => 2,
        "cube" => 3,
        _ => return false,
    };
    let parts: Vec<&str> = sizes.split('x').collect();
    sizes.is_empty()
        || parts.iter().all(|p| !p.is_empty())
            && (parts.len() == count || base == "cube" && parts.len() > count)
}

/// Whether `name[..](..)` creates an array or cell of a given element type (language reference §1.4).
pub fn takes_type_arguments(name: &str) -> bool {
    array_family(name)
        || ["uninit", "zeros", "ones", "czeros", "cones", "shared", "shared_zeros", "cell"].contains(&name)
}
