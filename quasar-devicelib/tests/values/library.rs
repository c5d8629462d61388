//! Library functions: results from the tables and the precise definitions of language reference §9.

use super::*;

fn type_name(name: &str) -> Value {
    Value::TypeName(name.into())
}

/// Calls and their results.
fn check(cases: &[(&str, &[Value], &str)]) {
    for (name, args, expected) in cases {
        assert_eq!(call(name, args), *expected, "{name}{args:?}");
    }
}

#[test]
fn precise_definitions() {
    let product = functions::call("transpose", &[ivec(&[1, 2, 3])], 1, &mut BufferHost::default()).unwrap();
    let outer =
        quasar_devicelib::value::elementwise::operator("*", &[product[0].clone(), ivec(&[1, 2])], SINGLE);
    assert_eq!(shown(outer), "3x2: 1,2,2,4,3,6");
    check(&[
        ("linspace", &[int(1), int(2), int(5)], "5: 1,1.25,1.5,1.75,2"),
        ("repmat", &[ivec(&[1, 2]), ivec(&[2, 2])], "2x4: 1,2,1,2,1,2,1,2"),
        ("eye", &[int(2)], "2x2: 1,0,0,1"),
        ("mod", &[int(-1), int(4)], "3"),
        ("rem", &[int(-1), int(4)], "-1"),
        ("periodize", &[int(-5), int(4)], "3"),
        ("mirror_ext", &[int(-1), int(4)], "0"),
        ("mirror_ext", &[int(4), int(4)], "3"),
        ("clamp", &[int(7), int(5)], "5"),
        ("clamp", &[int(7), int(1), int(3)], "3"),
        ("int", &[real(-1.7)], "-1"),
        ("cumsum", &[ints(&[2, 2], &[1, 2, 3, 4])], "2x2: 1,3,3,7"),
        ("sum", &[ivec(&[1, 3, 5, 7, 9])], "25"),
    ]);
}

#[test]
fn creation() {
    check(&[
        ("zeros", &[int(3)], "3: 0,0,0"),
        ("zeros", &[int(2), int(1)], "2x1: 0,0"),
        ("zeros", &[int(1), int(4)], "1x4: 0,0,0,0"),
        ("zeros", &[int(2), int(1), int(1)], "2x1x1: 0,0"),
        ("zeros", &[ivec(&[1, 2, 1])], "1x2x1: 0,0"),
        ("ones", &[int(2)], "2: 1,1"),
        ("zeros", &[type_name("uint8"), int(1), int(2)], "1x2: 0,0"),
        ("czeros", &[int(1)], "1: 0+0j"),
        ("vec", &[int(2)], "2: 0,0"),
        ("vec", &[type_name("string"), int(2)], "2: ,"),
        ("mat", &[int(2), int(2)], "2x2: 0,0,0,0"),
        ("cube", &[int(1), int(2), int(1)], "1x2x1: 0,0"),
        ("eye", &[int(2), int(3)], "2x3: 1,0,0,0,1,0"),
        ("eye", &[int(3), int(1)], "3x1: 1,0,0"),
        ("repmat", &[int(5), ivec(&[2, 2])], "2x2: 5,5,5,5"),
        ("repmat", &[ints(&[2, 1], &[1, 2]), int(1), int(2)], "2x2: 1,1,2,2"),
        ("repmat", &[int(5), int(2)], "2x2: 5,5,5,5"),
        ("logspace", &[int(0), int(2), int(3)], "3: 1,10,100"),
        ("seq", &[int(1), int(3)], "3: 1,2,3"),
        ("seq", &[int(5), int(1), int(-2)], "3: 5,3,1"),
        ("zeros", &[int(-1)], "error: zeros: a size must not be negative, found -1"),
        ("zeros", &[], "error: zeros: expected at least 1 arguments, found 0"),
    ]);
    let bytes =
        functions::call("zeros", &[type_name("uint8"), int(2)], 1, &mut BufferHost::default()).unwrap();
    assert_eq!(bytes[0].element_type(), Some(ElementType::UInt8));
    assert!(call("zeros", &[int(1 << 30), int(1 << 30), int(1 << 30)]).starts_with("error"));
    let grid = call_with(&mut BufferHost::default(), "ndgrid", &[ivec(&[1, 2]), ivec(&[3, 4, 5])], 2);
    assert_eq!(grid, "2x3: 1,1,1,2,2,2 | 2x3: 3,4,5,3,4,5");
    let original = ivec(&[1]);
    let copy = functions::call("copy", &[original.clone()], 1, &mut BufferHost::default()).unwrap();
    assert!(!copy[0].is_identical(&original));
}

