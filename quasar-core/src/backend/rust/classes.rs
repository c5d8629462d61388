//! Classes: one structure for each family of classes that inherit from one another, with the fields of all of them, so
//! that an object is used as one of its base without a conversion; and what is done with objects.

use super::Unit;
use super::code::{Code, Ident, Literal, quote};
use super::expr::Printer;
use super::host::{element_name, overflow_name};
use super::names;
use super::types;
use crate::ir::{Class, Expr, ExprKind, Field, Program};
use crate::types::{ClassId, ClassType, Type};
use quasar_devicelib::value::object::FieldKind;
use std::sync::Arc;

/// A field of a family.
struct Slot<'p> {
    name: Ident,
    field: &'p Field,
    class: ClassId,
}

/// The slots of the fields of a class.
fn slots<'p>(program: &'p Program, class: &'p Class) -> Vec<Slot<'p>> {
    let declared = |k: usize| {
        let line = class.ty.line();
        line.take_while(|class| program.class(class).is_some_and(|class| k < class.fields.len())).last()
    };
    let slot = |(k, field): (usize, &'p Field)| {
        let class = declared(k).unwrap_or(&class.ty).id;
        Slot { name: names::field(class, k), field, class }
    };
    class.fields.iter().enumerate().map(slot).collect()
}

/// All slots of the family of a class.
fn family_slots<'p>(program: &'p Program, class: &Arc<ClassType>) -> Vec<Slot<'p>> {
    let family = program.classes.iter().filter(|other| other.ty.root() == class.root());
    family
        .flat_map(|class| slots(program, class).into_iter().filter(|slot| slot.class == class.ty.id))
        .collect()
}

/// The structures of all families.
pub(super) fn families(unit: &Unit<'_>) -> Code {
    let mut code = Code::new();
    for class in &unit.program.classes {
        code.extend(description(unit, class));
        if class.ty.base.is_none() {
            code.extend(family(unit, class));
        }
    }
    code
}

