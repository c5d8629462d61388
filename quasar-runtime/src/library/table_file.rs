//! Tables of numbers as text files (`csvread`, `csvwrite`), and whether files exist.

use crate::array::Array;
use crate::error::{Error, Place, Result};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::text::TextBuf;
use quasar_devicelib::value::{Value, ValueError, array};
use std::path::Path;

fn file_error(function: &'static str, path: &str, message: impl ToString) -> Error {
    Error::File { place: Place::UNKNOWN, function, path: path.into(), message: message.to_string() }
}

fn text<'a>(function: &str, args: &'a [Value], position: usize) -> Result<&'a str> {
    let found = args.get(position).unwrap_or(&Value::Unit);
    found
        .as_text()
        .ok_or_else(|| ValueError::wrong_argument(function, position, "a file name", &found.kind()).into())
}

/// `exists(file)`.
pub(super) fn exists(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    if args.len() != 1 {
        return Err(ValueError::argument_count("exists", "1", args.len()).into());
    }
    Ok(vec![quasar_files::read::exists(Path::new(text("exists", args, 0)?)).into()])
}

/// `csvread(file)`: lines of numbers, separated by commas, semicolons or tabs.
pub(super) fn csvread(args: &[Value], working: ElementType) -> Result<Vec<Value>> {
    if args.len() != 1 {
        return Err(ValueError::argument_count("csvread", "1", args.len()).into());
    }
    let path = text("csvread", args, 0)?;
    let content =
        quasar_files::read::long_text(Path::new(path)).map_err(|error| file_error("csvread", path, error))?;
    let (rows, numbers) = parse(&content).map_err(|message| file_error("csvread", path, message))?;
    let dims = [rows, numbers.len().checked_div(rows).unwrap_or(0)];
    let value = match working {
        ElementType::Double => Array::from_vec(&dims, numbers)?.to_value(),
        _ => {
            let narrow = array::collect(numbers.len(), numbers.iter().map(|&x| x as f32))?;
            Array::from_vec(&dims, narrow)?.to_value()
        }
    };
    Ok(vec![value])
}

/// The number of rows and all numbers.
fn parse(content: &str) -> std::result::Result<(usize, Vec<f64>), String> {
    let mut numbers = Vec::new();
    let mut width = None;
    let mut rows = 0usize;
    let lines = content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (position, line) in lines {
        let before = numbers.len();
        for field in line.split([',', ';', '\t']) {
            let field = field.trim();
            let number: f64 = field
                .parse()
                .map_err(|_| format!("line {}: expected a number, found '{}'", position + 1, shown(field)))?;
            let count = numbers.len();
            numbers.try_reserve(1).map_err(|_| format!("not enough memory for more than {count} numbers"))?;
            numbers.push(number);
        }
        let found = numbers.len() - before;
        let expected = *width.get_or_insert(found);
        if found != expected {
            return Err(format!("line {} has {found} numbers, the first has {expected}", position + 1));
        }
        rows += 1;
    }
    Ok((rows, numbers))
}

/// A field of a file that may be no table and not meant to be shown: its begin.
fn shown(field: &str) -> String {
    const MOST: usize = 12;
    let begin: String = field.chars().take(MOST).collect();
    if begin.len() < field.len() { format!("{begin}...") } else { begin }
}

/// `csvwrite(file, A)`.
pub(super) fn csvwrite(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let [_, table] = args else {
        return Err(ValueError::argument_count("csvwrite", "2", args.len()).into());
    };
    let path = text("csvwrite", args, 0)?;
    let content = match table {
        Value::Array(object) if object.element_type().is_some_and(|ty| !ty.is_complex()) => {
            array::read(&**object, |view| {
                let width = view.dims.last().copied().unwrap_or(1).max(1);
                let mut content = TextBuf::new();
                for i in 0..view.data.len() {
                    let separator = if i % width == 0 { "" } else { "," };
                    content.push_str(separator);
                    push_number(&mut content, view.data.scalar(i));
                    if i % width == width - 1 {
                        content.push('\n');
                    }
                }
                content.finish()
            })?
        }
        Value::Scalar(x) if !x.element_type().is_complex() => {
            let mut content = TextBuf::new();
            push_number(&mut content, Some(*x));
            content.push('\n');
            content.finish()?
        }
        other => {
            return Err(
                ValueError::wrong_argument("csvwrite", 1, "an array of real numbers", &other.kind()).into()
            );
        }
    };
    quasar_files::replace::replace(Path::new(path), content.as_bytes())
        .map_err(|error| file_error("csvwrite", path, error))?;
    Ok(Vec::new())
}

/// The shortest text that reads back as the same number.
fn push_number(content: &mut TextBuf, x: Option<Scalar>) {
    let number = match x {
        Some(Scalar::F32(x)) => x.to_string(),
        Some(Scalar::U64(x)) => x.to_string(),
        Some(Scalar::I64(x)) => x.to_string(),
        Some(x) => x.as_f64().to_string(),
        None => return,
    };
    content.push_str(&number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_rectangular() {
        assert_eq!(parse("1,2\n3.5; -4e2\n\n"), Ok((2, vec![1.0, 2.0, 3.5, -400.0])));
        assert_eq!(parse(""), Ok((0, vec![])));
        assert_eq!(parse("1,2\n3\n"), Err("line 2 has 1 numbers, the first has 2".into()));
        assert_eq!(parse("1,x\n"), Err("line 1: expected a number, found 'x'".into()));
        let foreign = "root:x:0:0:root:/root:/bin/bash\n";
        assert_eq!(parse(foreign), Err("line 1: expected a number, found 'root:x:0:0:r...'".into()));
    }
}
