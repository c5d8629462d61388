//! The queries of tools: over whole programs, over every text that is cut off somewhere, and over small programs by what they must answer.

use quasar_core::driver::Options;
use quasar_core::query::completion::completions;
use quasar_core::query::names::SymbolKind;
use quasar_core::query::tokens::{PieceKind, pieces};
use quasar_core::query::{Document, outline, signatures, types};
use quasar_core::source::NoImports;
use std::fs;
use std::path::{Path, PathBuf};

fn inspect(text: &str) -> Document {
    Document::inspect("test.q", text, &NoImports, &Options::default())
}

fn check(text: &str) -> Document {
    Document::check("test.q", text, &NoImports, &Options::default())
}

/// The offset of the mark `@` and the text without it.
fn marked(text: &str) -> (String, u32) {
    let at = text.find('@').expect("a mark");
    (text.replacen('@', "", 1), at as u32)
}

fn type_of(text: &str) -> Vec<String> {
    let (text, at) = marked(text);
    types::type_at(&inspect(&text), at).map(|found| found.types).unwrap_or_default()
}

/// Definitions and places of the name at the mark, as line numbers.
fn lines_of(text: &str) -> (Vec<u32>, Vec<u32>) {
    let (text, at) = marked(text);
    let document = inspect(&text);
    let Some((_, symbol)) = document.names.at(document.root, at) else { return (Vec::new(), Vec::new()) };
    let line =
        |span: &quasar_core::source::Span| document.compilation.sources.line_column(span.file, span.start).0;
    (symbol.definitions.iter().map(line).collect(), symbol.places.iter().map(line).collect())
}

fn proposals(text: &str) -> Vec<String> {
    let (text, at) = marked(text);
    completions(&inspect(&text), at).into_iter().map(|found| found.name).collect()
}

const FILTER: &str = "% Blurs.
function y : mat = blur(x : mat, r : int = 1)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]
            y[m,n] = s
        endfor
    endfor
endfunction
z = blur(ones(3,4), r := 2)
";

fn at(word: &str) -> String {
    FILTER.replacen(word, &format!("@{word}"), 1)
}

#[test]
fn types_and_sizes() {
    assert_eq!(type_of(&at("ones(3")), ["mat(3,4)"]);
    assert_eq!(type_of(&at("x[m,n]")), ["mat"]);
    assert_eq!(type_of(&at("r : int")), ["int"]);
    assert_eq!(type_of(&at("s = 0.0")), ["scalar"]);
    assert_eq!(type_of("a = 3\nb = @a + 1.5\nc = (\n"), ["int"], "in front of an error");
}

#[test]
fn definitions_and_references() {
    assert_eq!(lines_of(&at("blur(ones")), (vec![2], vec![2, 12]));
    assert_eq!(lines_of(&at("r := 2")), (vec![2], vec![2, 12]));
    assert_eq!(lines_of(&at("s += x")), (vec![5], vec![5, 7, 8]));
    assert_eq!(lines_of(&at("m,n] = s")), (vec![4], vec![4, 7, 8]));
    let shadowed = "k = 1\nfunction y = f(x)\n    k = x\n    y = @k\nendfunction\nprint k, f(2)\n";
    assert_eq!(lines_of(shadowed), (vec![3], vec![3, 4]));
    let global = "k = 1\nfunction y = f(x)\n    y = x*@k\nendfunction\nprint k, f(2)\n";
    assert_eq!(lines_of(global), (vec![1], vec![1, 3, 5]));
    let overloads = "function y = f(x : int)\ny = 1\nendfunction\nfunction y = f(x : mat)\ny = 2\nendfunction\nprint @f(1)\n";
    assert_eq!(lines_of(overloads), (vec![1, 4], vec![1, 4, 7]));
    let fields = "type p : class\n    a : int\nendtype\ntype q : class\n    a : int\nendtype\nfunction [] = f(u : p)\n    print u.@a\nendfunction\n";
    assert_eq!(lines_of(fields), (vec![2], vec![2, 8]));
    let members = "type e : enum\n    One\nendtype\nprint e.@One\n";
    assert_eq!(lines_of(members), (vec![2], vec![2, 4]));
    let lambda = "x = 1\nf = x -> x + @x\nprint f(x)\n";
    assert_eq!(lines_of(lambda), (vec![2], vec![2, 2, 2]));
}