/// What is known of a class at run time.
fn description(unit: &Unit<'_>, class: &Class) -> Code {
    let fields = class.fields.iter().map(|field| {
        let (name, inside) = (&field.name, field.is_inside());
        let enumeration = match &field.ty {
            Type::Enum(id) => unit.program.enums.get(id.0 as usize),
            _ => None,
        };
        let names = match enumeration {
            Some((name, members)) => {
                let members = members.iter().map(|(member, number)| quote!((Borrowed(#member), #number)));
                quote!(::std::option::Option::Some((Borrowed(#name), Borrowed(&[#(#members),*]))))
            }
            None => quote!(::std::option::Option::None),
        };
        let kind = field_kind(field);
        quote!(abi::Field { name: Borrowed(#name), inside: #inside, kind: #kind, names: #names })
    });
    let line = class.ty.line().map(|class| number(class.id));
    let (constant, name) = (names::class(class.ty.id), &class.ty.name);
    let (circular, mutable) = (class.circular, class.ty.mutable);
    quote! {
        static #constant: abi::Class = {
            use ::std::borrow::Cow::Borrowed;
            abi::Class { name: Borrowed(#name), line: Borrowed(&[#(#line),*]), fields: Borrowed(&[#(#fields),*]), circular: #circular, mutable: #mutable }
        };
    }
}

fn field_kind(field: &Field) -> Code {
    match field.kind() {
        FieldKind::Number(element, overflow) => {
            let (element, overflow) = (element_name(element), overflow_name(overflow));
            quote!(abi::FieldKind::Number(#element, #overflow))
        }
        FieldKind::Text => quote!(abi::FieldKind::Text),
        FieldKind::Any => quote!(abi::FieldKind::Any),
        FieldKind::Function => quote!(abi::FieldKind::Function),
        FieldKind::Other => quote!(abi::FieldKind::Other),
    }
}

fn number(class: ClassId) -> Literal {
    Literal::plain(class.0)
}

fn family(unit: &Unit<'_>, root: &Class) -> Code {
    let program = unit.program;
    let all = family_slots(program, &root.ty);
    let declarations = all.iter().map(|slot| {
        let (name, ty) = (&slot.name, types::host(&slot.field.ty));
        quote!(#name: #ty,)
    });
    let classes =
        || program.classes.iter().filter(|class| class.ty.root() == &root.ty && class.ty.base.is_some());
    let others = classes().map(|class| {
        let (id, constant) = (number(class.ty.id), names::class(class.ty.id));
        quote!(#id => &#constant,)
    });
    let of_class = |class: &Class| {
        let values = slots(program, class).into_iter().map(|slot| {
            let name = slot.name;
            quote!(abi::value(&self.#name))
        });
        quote!(::std::vec![#(#values),*])
    };
    let values = classes().map(|class| {
        let (id, values) = (number(class.ty.id), of_class(class));
        quote!(#id => #values,)
    });
    let set_of = |class: &Class| {
        let arms = slots(program, class).into_iter().enumerate();
        let arms = arms.filter(|(_, slot)| slot.field.kind() != FieldKind::Other).map(|(k, slot)| {
            let (name, k) = (slot.name, names::number(k));
            quote!(#k => abi::exchange(&mut self.#name, value),)
        });
        quote!(match field { #(#arms)* _ => abi::no_field() })
    };
    let set = match root.ty.mutable {
        true => {
            let others = classes().map(|class| {
                let (id, set) = (number(class.ty.id), set_of(class));
                quote!(#id => #set,)
            });
            let of_base = set_of(root);
            quote!(match self.class { #(#others)* _ => #of_base })
        }
        false => quote!({
            let _ = (field, value);
            abi::no_field()
        }),
    };
    let references: Vec<&Ident> =
        all.iter().filter(|slot| leads_to_objects(&slot.field.ty)).map(|slot| &slot.name).collect();
    let emptied = references.iter().map(|name| quote!(abi::emptied(&mut self.#name)));
    let references = references.iter().map(|name| quote!(abi::value(&self.#name)));
    let inside = all.iter().filter(|slot| slot.field.is_inside()).map(|slot| {
        let name = &slot.name;
        quote!(abi::separate(&mut self.#name)?;)
    });
    let (name, base, of_base) = (names::family(&root.ty), names::class(root.ty.id), of_class(root));
    quote! {
        #[derive(Clone)]
        pub(super) struct #name { class: u32, #(#declarations)* }
        impl abi::Fields for #name {
            fn class(&self) -> &abi::Class { match self.class { #(#others)* _ => &#base } }
            fn values(&self) -> ::std::vec::Vec<abi::Value> { match self.class { #(#values)* _ => #of_base } }
            fn set(&mut self, field: usize, value: abi::Value) -> ::std::result::Result<abi::Value, abi::ValueError> { #set }
            fn references(&self) -> ::std::vec::Vec<abi::Value> { ::std::vec![#(#references),*] }
            fn emptied(&mut self) -> ::std::vec::Vec<abi::Value> { ::std::vec![#(#emptied),*] }
            fn separate(&mut self) -> ::std::result::Result<(), abi::ValueError> { #(#inside)* ::std::result::Result::Ok(()) }
        }
    }
}

/// Whether values of a type may refer to objects.
fn leads_to_objects(ty: &Type) -> bool {
    types::is_dynamic(ty) || ty.mentions_objects()
}

/// The value of an expression that makes, reads or converts an object; none for others.
pub(super) fn value(p: &mut Printer<'_>, expr: &Expr) -> Option<Code> {
    Some(match (&expr.kind, &expr.ty) {
        (ExprKind::New(fields), Type::Class(class)) => new(p, class, fields),
        (ExprKind::Member(object, k), _) => {
            let (name, slot) = field(p.unit.program, object, *k)?;
            let (object, at) = (reference(p, object), p.at(expr.span));
            quote!(abi::field_of(#object, #name, |fields| &fields.#slot)#at)
        }
        (ExprKind::Same(a, b), _) => match (&a.ty, &b.ty) {
            (Type::Null, Type::Null) => quote!(1i32),
            (Type::Null, _) | (_, Type::Null) => {
                let side = reference(p, if a.ty == Type::Null { b } else { a });
                quote!((abi::is_null(#side) as i32))
            }
            _ => {
                let (a, b) = (reference(p, a), reference(p, b));
                quote!((abi::same(#a, #b) as i32))
            }
        },
        (ExprKind::Null, Type::Pointer(class)) => {
            let family = names::family(class);
            quote!(abi::null::<#family>())
        }
        (ExprKind::Convert(inner), Type::Class(class) | Type::Pointer(class)) => {
            convert(p, inner, class, expr)
        }
        (ExprKind::Library { name: "copy", args }, Type::Class(_) | Type::Pointer(_)) => {
            let (object, at) = (reference(p, args.first()?), p.at(expr.span));
            quote!(abi::copied(#object)#at)
        }
        _ => return None,
    })
}

/// A reference that is only looked at.
fn reference(p: &mut Printer<'_>, object: &Expr) -> Code {
    let place = p.place(object);
    quote!(&#place)
}

/// The name of a field and its slot in the family.
fn field(program: &Program, object: &Expr, k: usize) -> Option<(String, Ident)> {
    let class = program.class(object.ty.class()?)?;
    let slot = slots(program, class).into_iter().nth(k)?;
    Some((slot.field.name.clone(), slot.name))
}

fn new(p: &mut Printer<'_>, class: &Arc<ClassType>, values: &[Expr]) -> Code {
    let program = p.unit.program;
    let Some(info) = program.class(class) else { return Code::new() };
    let own = slots(program, info);
    let rest: Vec<Code> = family_slots(program, class)
        .into_iter()
        .filter(|slot| own.iter().all(|own| own.name != slot.name))
        .map(|slot| {
            let name = slot.name;
            quote!(#name: abi::blank(),)
        })
        .collect();
    let given: Vec<Code> = own
        .iter()
        .zip(values)
        .map(|(slot, value)| {
            let (name, value) = (&slot.name, p.value(value));
            quote!(#name: #value,)
        })
        .collect();
    let (family, id) = (names::family(class), number(class.id));
    quote!(abi::object(#family { class: #id, #(#given)* #(#rest)* }))
}

fn convert(p: &mut Printer<'_>, inner: &Expr, class: &Arc<ClassType>, expr: &Expr) -> Code {
    let (family, name, at) = (names::family(class), &class.name, p.at(expr.span));
    match (&inner.ty, &expr.ty) {
        (Type::Null, _) => quote!(abi::null::<#family>()),
        (Type::Pointer(_), Type::Class(_)) => {
            let value = p.value(inner);
            quote!(abi::present(#value, #name)#at)
        }
        (Type::Class(_) | Type::Pointer(_), _) => p.value(inner),
        _ => {
            let (value, id) = (super::host::dynamic(p, inner), number(class.id));
            let nullable = matches!(expr.ty, Type::Pointer(_));
            let name = if nullable { format!("^{name}") } else { name.clone() };
            quote!(abi::reference::<#family>(#value, #id, #name, #nullable)#at)
        }
    }
}

/// `object.field = value`
pub(super) fn set(p: &mut Printer<'_>, object: &Expr, k: usize, value: &Expr, at: &Code) -> Code {
    let Some((name, slot)) = field(p.unit.program, object, k) else { return Code::new() };
    let (value, object) = (p.value(value), reference(p, object));
    quote!({ let value = #value; abi::set_field(#object, #name, value, |fields| &mut fields.#slot)#at; })
}
