//! All syntax messages, codes Q0101 to Q0199.

use super::token::Keyword;
use crate::message::Message;
use crate::source::Span;

// Characters and tokens.

pub(super) fn unknown_character(span: Span, c: char) -> Message {
    let shown = if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    let message = Message::error("Q0101", span, format!("the character `{}` has no meaning here", shown));
    match c {
        '@' => message.help("an anonymous function is written `(x) -> expression`"),
        '\\' => message.help("the solution of `A x = b` is `solve(A, b)`"),
        '$' => message.help("`$` begins the name of a meta function, such as `$check(..)`"),
        _ => message,
    }
}

pub(super) fn foreign_comment(span: Span, mark: &str) -> Message {
    Message::error("Q0102", span, format!("`{mark}` does not begin a comment"))
        .help("comments begin with `%` and end with the line")
}

pub(super) fn unclosed_comment(span: Span) -> Message {
    Message::error("Q0103", span, "this comment is not closed").help("add `*/`")
}

pub(super) fn unclosed_string(span: Span) -> Message {
    Message::error("Q0104", span, "this string is not closed on its line")
        .labelled("begins here")
        .help("end it with `\"`; a quote inside a string is written `\"\"`")
}

pub(super) fn leading_underscore(span: Span, word: &str) -> Message {
    Message::error("Q0105", span, format!("the name `{word}` begins with an underscore"))
        .help("names begin with a letter or with `__`")
}

pub(super) fn number_too_large(span: Span) -> Message {
    Message::error("Q0106", span, "this number does not fit into 64 bits")
}

pub(super) fn letters_after_number(span: Span, digits: &str, letters: &str) -> Message {
    let message = Message::error("Q0107", span, format!("`{letters}` cannot follow the number `{digits}`"));
    match letters.strip_prefix(['x', 'X']) {
        Some(number) if digits == "0" && number.chars().all(|c| c.is_ascii_hexdigit()) => {
            let zero = if number.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
            message.help(format!("the hexadecimal number is written `{zero}{number}h`"))
        }
        _ if letters.starts_with('_') => message.help("digits are not grouped"),
        _ => message.help(
            "number suffixes are `b` (binary), `o` (octal), `h` (hexadecimal) and `i` or `j` (imaginary)",
        ),
    }
}

// Types.

/// `int[]`.
pub(super) fn array_of(span: Span, name: &str) -> Message {
    expected(span, "the arguments of the type", "`[]`")
        .help(format!("arrays of numbers are written `vec[{name}]`, `mat[{name}]`, `cube[{name}]`"))
}

// Expressions.

pub(super) fn expected(span: Span, what: &str, found: &str) -> Message {
    Message::error("Q0110", span, format!("expected {what}, found {found}"))
}

pub(super) fn expected_end_of_statement(span: Span, found: &str) -> Message {
    Message::error("Q0111", span, format!("expected the end of the statement, found {found}"))
}

/// What habits of other languages end a statement early: the word before, and what was found. `last` is the end of the line.
pub(super) fn habit(before: &str, found: &str, last: bool) -> Option<String> {
    Some(match (before, found) {
        ("end", "if" | "for" | "while" | "function" | "match" | "try" | "type" | "macro") => {
            format!("write `end{found}`")
        }
        ("new", _) => "an object is made by a call of its class: `point(1, 2)`".to_string(),
        ("lambda", _) => "a function is written `x -> expression`".to_string(),
        ("global", _) => "functions see the variables of their module, without `global`".to_string(),
        ("const" | "static" | "final", _) => "a constant is written `name : 'const = value`".to_string(),
        ("throw" | "raise", _) => "an error is raised by `error(..)`".to_string(),
        (_, "to" | "downto" | "upto") => {
            "a sequence is written `from..to` or `from..step..to`; both ends belong to it".to_string()
        }
        (_, ":") if last => "a block begins on the next line, without `:`".to_string(),
        _ => return None,
    })
}

/// `then` or `do` after a header, as in other languages.
pub(super) fn header_word(span: Span, word: &str, keyword: &str, ending: &str) -> Message {
    let text = format!("expected the end of the line, found `{word}`");
    Message::error("Q0111", span, text)
        .help(format!("`{keyword}` needs no `{word}`: write the block on the next lines, up to `{ending}`"))
}

