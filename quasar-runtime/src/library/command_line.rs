//! What a program is started with.

use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::Value;

/// The arguments of a command line as a cell: what reads as a number is one, everything else is text. `working` is
/// the type of `scalar`.
pub fn arguments(texts: impl IntoIterator<Item = String>, working: ElementType) -> Value {
    Value::cell(texts.into_iter().map(|text| argument(text, working)).collect())
}

fn argument(text: String, working: ElementType) -> Value {
    // `inf` and `nan` are words here.
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return Value::from(text);
    }
    match (text.parse::<i32>(), text.parse::<f64>()) {
        (Ok(number), _) => Value::Scalar(Scalar::I32(number)),
        (_, Ok(number)) if working == ElementType::Double => Value::Scalar(Scalar::F64(number)),
        (_, Ok(number)) => Value::Scalar(Scalar::F32(number as f32)),
        _ => Value::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_numbers_and_words_are_words() {
        let texts = ["12", "-3", "0.1", "1e3", "5000000000", "nan", "1x", "", "x.png"].map(String::from);
        let items = arguments(texts.clone(), ElementType::Single).cell_items().unwrap().expect("a cell");
        let kinds: Vec<String> = items.iter().map(Value::kind).collect();
        assert_eq!(
            kinds,
            ["int", "int", "scalar", "scalar", "scalar", "string", "string", "string", "string"]
        );
        let items = arguments(texts, ElementType::Double).cell_items().unwrap().expect("a cell");
        assert!(matches!(items[2], Value::Scalar(Scalar::F64(x)) if x == 0.1));
    }
}