#[test]
fn imports_are_seen() {
    let document = inspect("import \"imfilter.q\"\ny = imfilter(ones(3,3), ones(2,2), [0,0], \"mirror\")\n");
    let at = document.text().find("imfilter(").unwrap() as u32;
    let (_, symbol) = document.names.at(document.root, at).expect("the library defines it");
    assert_eq!(symbol.kind, SymbolKind::Function);
    assert!(symbol.definitions.iter().all(|span| span.file != document.root));
    assert!(!signatures::of_symbol(&document, symbol).is_empty());
}

#[test]
fn signatures_and_the_argument_at_a_place() {
    let (text, at) =
        marked("% Adds.\nfunction y = add(a : int, ...b)\ny = a\nendfunction\nx = add(1, max(2, 3), @");
    let call = signatures::call_at(&inspect(&text), at).expect("an open call");
    assert_eq!((call.argument, call.signatures.len()), (2, 1));
    assert_eq!(call.signatures[0].label, "function y = add(a : int, ...b)");
    assert_eq!(call.signatures[0].params, ["a : int", "...b"]);
    assert_eq!((&call.signatures[0].doc[..], call.signatures[0].variadic), ("Adds.", true));
    let (text, at) = marked("x = max(1, @");
    let call = signatures::call_at(&inspect(&text), at).expect("a builtin");
    assert!(
        call.argument == 1 && call.signatures.iter().all(|signature| signature.label.starts_with("max("))
    );
    let (text, at) = marked("x = max(1, 2)\ny = @3\n");
    assert_eq!(signatures::call_at(&inspect(&text), at), None);
}

#[test]
fn completions_at_half_typed_text() {
    let found = proposals("function y = blurred(x : mat, radius : int)\n    y = ra@\nendfunction\n");
    assert!(found.contains(&"radius".to_string()) && found.contains(&"rand".to_string()), "{found:?}");
    assert!(
        !proposals("function y = f(radius : int)\n y = 1\nendfunction\nz = ra@")
            .contains(&"radius".to_string())
    );
    let class = "type p : class\n    first : int\n    last : int\nendtype\nfunction [] = f(u : p)\n    print u.@\nendfunction\n";
    assert_eq!(proposals(class), ["first", "last"]);
    assert_eq!(proposals("type e : enum\n    One\n    Two\nendtype\nx = e.T@"), ["Two"]);
    assert_eq!(proposals("function y = f(x : mat'mir@"), ["mirror"]);
    // The mark is the last character of the file here, without a line break behind it.
    let methods = "type p : class\n    first : int\nendtype\nfunction [] = __push__(self : p, x : int)\nendfunction\nfunction y = far(self : ^p)\n    y = 1\nendfunction\ntype q : class\n    second : int\nendtype\nfunction [] = over(self : q)\nendfunction\nfunction [] = over(self : p, x : int)\nendfunction\nfunction y = g(self : int)\n    y = 1\nendfunction\nu = p(first := 1)\nu.@";
    assert_eq!(proposals(methods), ["__push__", "far", "first", "over"]);
    assert_eq!(proposals("m : mat'mir@"), ["mirror"]);
    assert_eq!(proposals("m : mat'@").len(), proposals("m : mat'@\n").len());
    assert_eq!(proposals("x = 1 % zer@"), Vec::<String>::new());
    assert_eq!(proposals("print \"zer@os\""), Vec::<String>::new());
}

