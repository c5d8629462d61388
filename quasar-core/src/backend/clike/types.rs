//! Spells types and numeric literals in device source.

use super::Unit;
pub(super) use crate::types::known::{array_element, fixed, rank, scalar};
use crate::types::{ElementType, Type};
pub(super) use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::Scalar;

/// Whether C operators compare numbers of this type and, for floats, compute with them.
pub(super) fn is_plain(element: ElementType) -> bool {
    element != ElementType::Half && !element.is_complex()
}

impl Unit<'_> {
    /// The C type of a private value, if there is one.
    pub(super) fn ty(&mut self, ty: &Type) -> Option<String> {
        match ty {
            Type::Scalar(..) | Type::Enum(_) => scalar(ty).map(|e| format!("q_{}", suffix(e))),
            Type::Array(_) => {
                let (count, element) = (fixed(ty)?.iter().product::<usize>(), array_element(ty)?);
                if count == 0 {
                    return None;
                }
                let (e, name) = (suffix(element), format!("s_{}x{count}", suffix(element)));
                self.structure(&name, format!("q_{e} e[{count}];"));
                Some(name)
            }
            Type::Tuple(parts) => self.tuple(parts),
            Type::Closure(closure) => {
                let parts: Vec<Type> = closure.captures.iter().map(|(_, ty)| ty.clone()).collect();
                self.tuple(&parts)
            }
            Type::Unit => self.tuple(&[]),
            Type::Dynamic
            | Type::Text
            | Type::Choice(_)
            | Type::Function(_)
            | Type::TypeValue
            | Type::Null
            | Type::Class(_)
            | Type::Pointer(_)
            | Type::Group(_)
            | Type::Error => None,
        }
    }

    /// A struct with one field per element. An empty tuple gets a dummy field, since C requires one.
    pub(super) fn tuple(&mut self, parts: &[Type]) -> Option<String> {
        let types: Vec<String> = parts.iter().map(|part| self.ty(part)).collect::<Option<_>>()?;
        let mut fields: Vec<String> = types.iter().enumerate().map(|(k, ty)| format!("{ty} f{k};")).collect();
        if fields.is_empty() {
            fields.push("q_i32 none;".to_owned());
        }
        let name = format!("s_{}_", types.join("_").replace("q_", ""));
        self.structure(&name, fields.join(" "));
        Some(name)
    }

    pub(super) fn structure(&mut self, name: &str, fields: String) {
        if !self.structures.iter().any(|(known, _)| known == name) {
            self.structures.push((name.to_owned(), format!("typedef struct {{ {fields} }} {name};")));
        }
    }
}

/// A numeric literal.
pub(super) fn constant(value: Scalar) -> String {
    match value {
        Scalar::I8(x) => cast("i8", i64::from(x)),
        Scalar::I16(x) => cast("i16", i64::from(x)),
        Scalar::I32(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        Scalar::I32(x) if x < 0 => format!("({x})"),
        Scalar::I32(x) => x.to_string(),
        Scalar::I64(x) => format!("((q_i64)Q_U64({}))", x as u64),
        Scalar::U8(x) => cast("u8", i64::from(x)),
        Scalar::U16(x) => cast("u16", i64::from(x)),
        Scalar::U32(x) => format!("{x}u"),
        Scalar::U64(x) => format!("Q_U64({x})"),
        Scalar::F16(x) => format!("q_f16_from_bits({}u)", x.to_bits()),
        Scalar::F32(x) => single(x),
        Scalar::F64(x) => double(x),
        Scalar::C32(x) => format!("q_complex2_f32({}, {})", single(x.re), single(x.im)),
        Scalar::C64(x) => format!("q_complex2_f64({}, {})", double(x.re), double(x.im)),
    }
}

fn cast(suffix: &str, x: i64) -> String {
    format!("((q_{suffix})({x}))")
}

fn single(x: f32) -> String {
    if !x.is_finite() {
        return format!("q_f32_from_bits({}u)", x.to_bits());
    }
    // The shortest digits that round-trip; a printed minus keeps the sign of zero.
    if x.is_sign_negative() { format!("(-{:?}f)", x.abs()) } else { format!("{x:?}f") }
}

fn double(x: f64) -> String {
    if !x.is_finite() {
        return format!("q_f64_from_bits(Q_U64({}))", x.to_bits());
    }
    if x.is_sign_negative() { format!("(-{:?})", x.abs()) } else { format!("{x:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_exactly() {
        assert_eq!(constant(Scalar::F32(0.1)), "0.1f");
        assert_eq!(constant(Scalar::F32(-0.0)), "(-0.0f)");
        assert_eq!(constant(Scalar::F32(1e30)), "1e30f");
        assert_eq!(constant(Scalar::F32(f32::INFINITY)), "q_f32_from_bits(2139095040u)");
        assert_eq!(constant(Scalar::F64(-2.5)), "(-2.5)");
        assert_eq!(constant(Scalar::I32(i32::MIN)), "(-2147483647 - 1)");
        assert_eq!(constant(Scalar::I64(-1)), "((q_i64)Q_U64(18446744073709551615))");
        assert_eq!(constant(Scalar::U8(200)), "((q_u8)(200))");
    }
}