#[test]
fn shape_functions() {
    let mat = counting(&[2, 3]);
    let cube = counting(&[2, 3, 2]);
    check(&[
        ("size", &[mat.clone()], "2: 2,3"),
        ("size", &[counting(&[5])], "1: 5"),
        ("size", &[mat.clone(), int(1)], "3"),
        ("size", &[mat.clone(), int(2)], "1"),
        ("size", &[mat.clone(), ivec(&[0, 1, 2])], "3: 2,3,1"),
        ("numel", &[cube.clone()], "12"),
        ("numel", &[text("abc")], "3"),
        ("ndims", &[cube.clone()], "3"),
        ("isempty", &[counting(&[0])], "1"),
        ("reshape", &[mat.clone(), ivec(&[3, 2])], "3x2: 0,1,2,3,4,5"),
        ("reshape", &[mat.clone(), ivec(&[-1])], "6: 0,1,2,3,4,5"),
        ("reshape", &[mat.clone(), int(3), int(-1)], "3x2: 0,1,2,3,4,5"),
        (
            "reshape",
            &[mat.clone(), ivec(&[4, 2])],
            "error: reshape: 6 elements do not fill an array of size 4x2",
        ),
        ("transpose", &[mat.clone()], "3x2: 0,3,1,4,2,5"),
        ("transpose", &[ivec(&[1, 2])], "2x1: 1,2"),
        ("transpose", &[ints(&[2, 1], &[1, 2])], "1x2: 1,2"),
        ("shuffledims", &[cube.clone(), ivec(&[2, 0, 1])], "2x2x3: 0,2,4,6,8,10,1,3,5,7,9,11"),
        ("shuffledims", &[mat.clone(), ivec(&[1, 0])], "3x2: 0,3,1,4,2,5"),
        ("squeeze", &[ints(&[1, 2, 1], &[1, 2])], "2: 1,2"),
        ("squeeze", &[ints(&[1, 1], &[1])], "1: 1"),
        ("vertcat", &[ivec(&[1, 2]), ivec(&[3, 4])], "2x2: 1,2,3,4"),
        ("vertcat", &[ivec(&[1, 2])], "2: 1,2"),
        ("horzcat", &[ivec(&[1, 2]), ivec(&[3])], "3: 1,2,3"),
        ("horzcat", &[ints(&[2, 1], &[1, 2]), ints(&[2, 1], &[3, 4])], "2x2: 1,3,2,4"),
        ("horzcat", &[counting(&[0]), ivec(&[3])], "1: 3"),
        ("vertcat", &[ivec(&[1, 2]), ivec(&[3])], "error: Dimensions do not match: 1x2 and 1x1"),
        ("cat", &[int(2), ints(&[1, 2], &[1, 2]), ints(&[1, 2], &[3, 4])], "1x2x2: 1,3,2,4"),
        ("horzcat", &[ivec(&[1]), vec(&[0.5])], "2: 1,0.5"),
        ("circshift", &[ivec(&[1, 2, 3]), int(1)], "3: 3,1,2"),
        ("circshift", &[mat.clone(), ivec(&[1, -1])], "2x3: 4,5,3,1,2,0"),
        ("circshift", &[mat.clone(), int(1)], "2x3: 3,4,5,0,1,2"),
        ("fliplr", &[mat.clone()], "2x3: 2,1,0,5,4,3"),
        ("fliplr", &[ivec(&[1, 2])], "2: 2,1"),
        ("flipud", &[mat.clone()], "2x3: 3,4,5,0,1,2"),
        ("rot90", &[mat.clone()], "3x2: 2,5,1,4,0,3"),
        ("rot90", &[mat.clone(), int(-1)], "3x2: 3,0,4,1,5,2"),
        ("rot90", &[mat.clone(), int(2)], "2x3: 5,4,3,2,1,0"),
        ("ind2pos", &[ivec(&[2, 3]), int(4)], "2: 1,1"),
        ("pos2ind", &[ivec(&[2, 3]), ivec(&[1, 1])], "4"),
        ("fftshift1", &[counting(&[5])], "5: 3,4,0,1,2"),
        ("ifftshift1", &[ivec(&[3, 4, 0, 1, 2])], "5: 0,1,2,3,4"),
        ("fftshift2", &[counting(&[2, 2])], "2x2: 3,2,1,0"),
    ]);
    let nested = Value::cell(vec![int(1), Value::cell(vec![text("a"), Value::cell(vec![int(2)])])]);
    assert_eq!(call("lincell", &[nested]), "3: 1,a,2");
}

