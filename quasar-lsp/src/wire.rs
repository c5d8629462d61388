//! Messages of JSON-RPC on a stream: a header with the length, an empty line, the text.

use serde_json::{Value, json};
use std::io::{BufRead, Read};

/// The largest message that is read.
const MOST: usize = 64 << 20;

/// The next message, or why there is none in what was sent; `None` at the end of the stream.
pub fn read(input: &mut impl BufRead) -> Option<Result<Value, String>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(8192).read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line).trim().to_string();
        if line.is_empty() {
            match length {
                Some(length) if length <= MOST => break,
                Some(_) => return Some(Err(format!("a message has at most {MOST} bytes"))),
                // An empty line that ends no header.
                None => continue,
            }
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let mut text = vec![0; length?];
    input.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).map_err(|error| error.to_string()))
}

/// A message with its header.
pub fn framed(message: &Value) -> String {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The refusal of a request.
pub(crate) fn refusal(id: &Value, code: i64, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})
}

/// A message that wants no answer.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_after_the_other() {
        let text = format!("{}Content-Length: 3\r\n\r\n{{,}}{}", framed(&json!(1)), framed(&json!([2])));
        let mut input = text.as_bytes();
        assert_eq!(read(&mut input), Some(Ok(json!(1))));
        assert!(matches!(read(&mut input), Some(Err(_))));
        assert_eq!(read(&mut input), Some(Ok(json!([2]))));
        assert_eq!(read(&mut input), None);
        assert_eq!(read(&mut &b"Content-Length: 100\r\n\r\n{}"[..]), None, "cut off");
    }
}