pub(super) fn unclosed_bracket(
    open: Span,
    found_at: Span,
    bracket: &str,
    closing: &str,
    commas: bool,
    found: &str,
) -> Message {
    let comma = if commas { "`,` or " } else { "" };
    Message::error("Q0112", found_at, format!("expected {comma}`{closing}`, found {found}"))
        .related(open, format!("this `{bracket}` is not closed"))
        .help(format!("add `{closing}`"))
}

/// `(3, 3)`, as a list of numbers.
pub(super) fn list_in_parentheses(span: Span) -> Message {
    expected(span, "`)`", "`,`")
        .help("a list of numbers is `[a, b]`; sizes are arguments of their own: `zeros(3, 3)`")
}

pub(super) fn unmatched_bracket(span: Span, bracket: &str) -> Message {
    Message::error("Q0113", span, format!("nothing is open that `{bracket}` could close"))
}

pub(super) fn nested_too_deeply(span: Span) -> Message {
    Message::error("Q0114", span, "nested too deeply")
        .help("split the expression into several statements, or the block into functions")
}

pub(super) fn not_assignable(span: Span, what: &str) -> Message {
    Message::error("Q0115", span, format!("{what} cannot be assigned to")).help(
        "an assignment writes to a variable, an element `x[i]`, a field `x.f`, or a list `[a, b]` of these",
    )
}

pub(super) fn call_assigned(span: Span, callee: &str) -> Message {
    Message::error("Q0115", span, "the result of a call cannot be assigned to")
        .help(format!("elements are written with brackets: `{callee}[..] = ..`"))
}

pub(super) fn reserved_name(span: Span, name: &str) -> Message {
    Message::error("Q0116", span, format!("`{name}` is a reserved word and cannot be a variable"))
}

pub(super) fn meta_assigned(span: Span, name: &str) -> Message {
    Message::error("Q0116", span, format!("`{name}` cannot be a variable"))
        .help("names beginning with `$` belong to the compiler")
}

pub(super) fn compound_multiple(span: Span, operator: &str) -> Message {
    Message::error("Q0117", span, format!("`{operator}` cannot assign to a list"))
        .help("write one assignment for each variable, or use `=`")
}

pub(super) fn placeholder(span: Span) -> Message {
    Message::error("Q0118", span, "`_` has no value")
        .help("`_` stands for an ignored result, as in `[_, b] = f(x)`, or for the last arm of `match`")
}

pub(super) fn keyword_in_expression(span: Span, keyword: Keyword) -> Message {
    let message = Message::error(
        "Q0119",
        span,
        format!("expected an expression, found the keyword `{}`", keyword.text()),
    );
    match keyword {
        Keyword::If => message.help("`condition ? a : b` chooses between two values"),
        Keyword::End => {
            message.help("the last index of dimension k of `x` is `size(x, k) - 1`; indices begin at 0")
        }
        _ => message,
    }
}

// Habits from other languages.

pub(super) fn colon_range(span: Span) -> Message {
    Message::error("Q0120", span, "a range is not written with `:`")
        .help("write `from..to` or `from..step..to`; both ends belong to the range, and indices begin at 0")
}

pub(super) fn tilde_not_equal(span: Span) -> Message {
    Message::error("Q0121", span, "`~=` does not compare: it is the assignment with exclusive or")
        .help("\"not equal\" is written `!=`")
}

pub(super) fn single_logical(span: Span, sign: &str, logical: &str, function: &str) -> Message {
    Message::error("Q0122", span, format!("there is no operator `{sign}`"))
        .help(format!("logical: `a {logical} b`; bitwise: `{function}(a, b)`"))
}

pub(super) fn word_operator(span: Span, word: &str, operator: &str) -> Message {
    Message::error("Q0123", span, format!("`{word}` is not an operator"))
        .help(format!("logical: `a {operator} b`; bitwise: `{word}(a, b)`"))
}

/// `not` before an operand.
pub(super) fn word_not(span: Span) -> Message {
    Message::error("Q0123", span, "`not` is not an operator")
        .help("logical not is `!x`; bitwise not is `not(x)`")
}

