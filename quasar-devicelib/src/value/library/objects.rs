//! Dynamic objects: fields that are known at run time.

use super::{ANY, Call, Function, function, graphs};
use crate::value::function::Method;
use crate::value::object::dereference;
use crate::value::{ErrorKind, Record, Value, ValueError};
use std::sync::Arc;

pub(super) static FUNCTIONS: &[Function] = &[
    function("object", 0, ANY, object),
    function("object_field", 2, 2, field),
    function("object_method", 2, 2, |c| {
        Ok(vec![Method::of(&c.args[0], field(c)?.pop().unwrap_or_default())])
    }),
    function("set_object_field", 3, 3, set_field),
    function("has_field", 2, 2, has_field),
    function("is_of_class", 2, 3, is_of_class),
    function("objects_reached", 1, ANY, graphs::reached),
    function("object_places", 2, 2, graphs::places),
    function("object_links", 4, 4, graphs::links),
    function("objects_extended", 2, 2, graphs::extended),
    function("objects_reserve", 4, 4, graphs::reserve),
];

/// Names and values of the fields in turn.
fn object(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let mut fields: Vec<(Arc<str>, Value)> = Vec::new();
    for pair in c.args.chunks(2) {
        let [Value::Text(name), value] = pair else { return Err(c.wrong(0, "the name of a field")) };
        fields.push((name.clone(), value.clone()));
    }
    Ok(vec![Value::Object(Record::new("object", true, fields))])
}

fn field(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let [object, Value::Text(name)] = c.args else { return Err(c.wrong(1, "the name of a field")) };
    let object = match object {
        Value::Object(object) => object,
        // What a handler caught is the text of the error.
        Value::Text(_) if &**name == "message" => return Ok(vec![object.clone()]),
        other => return Err(no_field(other, name)),
    };
    match object.field(name) {
        Some(value) => Ok(vec![value]),
        None => {
            let fields: Vec<String> = object.fields().into_iter().map(|(name, _)| name.to_string()).collect();
            let text = format!("'{}' has no field '{name}'; it has {}", object.type_name(), listed(&fields));
            Err(ValueError::new(ErrorKind::Type, text))
        }
    }
}

/// Whether an object that is spread onto parameters has a field.
fn has_field(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let [object, Value::Text(name)] = c.args else { return Err(c.wrong(1, "the name of a field")) };
    let Value::Object(object) = object else {
        return Err(ValueError::wrong_type(
            "'...' before the name of an object",
            "an object",
            &object.kind(),
        ));
    };
    Ok(vec![Value::from(object.field(name).is_some())])
}

/// Whether an object is of a class or of one that inherits from it; where a third argument says so, `nullptr` is too.
fn is_of_class(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let class = c.count(1)?;
    let null = c.args.len() > 2 && c.count(2)? != 0;
    let fits = match &c.args[0] {
        Value::Object(object) => object.is_of(class),
        Value::Null => null,
        _ => false,
    };
    Ok(vec![Value::from(fits)])
}

fn listed(fields: &[String]) -> String {
    if fields.is_empty() { "none".to_string() } else { fields.join(", ") }
}

fn set_field(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let [object, Value::Text(name), value] = c.args else { return Err(c.wrong(1, "the name of a field")) };
    let Value::Object(object) = object else { return Err(no_field(object, name)) };
    object.set_field(name, value.clone())?;
    Ok(Vec::new())
}

fn no_field(value: &Value, name: &str) -> ValueError {
    match value {
        Value::Null => dereference(name),
        other => {
            let text = format!("a value of type '{}' has no field '{name}'", other.kind());
            ValueError::new(ErrorKind::Type, text)
        }
    }
}
