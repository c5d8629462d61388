//! Prints types in the language's syntax: `vec(3)`, `ivec(2)`, `cube(:,:,3)`, `vec[vec[int]]`, `[int->int]`.

use super::{ArrayType, ElementType, FunctionType, Overflow, Rank, Type};
use crate::syntax::ast::FunctionKind;
use std::fmt;

/// The context for printing types: precision and enum names.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The precision of `scalar`.
    pub working: ElementType,
    /// The names of the enums of the unit, by id.
    pub enums: &'a [String],
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Names { working: ElementType::Single, enums: &[] }.of(self))
    }
}

impl Names<'_> {
    /// The spelling of a type.
    pub fn of(&self, ty: &Type) -> String {
        match ty {
            Type::Error => "<error>".to_owned(),
            Type::Unit => "()".to_owned(),
            Type::Dynamic => "??".to_owned(),
            Type::Scalar(element, overflow) => self.number(*element) + overflow_suffix(*overflow),
            Type::Text => "string".to_owned(),
            Type::Array(array) => self.array(array),
            Type::Tuple(parts) => format!("vec[{{{}}}]", self.list(parts)),
            Type::Enum(id) => self.enums.get(id.0 as usize).cloned().unwrap_or_else(|| "enum".to_owned()),
            Type::Closure(_) | Type::Choice(_) => "function".to_owned(),
            Type::Function(function) => self.function(function),
            Type::TypeValue => "type".to_owned(),
            Type::Null => "nullptr".to_owned(),
            Type::Class(class) => class.name.clone(),
            Type::Pointer(class) => format!("^{}", class.name),
            Type::Group(_) => "thread_block".to_owned(),
        }
    }

    fn list(&self, types: &[Type]) -> String {
        types.iter().map(|ty| self.of(ty)).collect::<Vec<_>>().join(",")
    }

    /// The spelling of a number type.
    pub fn number(&self, element: ElementType) -> String {
        let name = match element {
            ElementType::Int8 => "int8",
            ElementType::Int16 => "int16",
            ElementType::Int32 => "int",
            ElementType::Int64 => "int64",
            ElementType::UInt8 => "uint8",
            ElementType::UInt16 => "uint16",
            ElementType::UInt32 => "uint32",
            ElementType::UInt64 => "uint64",
            ElementType::Half => "scalar'half",
            ElementType::Single if self.working == ElementType::Single => "scalar",
            ElementType::Single => "scalar'single",
            ElementType::Double if self.working == ElementType::Double => "scalar",
            ElementType::Double => "scalar'double",
            ElementType::ComplexSingle if self.working == ElementType::Single => "cscalar",
            ElementType::ComplexSingle => "cscalar'single",
            ElementType::ComplexDouble if self.working == ElementType::Double => "cscalar",
            ElementType::ComplexDouble => "cscalar'double",
        };
        name.to_owned()
    }

    fn array(&self, array: &ArrayType) -> String {
        let family = match array.rank {
            Rank::Known(1) => "vec".to_owned(),
            Rank::Known(2) => "mat".to_owned(),
            Rank::Known(3) => "cube".to_owned(),
            Rank::Known(rank) if array.sizes.iter().all(Option::is_none) => format!("cube{{{rank}}}"),
            Rank::Known(_) => "cube".to_owned(),
            Rank::Any => "cube{:}".to_owned(),
        };
        let sizes = if array.sizes.iter().any(Option::is_some) {
            let sizes: Vec<String> =
                array.sizes.iter().map(|size| size.map_or(":".to_owned(), |n| n.to_string())).collect();
            format!("({})", sizes.join(","))
        } else {
            String::new()
        };
        match &*array.element {
            // A mask is printed as a plain integer array.
            Type::Scalar(ElementType::Int32, Overflow::Checked | Overflow::Truth) => {
                format!("i{family}{sizes}")
            }
            Type::Scalar(element, Overflow::Checked) if self.number(*element) == "scalar" => family + &sizes,
            Type::Scalar(element, Overflow::Checked) if self.number(*element) == "cscalar" => {
                format!("c{family}{sizes}")
            }
            element => format!("{family}[{}]{sizes}", self.element(element)),
        }
    }

    /// Inside brackets the aliases of integer arrays are spelled out, and adjacent brackets are separated by a space.
    fn element(&self, ty: &Type) -> String {
        let name = self.of(ty);
        match ty {
            Type::Array(array)
                if matches!(
                    *array.element,
                    Type::Scalar(ElementType::Int32, Overflow::Checked | Overflow::Truth)
                ) =>
            {
                match name.strip_prefix('i').map(|rest| rest.split_at(rest.find('(').unwrap_or(rest.len()))) {
                    Some((family, sizes)) => format!("{family}[int]{sizes}"),
                    None => name,
                }
            }
            _ if name.starts_with('[') => format!(" {name} "),
            _ => name,
        }
    }

    fn function(&self, function: &FunctionType) -> String {
        let kind = match function.kind {
            FunctionKind::Host => "",
            FunctionKind::Device => "__device__ ",
            FunctionKind::Kernel => "__kernel__ ",
        };
        let params: Vec<String> = function
            .params
            .iter()
            .map(|(variadic, ty)| format!("{}{}", if *variadic { "..." } else { "" }, self.inner(ty)))
            .collect();
        let params = match params.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(",")),
        };
        let results: Vec<String> = function.results.iter().map(|ty| self.inner(ty)).collect();
        let results = match results.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(",")),
        };
        format!("[{kind}{params}->{results}]")
    }

    /// A curried result is printed without brackets.
    fn inner(&self, ty: &Type) -> String {
        self.of(ty)
    }
}

fn overflow_suffix(overflow: Overflow) -> &'static str {
    match overflow {
        Overflow::Checked | Overflow::Truth => "",
        Overflow::Saturate => "'sat",
        Overflow::Wrap => "'unchecked",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_spelled_as_in_the_language() {
        let int = Type::INT;
        let cases = [
            (int.clone(), "int"),
            (Type::numbers(ElementType::Single, &[Some(3)]), "vec(3)"),
            (Type::numbers(ElementType::Single, &[None, None]), "mat"),
            (Type::numbers(ElementType::Single, &[None, None, Some(3)]), "cube(:,:,3)"),
            (Type::numbers(ElementType::Single, &[None; 4]), "cube{4}"),
            (Type::index_vector(Some(2)), "ivec(2)"),
            (Type::numbers(ElementType::ComplexSingle, &[None]), "cvec"),
            (Type::numbers(ElementType::UInt8, &[Some(4)]), "vec[uint8](4)"),
            (Type::array(Type::index_vector(None), &[None]), "vec[vec[int]]"),
            (Type::array(Type::numbers(ElementType::Single, &[None, None]), &[None]), "vec[mat]"),
            (Type::Array(ArrayType::any_rank(Type::Dynamic)), "cube{:}[??]"),
            (Type::Tuple(vec![int.clone(), Type::Text]), "vec[{int,string}]"),
        ];
        for (ty, name) in cases {
            assert_eq!(ty.to_string(), name);
        }
        let function =
            FunctionType { kind: FunctionKind::Host, params: vec![(false, int.clone())], results: vec![int] };
        let function = Type::Function(Box::new(function));
        assert_eq!(function.to_string(), "[int->int]");
        assert_eq!(Type::array(function, &[None]).to_string(), "vec[ [int->int] ]");
    }
}
