//! Reads numbers, choices and values from the bytes of an input. Where they end, everything is zero.

use quasar_devicelib::element::{ElementType, Overflow, Scalar};
use quasar_devicelib::value::{ArrayBuf, ArrayData, Record, Value};

/// The rest of an input.
pub struct Bytes<'a>(&'a [u8]);

const EDGES: [f64; 10] =
    [0.0, -0.0, 1e300, -1e300, 0.5, -1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 4e9];
const TEXTS: [&str; 9] = ["", "a", "%d %s", "%*.*f", "%", "ä,b", "3.5", "-", "scalar"];
const TYPES: [&str; 7] = ["int", "uint8", "scalar", "string", "cscalar", "^particle", "int'sat"];

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes(bytes)
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub fn below(&mut self, limit: usize) -> usize {
        let number = if limit > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (number | usize::from(self.byte())) % limit.max(1)
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Text up to a zero byte.
    pub fn text(&mut self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        let (text, rest) = self.0.split_at(end);
        self.0 = rest.get(1..).unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    pub fn index(&mut self) -> i64 {
        match self.byte() {
            255 => i64::MIN,
            254 => i64::MAX,
            253 => i64::from(i32::MIN),
            252 => i64::from(i32::MAX),
            byte => i64::from(byte as i8 % 8),
        }
    }

    /// A number that a value may hold, hard ones included.
    pub fn number(&mut self) -> Scalar {
        let ty = self.pick(&ElementType::ALL);
        let byte = self.byte();
        let x = if byte >= 240 { EDGES[usize::from(byte) % EDGES.len()] } else { f64::from(byte % 16) - 5.0 };
        let saturated = Scalar::F64(x).convert(ty, Overflow::Saturate);
        saturated.unwrap_or_else(|_| Scalar::zero(ty))
    }

    /// An array of at most 625 elements.
    fn array(&mut self) -> Value {
        let rank = 1 + self.below(4);
        let dims: Vec<usize> = (0..rank).map(|_| self.below(6)).collect();
        let first = self.number();
        let ty = first.element_type();
        let count: usize = dims.iter().product();
        let known: Vec<Scalar> = (0..1 + self.below(5)).map(|_| self.number()).collect();
        let item = |k: usize| known[k % known.len()].convert(ty, Overflow::Saturate);
        let items: Vec<Scalar> = (0..count).map(|k| item(k).unwrap_or_else(|_| Scalar::zero(ty))).collect();
        let data = ArrayData::from_scalars(ty, &items);
        let array = data.ok().and_then(|data| ArrayBuf::new(dims, data).ok());
        array.map_or(Value::Scalar(first), Value::from)
    }

    /// A value of any kind.
    pub fn value(&mut self) -> Value {
        self.nested_value(2)
    }

    fn nested_value(&mut self, depth: usize) -> Value {
        match self.below(16) {
            0..=3 => Value::Scalar(self.number()),
            4..=9 => self.array(),
            10 => Value::from(self.pick(&TEXTS)),
            11 => Value::TypeName(self.pick(&TYPES).into()),
            12 if depth > 0 => {
                let count = self.below(4);
                Value::cell((0..count).map(|_| self.nested_value(depth - 1)).collect())
            }
            13 if depth > 0 => {
                let items = (0..4).map(|_| self.nested_value(depth - 1)).collect();
                ArrayBuf::new(vec![2, 2], ArrayData::Values(items)).map_or(Value::Unit, Value::from)
            }
            14 => Value::Object(Record::new("point", false, vec![("x".into(), Value::int(1))])),
            15 => Value::Enum { type_name: "mode".into(), name: "Fast".into(), number: 1 },
            12 => Value::Null,
            _ => Value::Unit,
        }
    }
}
