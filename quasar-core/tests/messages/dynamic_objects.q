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
%                             ^ Q0001 not supported yet: functions in fields
    o.b.c = 3
    print o.a + "t", scaled(1, ...o), scaled(1, ...{by := 3})
%                                 ^ Q0001 not supported yet: spreading an object into parameters
%                                                  ^ Q0001 not supported yet: spreading an object into parameters
    o.go(3)
%     ^ Q0201 no function 'go' takes '??' as its first argument did you mean 'o'?
    v = zeros(3)
    parallel_do(3, v, k)
    parallel_do(3, __kernel__ (pos : int) -> v[pos] = o.a)
%   ^ Q0402 variable 'o' has the type '??' and cannot be used in kernel or device code: its type is known at run time only
endfunction