/// `x => ..`.
pub(super) fn fat_arrow(span: Span) -> Message {
    Message::error("Q0126", span, "there is no operator `=>`").help("a function is written `x -> expression`")
}

/// `.+` and `.-`.
pub(super) fn dotted_sum(span: Span, sign: &str) -> Message {
    Message::error("Q0126", span, format!("there is no operator `.{sign}`"))
        .help(format!("`a {sign} b` is elementwise"))
}

pub(super) fn increment(span: Span, sign: &str) -> Message {
    Message::error("Q0124", span, format!("there is no operator `{sign}{sign}`"))
        .help(format!("write `{sign}= 1`"))
}

pub(super) fn tilde_not(span: Span) -> Message {
    Message::error("Q0125", span, "`~` is not an operator")
        .help("logical not is `!x`; bitwise not is `not(x)`")
}

pub(super) fn star_star(span: Span) -> Message {
    Message::error("Q0126", span, "there is no operator `**`")
        .help("a power is written `a ^ b`, elementwise `a .^ b`")
}

pub(super) fn diamond(span: Span) -> Message {
    Message::error("Q0127", span, "there is no operator `<>`").help("\"not equal\" is written `!=`")
}

pub(super) fn matlab_transpose(span: Span) -> Message {
    Message::error("Q0128", span, "`'` does not transpose").help("write `transpose(x)`")
}

pub(super) fn single_quotes(span: Span) -> Message {
    Message::error("Q0129", span, "expected an expression, found `'`")
        .help("strings stand in double quotes: `\"text\"`; a type modifier follows a type: `mat'const`")
}

pub(super) fn semicolon_rows(span: Span) -> Message {
    Message::error("Q0130", span, "`;` does not separate the rows of an array")
        .help("each row has its own brackets: `[[1,2],[3,4]]`")
}

pub(super) fn missing_comma(span: Span) -> Message {
    Message::error("Q0131", span, "expected `,` between the elements").help("write `[1, 2, 3]`")
}

pub(super) fn tuple_assignment(span: Span) -> Message {
    Message::error("Q0132", span, "several targets of an assignment stand in brackets")
        .help("write `[a, b] = ..`")
}

pub(super) fn brace_block(span: Span, ending: &str) -> Message {
    Message::error("Q0133", span, "blocks do not stand in braces")
        .help(format!("the block begins on the next line and ends with `{ending}`"))
}

pub(super) fn c_for(span: Span) -> Message {
    Message::error("Q0134", span, "this is not how a loop is written").help("write `for i = 0..n-1`")
}

pub(super) fn for_in(span: Span, word: &str) -> Message {
    Message::error("Q0134", span, format!("expected `=`, found `{word}`")).help("write `for x = sequence`")
}

pub(super) fn return_statement(span: Span) -> Message {
    Message::error("Q0135", span, "there is no `return` statement").help(
        "a function returns the values of its outputs at `endfunction`: assign to the output variable, and put what \
         shall be skipped into `if`",
    )
}

pub(super) fn else_if(span: Span) -> Message {
    Message::error("Q0136", span, "`else if` is written as one word").help("write `elseif`")
}

pub(super) fn leading_operator(span: Span, sign: &str) -> Message {
    Message::error("Q0137", span, format!("a statement cannot begin with `{sign}`"))
        .help(format!("to continue the line before, put `{sign}` at its end"))
}

pub(super) fn assignment_as_condition(span: Span) -> Message {
    Message::warning("Q0138", span, "this condition assigns")
        .help("to compare, write `==`; if the assignment is meant, put parentheses around it")
}

pub(super) fn attribute_in_expression(span: Span) -> Message {
    Message::error("Q0139", span, "an attribute cannot stand inside an expression")
        .help("attributes are statements of their own; for a cell that begins with a negation write `{ !x }`")
}

// Blocks.

pub(super) fn unclosed_block(open: Span, opener: &str, ending: &str, at: Span, found: &str) -> Message {
    Message::error("Q0140", open, format!("this `{opener}` is not closed"))
        .labelled("opened here")
        .related(at, format!("expected `{ending}`, found {found}"))
}