#[test]
fn reductions() {
    let mat = ints(&[2, 3], &[1, 5, 3, 4, 2, 6]);
    let cube = counting(&[2, 2, 2]);
    let nan = f32::NAN;
    check(&[
        ("sum", &[mat.clone(), int(0)], "3: 5,7,9"),
        ("sum", &[mat.clone(), int(1)], "2x1: 9,12"),
        ("sum", &[cube.clone(), int(0)], "2x2: 4,6,8,10"),
        ("sum", &[cube.clone(), int(1)], "2x1x2: 2,4,10,12"),
        ("sum", &[cube.clone(), int(2)], "2x2: 1,5,9,13"),
        ("sum", &[counting(&[0])], "0"),
        ("sum", &[int(4)], "4"),
        ("prod", &[counting(&[0])], "1"),
        ("prod", &[ivec(&[2, 3, 4])], "24"),
        ("mean", &[ivec(&[1, 2])], "1.5"),
        ("mean", &[mat.clone(), int(1)], "2x1: 3,4"),
        ("mean", &[counting(&[0])], "NaN"),
        ("min", &[mat.clone()], "1"),
        ("max", &[mat.clone()], "6"),
        ("max", &[mat.clone(), int(4)], "2x3: 4,5,4,4,4,6"),
        ("maxdim", &[mat.clone(), int(0)], "3: 4,5,6"),
        ("mindim", &[mat.clone(), int(1)], "2x1: 1,2"),
        ("min", &[vec(&[nan, 2.0, 1.0])], "1"),
        ("max", &[vec(&[nan, nan])], "NaN"),
        ("min", &[counting(&[0])], "error: min: an empty array has no extremum"),
        ("argmax", &[mat.clone()], "5"),
        ("argmin", &[vec(&[nan, 3.0, 2.0, 2.0])], "2"),
        ("index_of_max", &[ivec(&[1, 9, 9])], "1"),
        ("cumsum", &[ivec(&[1, 2, 3])], "3: 1,3,6"),
        ("cumsum", &[mat.clone(), int(0)], "2x3: 1,5,3,5,7,9"),
        ("cumprod", &[ivec(&[1, 2, 3])], "3: 1,2,6"),
        ("cummax", &[mat.clone()], "2x3: 1,5,5,4,4,6"),
        ("cummin", &[mat.clone()], "2x3: 1,1,1,4,2,2"),
        ("any", &[ivec(&[0, 2])], "1"),
        ("all", &[ivec(&[0, 2])], "0"),
        ("all", &[ints(&[2, 2], &[1, 0, 1, 1]), int(0)], "2: 1,0"),
        ("var", &[ivec(&[1, 2, 3, 4])], "1.666667"),
        ("std", &[ivec(&[1, 3])], "1.414214"),
        ("std", &[ivec(&[7])], "0"),
        ("var", &[mat.clone(), int(1)], "2x1: 4,4"),
        ("median", &[ivec(&[3, 1, 2])], "2"),
        ("median", &[ivec(&[4, 1, 2, 3])], "2.5"),
        ("median", &[mat.clone()], "3: 2.5,3.5,4.5"),
        ("median", &[ints(&[3, 1], &[5, 1, 2])], "2"),
        ("norm", &[ivec(&[3, 4])], "5"),
        ("norm", &[ivec(&[3, -4]), int(1)], "7"),
        ("norm", &[ivec(&[3, -4]), real(f64::INFINITY)], "4"),
        ("norm", &[vec(&[3e30, 4e30])], "5e+30"),
        ("dotprod", &[ivec(&[1, 2]), ivec(&[3, 4])], "11"),
        ("dotprod", &[ivec(&[1, 2]), ivec(&[3])], "error: Dimensions do not match: 2 and 1"),
        ("cross", &[ivec(&[1, 0, 0]), ivec(&[0, 1, 0])], "3: 0,0,1"),
    ]);
    let cell = Value::cell(vec![ivec(&[1, 2]), ivec(&[3, 4])]);
    assert_eq!(call("sum", &[cell]), "2: 3,7");
}

