function y = scaled(x : scalar, by : scalar = 2)
    y = x * by
endfunction
function y = __device__ half(x : scalar)
    o = {a := 1}
%       ^ Q0404 objects that are known at run time cannot be used in device function 'half'
    y = x
endfunction
function [] = __kernel__ k(v : vec, pos : int)
    v[pos] = half(v[pos])
endfunction
function [] = main()
    o = {a := 1, a := 2, f := scaled}
%                ^ Q0341 the field 'a' is given twice
    o.b.c = 3
    print o.a + "t", scaled(1, ...o), scaled(1, ...{by := 3}), half(...o)
%                                                                      ^ Q0313 an object is spread onto optional parameters, of which 'half' has none half(x : scalar)
    print max(...o), scaled(...o)
%                ^ Q0313 the fields of an object are spread onto the optional parameters of functions only
%                    ^ Q0313 argument 'x' is missing in the call of scaled(x : scalar, by : scalar = ..)
    print scaled(1, ...{by := "x"})
%                             ^ Q0324 argument 'by' of 'scaled' must be 'scalar', found 'string' the signature is scaled(x : scalar, by : scalar = ..)
    o.go(3)
    v = zeros(3)
    parallel_do(3, v, k)
    parallel_do(3, __kernel__ (pos : int) -> v[pos] = o.a)
%   ^ Q0402 variable 'o' has the type '??' and cannot be used in kernel or device code: its type is known at run time only
endfunction
