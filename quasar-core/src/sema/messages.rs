//! Texts of diagnostics that the analysis reports in several places, or that the language reference quotes.

use crate::builtins;
use crate::message::{Category, Code, Message, foreign_name};
use crate::source::Span;
use quasar_devicelib::device_text::CONSTANT_BYTES;
use quasar_devicelib::ops::ConvertError;
use quasar_devicelib::value::Exception;

/// Libraries of other languages, whose names stand before a dot.
const FOREIGN_LIBRARIES: &[&str] =
    &["np", "numpy", "math", "Math", "torch", "tf", "cv", "cv2", "plt", "scipy", "std", "cp", "cupy"];

pub(super) fn unknown_name(span: Span, name: &str, near: Option<String>) -> Message {
    let message = Message::error("Q0201", span, format!("unknown name '{name}'"));
    // A name of the program that is nearly the same is more likely than a word of another language, a builtin one is less.
    let own = near.as_ref().is_some_and(|near| !builtins::exists(near));
    match (foreign_name(name).filter(|_| !own), near) {
        (Some(here), _) => message.help(here),
        (None, Some(near)) => message.help(format!("did you mean '{near}'?")),
        (None, None) if FOREIGN_LIBRARIES.contains(&name) => {
            message.help(format!("functions of the library have no prefix: write 'f(x)' for '{name}.f(x)'"))
        }
        (None, None) => message.help("variables are created by assigning to them, functions by `function`"),
    }
}

pub(super) fn read_before_assignment(span: Span, name: &str) -> Message {
    Message::error("Q0202", span, format!("'{name}' is read here before it is assigned"))
}

pub(super) fn captured_before_assignment(span: Span, name: &str) -> Message {
    let text = format!("'{name}' has no value yet where this function is made");
    Message::error("Q0202", span, text)
        .help(format!("functions see the variables that exist where they stand: assign '{name}' before"))
}

pub(super) fn needs_module(span: Span, text: String, module: &str) -> Message {
    Message::error("Q0326", span, text).help(format!("write `import \"{module}\"` at the beginning"))
}

pub(super) fn dropped_extents(span: Span, kernel: &str, rank: usize, extents: &[i64]) -> Message {
    let list: Vec<String> = extents.iter().map(ToString::to_string).collect();
    let text = format!(
        "the launch of '{kernel}' runs over the first {rank} of {} dimensions and drops {}",
        rank + extents.len(),
        list.join(" x ")
    );
    Message::warning("Q0407", span, text).help(
        "declare 'pos' with as many components as the launch has dimensions, or launch fewer dimensions",
    )
}

/// The note that assigning to the name of a module-level variable in a function creates a local.
pub(super) fn assigned_is_local(name: &str) -> String {
    format!("what a function assigns is local to it: this '{name}' is not the module-level variable")
}

pub(super) fn unassigned_output(span: Span, function: &str, name: &str) -> Message {
    Message::error("Q0203", span, format!("output '{name}' of '{function}' is not assigned"))
        .help("every output needs a value when the function ends")
}

pub(super) fn constant_assigned(span: Span, name: &str) -> Message {
    Message::error("Q0204", span, format!("'{name}' is declared 'const and cannot be assigned"))
}

/// `'shared` memory in a device function.
pub(super) fn shared_in_function(span: Span, name: &str) -> Message {
    let text =
        format!("'{name}' is declared `'shared`, which belongs into kernel functions and parallel loops");
    Message::error("Q0405", span, text).help("declare it in the kernel and pass it to the function")
}

/// Functions of one name defined in several branches: the branch taken is known only at run time.
pub(super) fn function_in_branches(span: Span, name: &str) -> Message {
    let text =
        format!("'{name}' is defined in several branches, and which one is taken is known at run time only");
    Message::error("Q0217", span, text)
        .help("define one function and put the branches into its body, or assign lambdas to a variable")
}

/// `'shared` on a parameter.
pub(super) fn shared_parameter(span: Span, name: &str) -> Message {
    let text = format!(
        "the parameter '{name}' is declared `'shared`, which belongs to variables of kernel functions"
    );
    Message::error("Q0302", span, text).help("leave it out: functions take arrays of all kinds of memory")
}

pub(super) fn too_large_for_constant_memory(span: Span, bytes: usize) -> Message {
    let text =
        format!("an array of {bytes} bytes does not fit into the {CONSTANT_BYTES} bytes of constant memory");
    Message::error("Q0302", span, text).help("without 'hwconst it stays in ordinary memory")
}

pub(super) fn endless_class(span: Span, name: &str) -> Message {
    let text = format!("the fields of class '{name}' need ever new classes of its kind");
    Message::error("Q0342", span, text).help("a field cannot be of a class whose arguments grow")
}

