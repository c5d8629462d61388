//! Values of each type go from Rust to an exported function and back: what the macros write for its signature compiles, and what
//! comes out is what went in.

use quasar::{Array, Complex, Value, f16};

quasar::quasar! {
    type colour : enum
        red
        green
    endtype

    function y : int = an_int(x : int)
        y = x
    endfunction
    function y : int8 = a_small_int(x : int8)
        y = x
    endfunction
    function y : uint32 = an_unsigned_int(x : uint32)
        y = x
    endfunction
    function y : int64 = a_large_int(x : int64)
        y = x
    endfunction
    function y : scalar 'half = a_half(x : scalar 'half)
        y = x
    endfunction
    function y : scalar = a_scalar(x : scalar)
        y = x
    endfunction
    function y : scalar 'double = a_double(x : scalar 'double)
        y = x
    endfunction
    function y : cscalar = a_complex(x : cscalar)
        y = x
    endfunction
    function y : string = a_string(x : string)
        y = x
    endfunction
    function y : colour = an_enum(x : colour)
        y = x
    endfunction

    function y : vec = a_vec(x : vec)
        y = x
    endfunction
    function y : mat(2,2) = a_sized_mat(x : mat(2,2))
        y = x
    endfunction
    function y : cube[uint8] = a_cube(x : cube[uint8])
        y = x
    endfunction
    function y : vec[cscalar] = complex_numbers(x : vec[cscalar])
        y = x
    endfunction
    function y : vec[string] = strings(x : vec[string])
        y = x
    endfunction
    function y : vec[mat] = matrices(x : vec[mat])
        y = x
    endfunction
    function y : cell = cells(x : cell)
        y = x
    endfunction

    function y : vec[{string, int}] = named(x : vec[{string, int}])
        y = x
    endfunction
    function y : vec[{int, vec[{vec, string}], string}] = nested(x : vec[{int, vec[{vec, string}], string}])
        y = x
    endfunction
    function [a : string, b : vec[{string, scalar}], c : mat] = several(x : string, t : vec[{string, scalar}])
        a = x + "!"
        b = t
        c = [[t[1]]]
    endfunction
    function y = made(n : int)
        y = {n, "a string", {"inner", [1.0,2]}}
    endfunction
}

#[test]
fn numbers() -> quasar::Result<()> {
    assert_eq!(an_int(-3)?, -3);
    assert_eq!(a_small_int(-128)?, -128);
    assert_eq!(an_unsigned_int(u32::MAX)?, u32::MAX);
    assert_eq!(a_large_int(i64::MIN)?, i64::MIN);
    assert_eq!(a_half(f16::from_f32(0.5))?, f16::from_f32(0.5));
    assert_eq!(a_scalar(0.1)?, 0.1);
    assert_eq!(a_double(0.1)?, 0.1);
    assert_eq!(a_complex(Complex::new(1.0, -2.0))?, Complex::new(1.0, -2.0));
    assert_eq!(an_enum(1)?, 1);
    Ok(())
}

#[test]
fn strings_alone_and_in_tuples() -> quasar::Result<()> {
    assert_eq!(a_string("two words")?, "two words");
    assert_eq!(named(("Ann".to_string(), 31))?, ("Ann".to_string(), 31));
    let inner = (Array::from([1.0f32, 2.0]), "inner".to_string());
    let (number, (numbers, text), last) = nested((4, inner, "last".to_string()))?;
    assert_eq!(
        (number, numbers.to_vec(), text.as_str(), last.as_str()),
        (4, vec![1.0, 2.0], "inner", "last")
    );
    let (said, (name, size), matrix) = several("hello", ("size".to_string(), 2.5))?;
    assert_eq!((said.as_str(), name.as_str(), size, matrix.to_vec()), ("hello!", "size", 2.5, vec![2.5]));
    let (number, text, (inner, numbers)) = made(7)?;
    assert_eq!((number, text.as_str(), inner.as_str()), (7, "a string", "inner"));
    assert_eq!(numbers.to_vec(), [1.0, 2.0]);
    Ok(())
}

#[test]
fn arrays_and_cells() -> quasar::Result<()> {
    let numbers = [1.0f32, 2.0, 3.0, 4.0];
    assert_eq!(a_vec(&Array::from(numbers))?.to_vec(), numbers);
    assert_eq!(a_sized_mat(&Array::from([[1.0f32, 2.0], [3.0, 4.0]]))?.to_vec(), numbers);
    assert_eq!(a_cube(&Array::from([[[1u8, 2], [3, 4]]]))?.to_vec(), [1, 2, 3, 4]);
    let complex = [Complex::new(1.0f32, 2.0)];
    assert_eq!(complex_numbers(&Array::from(complex))?.to_vec(), complex);
    let value = Value::from(vec![1.into(), "two".into(), (&Array::from([0.5f32])).into()]);
    assert_eq!(cells(&value)?.to_string(), value.to_string());
    let words = Vec::<Value>::try_from(strings(&vec!["one".into(), "two".into()].into())?)?;
    assert_eq!(words.iter().filter_map(Value::as_text).collect::<Vec<_>>(), ["one", "two"]);
    let pair: Vec<Value> = vec![Array::from([[1.0f32]]).into(), Array::from([[2.0f32, 3.0]]).into()];
    let [_, second] = <[Value; 2]>::try_from(Vec::try_from(matrices(&pair.into())?)?).unwrap();
    assert_eq!(Array::<f32>::try_from(second)?.to_vec(), [2.0, 3.0]);
    Ok(())
}
