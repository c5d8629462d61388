//! As much of JSON as reports and files of tuned values need: reading any, and writing texts.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Truth(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// In the order of the file.
    Object(Vec<(String, Json)>),
}

/// Values nested deeper than this are refused.
const MOST_DEPTH: usize = 32;

impl Json {
    /// Reads a text.
    ///
    /// # Errors
    /// At which line it is no JSON.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0)?;
        parser.space();
        if parser.at < text.len() { Err(parser.wrong("the end")) } else { Ok(value) }
    }

    /// A field of an object.
    pub fn field(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A field that is a text.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.field(name)? {
            Json::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// A field that is a whole number and not negative.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.field(name)?.whole()
    }

    fn whole(&self) -> Option<u64> {
        match self {
            Json::Number(x) if *x >= 0.0 && *x <= 2f64.powi(53) && x.fract() == 0.0 => Some(*x as u64),
            _ => None,
        }
    }

    /// A field that is a list.
    pub fn list(&self, name: &str) -> Option<&[Json]> {
        match self.field(name)? {
            Json::List(items) => Some(items),
            _ => None,
        }
    }

    /// A field of three whole numbers.
    pub fn extents(&self, name: &str) -> Option<[u32; 3]> {
        let numbers: Option<Vec<u32>> =
            self.list(name)?.iter().map(|item| u32::try_from(item.whole()?).ok()).collect();
        numbers?.try_into().ok()
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> &'a str {
        self.text.get(..self.at).unwrap_or_default()
    }

    fn wrong(&self, expected: &str) -> String {
        let line = self.before().matches('\n').count() + 1;
        let found = match self.rest().chars().next() {
            None => "the file ends".to_owned(),
            Some(found) => format!("found {found:?}"),
        };
        format!("line {line}: expected {expected}, {found}")
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn takes(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > MOST_DEPTH {
            return Err(self.wrong("values that are not nested so deeply"));
        }
        if self.takes("{") {
            return self
                .items("}", |parser| {
                    parser.space();
                    let name = parser.string()?;
                    if !parser.takes(":") {
                        return Err(parser.wrong("':'"));
                    }
                    Ok((name, parser.value(depth + 1)?))
                })
                .map(Json::Object);
        }
        if self.takes("[") {
            return self.items("]", |parser| parser.value(depth + 1)).map(Json::List);
        }
        for (word, value) in
            [("null", Json::Null), ("true", Json::Truth(true)), ("false", Json::Truth(false))]
        {
            if self.takes(word) {
                return Ok(value);
            }
        }
        if self.rest().starts_with('"') {
            return self.string().map(Json::Text);
        }
        let rest = self.rest();
        let end =
            rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        match rest.get(..end).unwrap_or_default().parse::<f64>() {
            Ok(x) if x.is_finite() => {
                self.at += end;
                Ok(Json::Number(x))
            }
            _ => Err(self.wrong("a value")),
        }
    }

    /// Items with commas between them, up to the end.
    fn items<T>(
        &mut self,
        end: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut items = Vec::new();
        if self.takes(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.takes(end) {
                return Ok(items);
            }
            if !self.takes(",") {
                return Err(self.wrong(&format!("',' or '{end}'")));
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.rest().starts_with('"') {
            return Err(self.wrong("a text"));
        }
        self.at += 1;
        let mut found = String::new();
        loop {
            let mut rest = self.rest().chars();
            match rest.next() {
                None => return Err(self.wrong("'\"'")),
                Some('"') => {
                    self.at += 1;
                    return Ok(found);
                }
                Some('\\') => {
                    let escaped = rest.next().ok_or_else(|| self.wrong("a character"))?;
                    self.at += 1 + escaped.len_utf8();
                    found.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'u' => self.escaped()?,
                        '"' | '\\' | '/' => escaped,
                        _ => return Err(self.wrong("a character that may be escaped")),
                    });
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    found.push(c);
                }
            }
        }
    }

    /// Four hexadecimal digits; halves of pairs, which no name of ours has, become the sign for what is unknown.
    fn escaped(&mut self) -> Result<char, String> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.wrong("four hexadecimal digits"));
        };
        self.at += 4;
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let text = r#" {"a": [1, -2.5e1, true, null, "x\"\\\nä"], "b": {}, "c": []} "#;
        let json = Json::parse(text).unwrap();
        let items = [
            Json::Number(1.0),
            Json::Number(-25.0),
            Json::Truth(true),
            Json::Null,
            Json::Text("x\"\\\nä".into()),
        ];
        assert_eq!(json.list("a").unwrap(), items);
        let Json::Object(fields) = &json else { panic!("{json:?}") };
        assert_eq!(fields.iter().map(|(name, _)| &name[..]).collect::<String>(), "abc");
    }

    #[test]
    fn texts_come_back() {
        for text in ["", "a\"b\\c", "\n\u{1}ü→", "/"] {
            assert_eq!(Json::parse(&quoted(text)), Ok(Json::Text(text.into())));
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let deep = "[".repeat(100);
        for text in [
            "",
            "{",
            "{\"a\"}",
            "[1,]",
            "[1 2]",
            "nul",
            "\"a",
            "\"\\q\"",
            "\"\\u12\"",
            "1e999",
            "{} x",
            &deep,
        ] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert_eq!(Json::parse("{\n\"a\": ]}"), Err("line 2: expected a value, found ']'".into()));
    }
}
