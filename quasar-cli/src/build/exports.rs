//! The functions that a library has: those that Rust code sees, if numbers, arrays of numbers and strings are all that they take
//! and give. Each one that is left out is a warning with the reason.

use quasar_core::driver::Compilation;
use quasar_core::ir::print::type_text;
use quasar_core::ir::{Export as Visible, Function, Program, VarId};
use quasar_core::message::{Category, Code, Message};
use quasar_core::types::{ElementType, Type, known};
use std::collections::BTreeSet;

/// A function of a library.
pub(super) struct Export {
    /// Its name in Rust.
    pub(super) name: String,
    /// Its name in C, behind that of the library.
    pub(super) c_name: String,
    /// The comment in front of it, and its header.
    pub(super) doc: String,
    pub(super) params: Vec<Item>,
    pub(super) results: Vec<Item>,
}

/// A parameter or a result.
pub(super) struct Item {
    /// A name of its own among those of the function, which is one in C and Python.
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What a parameter or a result is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Number(ElementType),
    Array(ElementType),
    Text,
}

/// The code of messages about functions that code around the program does not see.
const LEFT_OUT: Code = Code("Q0333");

/// The functions that each library has beside those of its program.
const ALWAYS: [&str; 3] = ["error", "free", "set"];

/// The functions of a program, and the messages about those that are left out.
pub(super) fn of(compilation: &Compilation) -> (Vec<Export>, Vec<Message>) {
    let of_compiler = compilation.messages.iter().filter(|message| message.code == LEFT_OUT);
    let mut left_out: Vec<Message> = of_compiler.cloned().map(about_library).collect();
    let Some(program) = &compilation.program else { return (Vec::new(), left_out) };
    let mut exports: Vec<Export> = Vec::new();
    let mut taken: BTreeSet<String> = program.exports.iter().map(|visible| visible.name.clone()).collect();
    for visible in &program.exports {
        match export(program, visible) {
            Ok(mut export) => {
                if ALWAYS.contains(&export.c_name.as_str()) {
                    while !taken.insert(export.c_name.clone()) {
                        export.c_name.push('_');
                    }
                }
                exports.push(export);
            }
            Err(reason) => {
                let text = format!("the library does not have the function '{}': {reason}", visible.name);
                let help = "libraries have functions of numbers, strings and arrays of numbers; `concealed` silences this";
                left_out.push(Message::new(LEFT_OUT, Category::Warning, visible.span, text).help(help));
            }
        }
    }
    (exports, left_out)
}

/// What the compiler says of Rust code holds for libraries.
fn about_library(mut message: Message) -> Message {
    message.text = message.text.replace("Rust code does not see", "the library does not have");
    message.category = Category::Warning;
    message
}

fn export(program: &Program, visible: &Visible) -> Result<Export, String> {
    if !visible.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err("its name is none in C".to_owned());
    }
    let function = &program.functions[visible.function];
    let mut taken = BTreeSet::new();
    let params = items(function, &function.body.params, "parameter", &mut taken)?;
    let results = items(function, &function.body.results, "result", &mut taken)?;
    let name = visible.name.clone();
    Ok(Export { c_name: name.clone(), name, doc: visible.doc.clone(), params, results })
}

fn items(
    function: &Function,
    variables: &[VarId],
    what: &str,
    taken: &mut BTreeSet<String>,
) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    for (k, variable) in variables.iter().enumerate() {
        let variable = &function.body.variables[*variable];
        let kind = kind(&variable.ty).ok_or_else(|| {
            let ty = type_text(&variable.ty);
            format!("its {what} '{}' has the type `{ty}`, which has no form outside", variable.name)
        })?;
        items.push(Item { name: free_name(&variable.name, &format!("{what}{k}"), taken), kind });
    }
    Ok(items)
}

fn kind(ty: &Type) -> Option<Kind> {
    match ty {
        Type::Text => Some(Kind::Text),
        Type::Array(_) => known::array_element(ty).map(Kind::Array),
        _ => known::scalar(ty).map(Kind::Number),
    }
}

/// A name that C and Python have and that no other item of the function has.
fn free_name(name: &str, otherwise: &str, taken: &mut BTreeSet<String>) -> String {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut free = if is_name { name.to_owned() } else { otherwise.to_owned() };
    while RESERVED.contains(&free.as_str()) || super::python::is_keyword(&free) || taken.contains(&free) {
        free.push('_');
    }
    taken.insert(free.clone());
    free
}

/// Names that mean something else in C, C++, their usual macros, or in what is printed here.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "complex",
    "concept",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "NULL",
    "I",
    "near",
    "far",
    "min",
    "max",
];