/// `f(x, n = 3)`: an assignment expression that looks like a named argument.
pub(super) fn assigned_argument(span: Span, name: &str, named: bool) -> Message {
    let text = format!("this assigns the variable '{name}' and passes its value by position");
    let message = Message::warning("Q0335", span, text);
    match named {
        true => message.help(format!("write '{name} := ..' to name the parameter")),
        false => message.help(format!("this function has no named parameters: leave out '{name} ='")),
    }
}

pub(super) fn mismatch(span: Span, expected: &str, found: &str) -> Message {
    Message::error("Q0310", span, format!("expected '{expected}', found '{found}'"))
}

pub(super) fn implicit_conversion(span: Span, from: &str, to: &str) -> Message {
    Message::warning("Q0314", span, format!("implicit conversion from '{from}' to '{to}'"))
        .help(format!("write {to}(..) to convert on purpose"))
}

pub(super) fn no_effect(span: Span, function: bool) -> Message {
    let message = Message::warning("Q0337", span, "this statement has no effect");
    match function {
        true => message.help("write parentheses to call the function: `f()`"),
        false => message.help("write `print ..` to see the value, `name = ..` to keep it"),
    }
}

pub(super) fn constant_does_not_fit(span: Span, error: &ConvertError) -> Message {
    Message::warning("Q0336", span, format!("this conversion fails when it is reached: {error}"))
        .help("convert to a larger type, or clip the value before".to_string())
}

pub(super) fn ignored_results(span: Span, name: &str, count: usize) -> Message {
    let placeholders = vec!["_"; count].join(",");
    let (values, are) = if count == 1 { ("value", "is") } else { ("values", "are") };
    let text = format!(
        "Function '{name}' returns {count} {values} that {are} ignored here. Please eliminate the return values in the function signature (when possible) or use the placeholder '[{placeholders}]={name}(.)' to explicitly capture the unused return values."
    );
    Message::new(Code("Q0318"), Category::PerformanceWarning, span, text)
}

pub(super) fn not_fully_defined(span: Span, names: &str) -> Message {
    Message::error(
        "Q0321",
        span,
        format!("The type of the arguments ('{names}') needs to be fully defined for this function call!"),
    )
}

pub(super) fn no_exception(span: Span) -> Message {
    let names: Vec<&str> = Exception::ALL.into_iter().map(Exception::name).collect();
    Message::error("Q0327", span, "a `catch` clause names a class of exceptions").help(format!(
        "write {} for all of them, or one of {}",
        Exception::BASE,
        names.join(", ")
    ))
}

pub(super) fn unreachable_catch(span: Span) -> Message {
    let text = "this clause is never reached: those before it catch all that it names";
    Message::warning("Q0328", span, text)
}

pub(super) fn contradiction(span: Span, assertion: &str, known: &[String]) -> Message {
    let what = match known {
        [] => "what is known here".to_owned(),
        list => list.iter().map(|fact| format!("'{fact}'")).collect::<Vec<_>>().join(" and "),
    };
    let text = format!(
        "NO NO NO I don't believe this, can't be true! Assertion '{assertion}' is contradictory with {what}"
    );
    Message::error("Q0601", span, text)
}

pub(super) fn branch_cut(span: Span) -> Message {
    Message::new(
        Code("Q0602"),
        Category::Information,
        span,
        "if-branch is cut due to the assertions and constants known here",
    )
}

#[cfg(test)]
mod tests {
    use crate::builtins;
    use crate::message::FOREIGN;
    use crate::source::library::module_of;
    use crate::types::resolve::is_predefined;

    #[test]
    fn words_of_other_languages_are_foreign_and_their_names_here_are_not() {
        let [names, types, fields] = FOREIGN;
        for (words, here) in names {
            assert!(words.iter().all(|word| !builtins::exists(word)), "{words:?}");
            let language =
                ["true", "false", "nullptr", "inf", "nan", "print", "uninit", "syncthreads", "0..n-1", "for"];
            let special =
                ["blkpos", "blkidx", "blkdim", "blkcnt", "warpsize", "coalesced_threads", "zeros", "ones"];
            let placeholders = ["value", "name", "condition", "order", "expected"];
            let known = |word: &str| {
                builtins::exists(word)
                    || module_of(word).is_some()
                    || special.contains(&word)
                    || placeholders.contains(&word)
            };
            let mut words = here.split(|c: char| !c.is_alphanumeric() && c != '_');
            let exist = words
                .all(|word| word.trim_matches('_').len() < 2 || known(word) || word.parse::<u32>().is_ok());
            assert!(exist || language.contains(here), "{here} does not exist");
        }
        for (words, here) in types {
            assert!(words.iter().all(|word| !is_predefined(word)), "{words:?}");
            let name: String = here.chars().take_while(char::is_ascii_alphanumeric).collect();
            assert!(is_predefined(&name), "{here} does not exist");
        }
        for (_, here) in fields {
            let function = here.trim_end_matches("(..)");
            assert!(here.starts_with('[') || builtins::exists(function), "{here} does not exist");
        }
    }
}
