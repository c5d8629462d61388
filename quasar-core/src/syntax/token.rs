//! Tokens: words, numbers, strings and signs.

/// The kind of a token. The text of names and strings is looked up in the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind {
    /// A name, also one of the contextual keywords (`print`, `type`, `class`, `where`, ..).
    Ident,
    /// `$name`.
    Meta,
    /// A reserved word.
    Keyword(Keyword),
    /// `42`, `1011b`, `755o`, `1Fh`.
    Int(u64),
    /// `0.5`, `1e-3`.
    Float(f64),
    /// `2j`.
    Imaginary(f64),
    /// `"text"`, quotes included.
    Text,
    /// An operator or punctuation sign.
    Sign(Sign),
    /// A line end that may end a statement.
    Newline,
    /// The end of the source.
    End,
    /// An invalid token; an error was reported.
    Unknown,
}

/// A token with its location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// Whether white space, a line end or the start of the text precedes it.
    pub space_before: bool,
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($variant,)* }

        impl $name {
            /// All variants.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// Its spelling.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

words! {
    /// The reserved words.
    Keyword {
        Function = "function",
        EndFunction = "endfunction",
        If = "if",
        ElseIf = "elseif",
        Else = "else",
        EndIf = "endif",
        For = "for",
        EndFor = "endfor",
        While = "while",
        EndWhile = "endwhile",
        Repeat = "repeat",
        Until = "until",
        Match = "match",
        EndMatch = "endmatch",
        EndType = "endtype",
        Try = "try",
        Catch = "catch",
        EndTry = "endtry",
        Macro = "macro",
        EndMacro = "endmacro",
        Reduction = "reduction",
        Import = "import",
        Break = "break",
        Continue = "continue",
        End = "end",
        SyncThreads = "syncthreads",
        Kernel = "__kernel__",
        Device = "__device__",
        Host = "__host__",
    }
}

impl Keyword {
    /// The keyword with this spelling.
    pub fn find(text: &str) -> Option<Keyword> {
        use Keyword::*;
        // Dispatch on the first letter: most words are names.
        let candidates: &[Keyword] = match text.as_bytes().first()? {
            b'f' => &[Function, For],
            b'e' => &[
                End,
                Else,
                ElseIf,
                EndIf,
                EndFor,
                EndFunction,
                EndWhile,
                EndMatch,
                EndType,
                EndTry,
                EndMacro,
            ],
            b'i' => &[If, Import],
            b'w' => &[While],
            b'r' => &[Repeat, Reduction],
            b'u' => &[Until],
            b'm' => &[Match, Macro],
            b't' => &[Try],
            b'c' => &[Catch, Continue],
            b'b' => &[Break],
            b's' => &[SyncThreads],
            b'_' => &[Kernel, Device, Host],
            _ => return None,
        };
        candidates.iter().copied().find(|k| k.text() == text)
    }

    /// Whether a line that starts with it cannot continue the preceding expression.
    pub fn begins_line(self) -> bool {
        !matches!(self, Keyword::Kernel | Keyword::Device | Keyword::Host)
    }

    /// Whether it ends a block, or starts the next part of one.
    pub fn closes_block(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            EndFunction
                | ElseIf
                | Else
                | EndIf
                | EndFor
                | EndWhile
                | Until
                | EndMatch
                | EndType
                | Catch
                | EndTry
                | EndMacro
                | End
        )
    }
}

words! {
    /// Operators and punctuation.
    Sign {
        Plus = "+",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Caret = "^",
        DotStar = ".*",
        DotSlash = "./",
        DotCaret = ".^",
        EqualEqual = "==",
        NotEqual = "!=",
        Less = "<",
        LessEqual = "<=",
        Greater = ">",
        GreaterEqual = ">=",
        AndAnd = "&&",
        OrOr = "||",
        And = "&",
        Or = "|",
        Not = "!",
        Tilde = "~",
        Question = "?",
        Unspecified = "??",
        Colon = ":",
        Semicolon = ";",
        Comma = ",",
        Dot = ".",
        DotDot = "..",
        Ellipsis = "...",
        Arrow = "->",
        ColonEqual = ":=",
        Equal = "=",
        PlusEqual = "+=",
        MinusEqual = "-=",
        StarEqual = "*=",
        SlashEqual = "/=",
        CaretEqual = "^=",
        DotStarEqual = ".*=",
        DotSlashEqual = "./=",
        DotCaretEqual = ".^=",
        AndEqual = "&=",
        OrEqual = "|=",
        TildeEqual = "~=",
        MaxEqual = "^^=",
        MinEqual = "__=",
        Apostrophe = "'",
        Backquote = "`",
        Acute = "´",
        OpenParen = "(",
        CloseParen = ")",
        OpenBracket = "[",
        CloseBracket = "]",
        OpenBrace = "{",
        CloseBrace = "}",
        Underscore = "_",
        Hash = "#",
    }
}

impl Sign {
    /// The closing bracket that belongs to an opening one.
    pub fn closing(self) -> Option<Sign> {
        match self {
            Sign::OpenParen => Some(Sign::CloseParen),
            Sign::OpenBracket => Some(Sign::CloseBracket),
            Sign::OpenBrace => Some(Sign::CloseBrace),
            _ => None,
        }
    }

    /// Whether it is `)`, `]` or `}`.
    pub fn is_closing(self) -> bool {
        matches!(self, Sign::CloseParen | Sign::CloseBracket | Sign::CloseBrace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found() {
        for keyword in Keyword::ALL {
            assert_eq!(Keyword::find(keyword.text()), Some(*keyword));
        }
        for name in ["", "x", "ends", "func", "_"] {
            assert_eq!(Keyword::find(name), None, "{name}");
        }
    }
}
