//! What a program keeps of its sources, for texts that it evaluates while it runs.

use super::Unit;
use super::code::{Code, quote};
use super::names;
use crate::ir::StmtKind;
use crate::ir::rewrite::visit_stmts;
use crate::ir::texts::EVAL;

/// `static TEXTS`, which calls of `eval` name; nothing where there are none.
pub(super) fn declaration(unit: &Unit<'_>) -> Code {
    let mut evaluates = false;
    for (_, function) in unit.program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            evaluates |= matches!(stmt.kind, StmtKind::Library { name: EVAL, .. });
        });
    }
    let Some(texts) = unit.program.texts.as_ref().filter(|_| evaluates && unit.options.texts) else {
        return Code::new();
    };
    let (name, text, first_line) = (&texts.name, &texts.text, names::number(texts.first_line as usize));
    let (rust_comments, command_line) = (texts.rust_comments, texts.command_line);
    let imports = texts.imports.iter().map(|import| {
        let (path, from, name, text) = (&import.path, &import.from, &import.name, &import.text);
        quote!([#path, #from, #name, #text])
    });
    let imports: Vec<Code> = imports.collect();
    let definitions = texts.definitions.iter().map(|said| quote!(#said)).collect::<Vec<Code>>();
    let settings = texts.settings.iter().map(|said| quote!(#said)).collect::<Vec<Code>>();
    quote! {
        static TEXTS: abi::Texts = abi::Texts::new(abi::Sources {
            name: #name,
            text: #text,
            first_line: #first_line,
            rust_comments: #rust_comments,
            command_line: #command_line,
            definitions: &[#(#definitions),*],
            settings: &[#(#settings),*],
            imports: &[#(#imports),*],
        });
    }
}
