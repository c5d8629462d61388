//! Rust code as text, and the macro [`quote!`] that writes it.
//!
//! Inside a macro call a stream of tokens is a conversation with rustc: each token and each concatenation costs
//! thousands of instructions, most of the time of an expansion. Text is copied, and rustc reads it once.
//!
//! Each piece of code ends so that any other may follow: behind a word or sign stands a space.

/// Rust code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    text: String,
}

impl Code {
    /// No code.
    pub(super) fn new() -> Code {
        // Most pieces fit.
        Code { text: String::with_capacity(128) }
    }

    /// Appends words and signs with a space behind the last, or a bracket.
    pub(super) fn say(&mut self, words: &str) {
        self.text.push_str(words);
    }

    /// Appends code.
    pub(super) fn extend(&mut self, more: Code) {
        self.text.push_str(&more.text);
    }

    /// The text.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl FromIterator<Code> for Code {
    fn from_iter<I: IntoIterator<Item = Code>>(all: I) -> Code {
        let mut whole = Code::new();
        for code in all {
            whole.extend(code);
        }
        whole
    }
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ident(String);

impl Ident {
    pub(super) fn new(name: impl Into<String>) -> Ident {
        Ident(name.into())
    }

    /// A name that may be a keyword.
    pub(super) fn raw(name: &str) -> Ident {
        Ident(format!("r#{name}"))
    }

    /// `'name`
    pub(super) fn lifetime(name: &str) -> Ident {
        Ident(format!("'{name}"))
    }
}

/// A number, which is not negative.
#[derive(Clone, Debug)]
pub(super) struct Literal(String);

impl Literal {
    /// A number whose type Rust finds.
    pub(super) fn plain(number: impl Into<u64>) -> Literal {
        Literal(number.into().to_string())
    }