#[test]
fn sorting_sets_and_search() {
    let both = |args: &[Value]| call_with(&mut BufferHost::default(), "sort", args, 2);
    assert_eq!(both(&[ivec(&[3, 1, 2])]), "3: 1,2,3 | 3: 1,2,0");
    assert_eq!(both(&[ints(&[2, 2], &[3, 1, 0, 2]), int(0)]), "2x2: 0,1,3,2 | 2x2: 1,0,0,1");
    check(&[
        ("sort", &[vec(&[2.0, f32::NAN, -1.0])], "3: -1,2,NaN"),
        ("sort", &[ints(&[2, 2], &[3, 1, 0, 2])], "2x2: 1,3,0,2"),
        ("sort", &[ints(&[3, 1], &[3, 1, 2])], "3x1: 1,2,3"),
        ("sort", &[Value::cell(vec![text("b"), text("a")])], "2: a,b"),
        ("unique", &[ivec(&[3, 1, 3, 2])], "3: 1,2,3"),
        ("histc", &[vec(&[0.5, 1.0, 1.5, 3.0, 9.0]), ivec(&[0, 1, 2, 3])], "4: 1,2,0,1"),
        ("hist", &[ivec(&[0, 1, 2, 3]), int(2)], "2: 2,2"),
        ("find", &[ivec(&[0, 1, 1])], "2x2: 0,1,0,2"),
        ("find", &[ints(&[2, 2], &[0, 1, 1, 0])], "2x2: 0,1,1,0"),
        ("find", &[ints(&[1, 1, 2], &[0, 1])], "1x3: 0,0,1"),
        ("find", &[ivec(&[0, 0])], "0x2: "),
        ("find", &[ivec(&[4, 5, 5]), int(5)], "1"),
        ("find", &[ivec(&[4, 5]), int(6)], "-1"),
    ]);
}

#[test]
fn linear_algebra() {
    let a = ints(&[2, 2], &[4, 3, 6, 3]);
    let singular = ints(&[2, 2], &[1, 2, 2, 4]);
    check(&[
        ("diag", &[ints(&[2, 3], &[1, 2, 3, 4, 5, 6])], "2: 1,5"),
        ("diagm", &[ivec(&[1, 2])], "2x2: 1,0,0,2"),
        ("trace", &[a.clone()], "7"),
        ("det", &[a.clone()], "-6"),
        ("det", &[singular.clone()], "0"),
        ("inv", &[ints(&[2, 2], &[0, 2, 4, 0])], "2x2: 0,0.25,0.5,0"),
        ("inv", &[singular.clone()], "error: inv: the matrix is singular"),
        ("solve", &[ints(&[2, 2], &[2, 0, 0, 4]), ivec(&[2, 2])], "2: 1,0.5"),
        ("solve", &[ints(&[2, 2], &[0, 1, 2, 0]), ints(&[2, 1], &[3, 4])], "2x1: 2,3"),
        ("kron", &[ints(&[2, 1], &[1, 2]), ivec(&[1, 10])], "2x2: 1,10,2,20"),
        ("det", &[ints(&[1, 2], &[1, 2])], "error: det: the matrix must be square, its size is 1x2"),
    ]);
}