#[test]
fn loops_say_what_became_of_them() {
    let text = "function y : mat = f(x : mat)\n    y = zeros(size(x))\n    for m = 0..size(x,0)-1\n        for n = 0..size(x,1)-1\n            \
        y[m,n] = 2*x[m,n]\n        endfor\n    endfor\n    for k = 1..3\n        print sum(y)\n    endfor\nendfunction\n";
    let notes: Vec<String> = check(text).loops.iter().map(|note| note.text.clone()).collect();
    assert_eq!(notes[0], "parallel over m, n");
    assert!(inspect(text).loops.is_empty());
}

#[test]
fn outlines_and_pieces() {
    let document = inspect(
        "type e : enum\n    One\nendtype\nfunction y = f(x : int'const)\n    y = size(x) % c\nendfunction\nv = 1\n",
    );
    let entries = outline::outline(&document);
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["e", "f", "v"]);
    assert_eq!(entries[0].children[0].name, "One");
    let kinds: Vec<(PieceKind, &str)> =
        pieces(&document).iter().map(|piece| (piece.kind, document.slice(piece.span))).collect();
    for expected in [
        (PieceKind::Keyword, "type"),
        (PieceKind::Symbol(SymbolKind::Member), "One"),
        (PieceKind::Symbol(SymbolKind::Function), "f"),
        (PieceKind::BuiltinType, "int"),
        (PieceKind::Modifier, "const"),
        (PieceKind::Builtin, "size"),
        (PieceKind::Symbol(SymbolKind::Parameter), "x"),
        (PieceKind::Comment, "% c"),
        (PieceKind::Symbol(SymbolKind::Variable), "v"),
    ] {
        assert!(kinds.contains(&expected), "{expected:?} in {kinds:?}");
    }
}

fn programs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in
        ["benches/workloads", "examples/programs", "tests/programs/01-syntax", "tests/programs/04-functions"]
    {
        let files = fs::read_dir(root.join(folder)).expect("the folder exists").flatten();
        found.extend(files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|e| e == "q")));
    }
    found.sort();
    found.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Every name that the analysis takes for a variable of a program is bound to something.
#[test]
fn names_of_whole_programs_are_bound() {
    let (mut bound, mut unbound) = (0, Vec::new());
    for (path, text) in programs() {
        let document = inspect(&text);
        if document.messages.iter().any(|message| message.category.is_error()) {
            continue;
        }
        for piece in pieces(&document) {
            match piece.kind {
                PieceKind::Symbol(_) => bound += 1,
                PieceKind::Unknown => {
                    let name = document.slice(piece.span);
                    unbound.push(format!("{}: {name}", path.file_name().unwrap().to_string_lossy()));
                }
                _ => {}
            }
        }
    }
    assert!(bound > 5000, "{bound}");
    // Words of attributes, special parameters of kernels and methods of values whose class is not known.
    assert!(unbound.len() * 20 < bound, "{} of {bound}:\n{}", unbound.len(), unbound.join("\n"));
}

/// Texts as they are while they are typed: cut off anywhere, or without a piece. Nothing panics, and names before the cut stay bound.
#[test]
fn cut_texts_are_answered() {
    let mut asked = 0;
    for (k, (path, text)) in programs().into_iter().enumerate() {
        // Each program at one place: where, differs from program to program.
        let mut cut = text.len() * (1 + k % 5) / 6 + k % 7;
        while cut < text.len() && !text.is_char_boundary(cut) {
            cut += 1;
        }
        let head = text.get(..cut).unwrap_or(&text);
        let document = inspect(head);
        let at = head.len() as u32;
        completions(&document, at);
        signatures::call_at(&document, at);
        types::type_at(&document, at / 2);
        outline::outline(&document);
        pieces(&document);
        assert!(cut < 400 || !document.names.symbols.is_empty(), "{}", path.display());
        asked += 1;
    }
    assert!(asked > 60, "{asked}");
}