    /// A number of this type.
    pub(super) fn typed(number: impl ToString, ty: &str) -> Literal {
        Literal(number.to_string() + ty)
    }
}

/// What `#name` stands for in [`quote!`].
pub(super) trait Print {
    fn print(&self, code: &mut Code);
}

impl<T: Print + ?Sized> Print for &T {
    fn print(&self, code: &mut Code) {
        (**self).print(code);
    }
}

impl<T: Print> Print for Option<T> {
    fn print(&self, code: &mut Code) {
        if let Some(shown) = self {
            shown.print(code);
        }
    }
}

impl Print for Code {
    fn print(&self, code: &mut Code) {
        code.say(&self.text);
    }
}

impl std::fmt::Display for Ident {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Print for Ident {
    fn print(&self, code: &mut Code) {
        code.say(&self.0);
        code.say(" ");
    }
}

impl Print for Literal {
    fn print(&self, code: &mut Code) {
        code.say(&self.0);
        code.say(" ");
    }
}

/// A literal of the type `&str`. Long texts, which are those of kernels, stay as they are where they can.
impl Print for str {
    fn print(&self, code: &mut Code) {
        if self.len() > 200 && !self.contains('"') && !self.contains('\r') {
            code.say(&format!("r#\"{self}\"# "));
        } else {
            code.say(&format!("{self:?} "));
        }
    }
}

impl Print for String {
    fn print(&self, code: &mut Code) {
        self.as_str().print(code);
    }
}

/// A literal of the type `&[u8; N]`.
impl Print for [u8] {
    fn print(&self, code: &mut Code) {
        code.say(&format!("b\"{}\" ", self.escape_ascii()));
    }
}

impl Print for Vec<u8> {
    fn print(&self, code: &mut Code) {
        self.as_slice().print(code);
    }
}

impl Print for bool {
    fn print(&self, code: &mut Code) {
        code.say(if *self { "true " } else { "false " });
    }
}

/// Numbers are literals of their types.
macro_rules! print_numbers {
    ($($ty:ident)*) => {$(
        impl Print for $ty {
            fn print(&self, code: &mut Code) {
                code.say(&format!(concat!("{}", stringify!($ty), " "), self));
            }
        }
    )*};
}

print_numbers! { i32 i64 usize u8 u16 u32 u64 }

/// What is repeated in `#(..)*`: iterators.
pub(super) trait Repeat: Iterator + Sized {
    fn elements(self) -> Self {
        self
    }
}

impl<I: Iterator> Repeat for I {}

/// What is repeated in `#(..)*`: lists.
pub(super) trait RepeatList {
    type Item;
    fn elements(&self) -> std::slice::Iter<'_, Self::Item>;
}

impl<T> RepeatList for [T] {
    type Item = T;
    fn elements(&self) -> std::slice::Iter<'_, T> {
        self.iter()
    }
}

/// Code with `#name` for what is to be put in, and `#(..)*` or `#(..) separator *` for code that is repeated for the
/// elements of the lists or iterators that it names, each of them once.
macro_rules! quote {
    ($($tokens:tt)*) => {{
        #[allow(unused_mut, reason = "there may be no code")]
        let mut code = $crate::backend::rust::code::Code::new();
        $crate::backend::rust::code::write_code!(code [""] $($tokens)*);
        code
    }};
}

/// Appends tokens; in the brackets are a closing bracket and the tokens that were read and are not written yet: few long
/// texts are written faster than many short ones.
macro_rules! write_code {
    ($code:ident [""]) => {};
    ($code:ident [$before:literal]) => { $code.say($before); };
    ($code:ident [$before:literal $($words:tt)+]) => {
        $code.say(concat!($before, stringify!($($words)+), " "));
    };
    ($code:ident [$before:literal $($words:tt)*] # $name:ident $($rest:tt)*) => {
        $crate::backend::rust::code::write_code!($code [$before $($words)*]);
        $crate::backend::rust::code::Print::print(&$name, &mut $code);
        $crate::backend::rust::code::write_code!($code [""] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] #($($part:tt)*)* $($rest:tt)*) => {
        $crate::backend::rust::code::write_code!($code [$before $($words)*]);
        $crate::backend::rust::code::repeat_code!($code [] [$($part)*] [] $($part)*);
        $crate::backend::rust::code::write_code!($code [""] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] #($($part:tt)*) $separator:tt * $($rest:tt)*) => {
        $crate::backend::rust::code::write_code!($code [$before $($words)*]);
        $crate::backend::rust::code::repeat_code!($code [$separator] [$($part)*] [] $($part)*);
        $crate::backend::rust::code::write_code!($code [""] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] () $($rest:tt)*) => {
        $crate::backend::rust::code::write_code!($code [$before $($words)* ()] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] {} $($rest:tt)*) => {
        $crate::backend::rust::code::write_code!($code [$before $($words)* {}] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] ($($inner:tt)*) $($rest:tt)*) => {
        $code.say(concat!($before, stringify!($($words)*), "("));
        $crate::backend::rust::code::write_code!($code [""] $($inner)*);
        $crate::backend::rust::code::write_code!($code [")"] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] [$($inner:tt)*] $($rest:tt)*) => {
        $code.say(concat!($before, stringify!($($words)*), "["));
        $crate::backend::rust::code::write_code!($code [""] $($inner)*);
        $crate::backend::rust::code::write_code!($code ["]"] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] {$($inner:tt)*} $($rest:tt)*) => {
        $code.say(concat!($before, stringify!($($words)*), "{"));
        $crate::backend::rust::code::write_code!($code [""] $($inner)*);
        $crate::backend::rust::code::write_code!($code ["}"] $($rest)*);
    };
    ($code:ident [$before:literal $($words:tt)*] $word:tt $($rest:tt)*) => {
        $crate::backend::rust::code::write_code!($code [$before $($words)* $word] $($rest)*);
    };
}

/// Finds the names in a part, then writes it for each of their elements.
macro_rules! repeat_code {
    ($code:ident [$($separator:tt)?] $part:tt [$($name:ident)*]) => {{
        #[allow(unused_imports, reason = "a name is either a list or an iterator")]
        use $crate::backend::rust::code::{Repeat as _, RepeatList as _};
        let ($(mut $name,)*) = ($($name.elements(),)*);
        let mut first = true;
        loop {
            $(let Some($name) = $name.next() else { break };)*
            if !std::mem::take(&mut first) {
                $crate::backend::rust::code::write_code!($code ["" $($separator)?]);
            }
            $crate::backend::rust::code::repeat_code!($code $part);
        }
    }};
    ($code:ident [$($part:tt)*]) => {
        $crate::backend::rust::code::write_code!($code [""] $($part)*);
    };
    ($code:ident $separator:tt $part:tt [$($name:ident)*] # $next:ident $($rest:tt)*) => {
        $crate::backend::rust::code::repeat_code!($code $separator $part [$($name)* $next] $($rest)*);
    };
    ($code:ident $separator:tt $part:tt $names:tt ($($inner:tt)*) $($rest:tt)*) => {
        $crate::backend::rust::code::repeat_code!($code $separator $part $names $($inner)* $($rest)*);
    };
    ($code:ident $separator:tt $part:tt $names:tt [$($inner:tt)*] $($rest:tt)*) => {
        $crate::backend::rust::code::repeat_code!($code $separator $part $names $($inner)* $($rest)*);
    };
    ($code:ident $separator:tt $part:tt $names:tt {$($inner:tt)*} $($rest:tt)*) => {
        $crate::backend::rust::code::repeat_code!($code $separator $part $names $($inner)* $($rest)*);
    };
    ($code:ident $separator:tt $part:tt $names:tt $other:tt $($rest:tt)*) => {
        $crate::backend::rust::code::repeat_code!($code $separator $part $names $($rest)*);
    };
}

pub(super) use {quote, repeat_code, write_code};