#[test]
fn decompositions() {
    let all = |name: &str, a: &Value| call_with(&mut BufferHost::default(), name, &[a.clone()], 3);
    let a = ints(&[2, 2], &[1, 2, 4, 4]);
    assert_eq!(all("lu", &a), "2x2: 1,0,0.25,1 | 2x2: 4,4,0,1 | 2x2: 0,1,1,0");
    assert_eq!(all("cholesky", &ints(&[2, 2], &[4, 2, 2, 5])), "2x2: 2,0,1,2");
    assert!(all("cholesky", &ints(&[1, 1], &[-1])).starts_with("error"));
    assert!(all("symeig", &ints(&[2, 2], &[2, 0, 0, 1])).ends_with("| 2: 1,2"));
    assert!(all("svd", &ints(&[2, 2], &[0, 3, 4, 0])).contains("| 2x2: 4,0,0,3 |"));
    assert_eq!(all("rank", &ints(&[2, 2], &[1, 2, 2, 4])), "1");
    assert_eq!(all("pinv", &ints(&[2, 1], &[0, 2])), "1x2: 0,0.5");
    assert_eq!(all("logdet", &ints(&[2, 2], &[0, 1, 1, 0])), "NaN");
    assert_eq!(all("logdet", &ints(&[1, 1], &[1])), "0");
}

#[test]
fn strings() {
    check(&[
        ("sprintf", &[text("%d: %.1f"), int(3), real(2.0)], "3: 2.0"),
        ("sprintf", &[text("a\\tb\\\\c\\\"\\q")], "a\tb\\c\"\\q"),
        ("strcat", &[text("a"), int(1), ivec(&[2])], "a1[2]"),
        ("strlen", &[text("äb")], "2"),
        ("str2num", &[text(" -2.5 ")], "-2.5"),
        ("str2num", &[text("x")], "error: str2num: \"x\" is not a number"),
        ("num2str", &[real(0.1)], "0.1"),
        ("tostring", &[ivec(&[1, 2])], "[1,2]"),
        ("strfind", &[text("bänana"), text("ana")], "3"),
        ("strfind", &[text("a"), text("b")], "-1"),
        ("strreplace", &[text("a.b.c"), text("."), text("-")], "a-b-c"),
        ("strsplit", &[text("a,b,"), text(",")], "3: a,b,"),
        ("upper", &[text("aB")], "AB"),
        ("lower", &[text("aB")], "ab"),
        ("substr", &[text("quasar"), int(1), int(3)], "uas"),
        ("fromascii", &[text("AB")], "2: 65,66"),
        ("toascii", &[ivec(&[72, 105])], "Hi"),
    ]);
}

#[test]
fn questions_about_types() {
    check(&[
        ("isreal", &[ivec(&[1])], "1"),
        ("iscomplex", &[ivec(&[1])], "0"),
        ("isscalar", &[int(1)], "1"),
        ("isscalar", &[ivec(&[1])], "0"),
        ("isvector", &[ivec(&[1])], "1"),
        ("isvector", &[counting(&[2, 2])], "0"),
        ("ismatrix", &[ivec(&[1])], "1"),
        ("iscube", &[counting(&[2, 2])], "1"),
        ("isstring", &[text("")], "1"),
        ("iscell", &[Value::cell(vec![])], "1"),
        ("maxvalue", &[type_name("int")], "2147483647"),
        ("minvalue", &[type_name("uint8")], "0"),
        ("maxvalue", &[type_name("scalar")], "3.402823e+38"),
        ("float", &[ivec(&[1])], "1: 1"),
        ("no_such_function", &[], "error: unknown function 'no_such_function'"),
    ]);
}