pub(super) fn wrong_ending(span: Span, found: &str, open: Span, opener: &str, ending: &str) -> Message {
    let message = Message::error("Q0141", span, format!("expected `{ending}`, found `{found}`"))
        .related(open, format!("the innermost open block is this `{opener}`"));
    match found {
        "end" => message.help(format!("`{opener}` is always closed with `{ending}`")),
        _ => message,
    }
}

pub(super) fn stray_ending(span: Span, found: &str) -> Message {
    Message::error("Q0142", span, format!("`{found}` does not belong to any open block"))
}

pub(super) fn mixed_endings(span: Span, found: &str, other: Span, other_text: &str) -> Message {
    Message::error("Q0143", span, format!("`{found}` in a file that also closes blocks with `{other_text}`"))
        .related(other, format!("`{other_text}` was used here"))
        .help("close all blocks of a file with plain `end`, or all with `endfor`, `endfunction`, ..")
}

pub(super) fn one_line_block(span: Span, keyword: &str) -> Message {
    Message::error("Q0144", span, format!("`{keyword}` must stand on its own line"))
        .help("put the condition, each statement and the end of the block on separate lines")
}

pub(super) fn near_keyword(span: Span, found: &str, keyword: Keyword) -> Message {
    Message::error("Q0145", span, format!("`{found}` is not a keyword"))
        .help(format!("did you mean `{}`?", keyword.text()))
}

pub(super) fn label_without_loop(span: Span, name: &str) -> Message {
    Message::error("Q0146", span, format!("the label `{name}` must stand before a loop"))
        .help(format!("to declare a variable, write its type on the same line: `{name} : type`"))
}

pub(super) fn comma_patterns(span: Span) -> Message {
    Message::error("Q0147", span, "several alternatives of an arm stand in parentheses")
        .help("write `| (1, 2) -> ..`")
}

pub(super) fn catch_missing(span: Span) -> Message {
    Message::error("Q0148", span, "this `try` has no `catch`")
        .help("add `catch` and what to do after an error")
}

// Definitions.

pub(super) fn import_place(span: Span) -> Message {
    Message::error("Q0150", span, "`import` must stand before all other code")
        .help("move it to the top of the file")
}

pub(super) fn missing_outputs(span: Span, name: &str) -> Message {
    Message::error("Q0151", span, format!("the outputs of `{name}` are missing"))
        .help(format!("write `function [] = {name}(..)` for none, `function y = {name}(..)` for one"))
}

pub(super) fn missing_parameters(span: Span, name: &str) -> Message {
    Message::error("Q0152", span, format!("the parameter list of `{name}` is missing"))
        .help(format!("write `{name}()` when there are no parameters"))
}

pub(super) fn variadic_not_last(span: Span, name: &str) -> Message {
    Message::error("Q0153", span, format!("`...{name}` must be the last parameter"))
}

pub(super) fn optional_before(span: Span, (name, optional): (&str, &str)) -> Message {
    Message::error(
        "Q0157",
        span,
        format!("`{name}` has no default value, but `{optional}` before it has one"),
    )
    .help("optional parameters come last: move it, or give it a default value")
}

pub(super) fn parameter_twice(span: Span, name: &str) -> Message {
    Message::error("Q0156", span, format!("there are two parameters with the name `{name}`"))
        .help("give one of them another name")
}

pub(super) fn declaration_of_place(span: Span) -> Message {
    Message::error("Q0154", span, "only a variable can be declared")
        .help("add `= value`, or leave the type out")
}

pub(super) fn call_without_parentheses(span: Span, found: &str, callee: &str) -> Message {
    let message = expected_end_of_statement(span, found);
    if let Some(help) = habit(callee, "", false) {
        return message.help(help);
    }
    match callee {
        "let" | "var" | "val" | "auto" | "local" => {
            message.help(format!("variables are created by assigning to them, without `{callee}`"))
        }
        "int" | "float" | "double" | "bool" | "char" | "scalar" | "vec" | "mat" | "cube" | "string" => {
            message.help("the type of a variable stands behind its name: `name : type`")
        }
        _ => message.help(format!("arguments of a call stand in parentheses: `{callee}(..)`")),
    }
}

pub(super) fn unknown_pragma(span: Span) -> Message {
    Message::error("Q0155", span, "`#` must be followed by `pragma` and a name")
        .help("comments begin with `%`")
}
