function y = made(n : ivec)
    A = zeros(n)
%       ^ Q0325 could not determine the type of output argument 'A'
    y = A
endfunction
function [] = __kernel__ k(x, y : vec, pos : int)
    y[pos] = x
endfunction
function y = same[T](a : vec[T], b : vec[T])
    y = a
endfunction
function [] = main()
    print made([1,2]), made([1,2,3])
    c : cell = {1, "x"}
    parallel_do(2, c[0], zeros(2), k)
%                  ^ Q0321 The type of the arguments ('x') needs to be fully defined for this function call!
    print same([1,2], ["a","b"])
%                     ^ Q0324 argument 'b' of 'same' has the type 'vec[string](2)', which fits its declared type for no value of the type parameters
    print same({"a"}, [1.0])
%                     ^ Q0324 argument 'b' of 'same' has the type 'vec(1)', which fits its declared type
endfunction