#[test]
fn output_and_time() {
    let mut host = BufferHost::default();
    call_with(&mut host, "print", &[text("n = "), int(3)], 0);
    call_with(&mut host, "printf", &[text("%d%%"), int(5)], 0);
    call_with(&mut host, "tic", &[], 0);
    assert_eq!(call_with(&mut host, "toc", &[text("run")], 1), "0");
    assert_eq!(host.output, "n = 3\n5%\nrun: 0 ms\n");
    assert_eq!(call_with(&mut BufferHost::default(), "toc", &[], 0), "error: toc: there was no tic() before");
    assert_eq!(call("error", &[text("bad %d"), int(3)]), "error: bad 3");
}

#[test]
fn working_precision_is_respected() {
    let mut host = BufferHost::new(ElementType::Double);
    for (name, args) in
        [("zeros", vec![int(2)]), ("linspace", vec![int(0), int(1), int(3)]), ("mean", vec![ivec(&[1])])]
    {
        let results = functions::call(name, &args, 1, &mut host).unwrap();
        assert_eq!(results[0].element_type(), Some(ElementType::Double), "{name}");
    }
    let complex: Value = ArrayBuf::vec(vec![num_complex::Complex::new(1.0f32, 2.0)]).into();
    assert_eq!(call("herm_transpose", &[complex.clone()]), "1x1: 1-2j");
    assert_eq!(call("sum", &[complex]), "1+2j");
}

#[test]
fn random_numbers_follow_the_seed() {
    let mut host = BufferHost::default();
    let mut draw = |name: &str, args: &[Value]| call_with(&mut host, name, args, 1);
    draw("seed", &[int(7)]);
    let first = draw("rand", &[int(2), int(3)]);
    let second = draw("rand", &[int(2), int(3)]);
    assert_ne!(first, second);
    draw("seed", &[int(7)]);
    assert_eq!(draw("rand", &[int(2), int(3)]), first);
    assert!(draw("randi", &[int(0)]).starts_with("error"));
    assert_eq!(draw("randi", &[int(1), int(3)]), "3: 0,0,0");
    let mut host = BufferHost::default();
    let mut moments = |name: &str| {
        let x = functions::call(name, &[int(10_000)], 1, &mut host).unwrap();
        let of = |f: &str| {
            functions::call(f, &x, 1, &mut BufferHost::default()).unwrap()[0].as_scalar().unwrap().as_f64()
        };
        (of("mean"), of("var"), of("min"), of("max"))
    };
    let (mean, var, min, max) = moments("rand");
    assert!((mean - 0.5).abs() < 0.02 && (var - 1.0 / 12.0).abs() < 0.005 && min >= 0.0 && max < 1.0);
    let (mean, var, ..) = moments("randn");
    assert!(mean.abs() < 0.05 && (var - 1.0).abs() < 0.1);
}

#[test]
fn elementwise_functions_are_found_by_name() {
    check(&[
        ("floor", &[real(-1.7)], "-2"),
        ("round", &[vec(&[2.5, -2.5])], "2: 3,-3"),
        ("frac", &[real(-0.25)], "0.75"),
        ("sqrt", &[int(4)], "2"),
        ("max", &[ivec(&[1, 9]), int(4)], "2: 4,9"),
        ("complex", &[int(1), int(2)], "1+2j"),
        ("abs", &[ivec(&[-1, 2])], "2: 1,2"),
        ("pow", &[int(0), int(0)], "1"),
        ("nextpow2", &[ivec(&[5, 8])], "2: 8,8"),
    ]);
    let mut double = BufferHost::new(ElementType::Double);
    let z = functions::call("complex", &[int(1)], 1, &mut double).unwrap();
    assert_eq!(z[0].element_type(), Some(ElementType::ComplexDouble));
    let cells = Value::cell(vec![int(1), ivec(&[9, 2])]);
    let limited = functions::call("max", &[cells, int(4)], 1, &mut double).unwrap();
    assert_eq!(print(&limited[0]), "{4,[9,4]}");
}
