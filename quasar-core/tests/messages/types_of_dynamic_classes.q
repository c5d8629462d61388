type open : dynamic class
    a : int
endtype
function [] = __kernel__ k(x : vec, o : open, pos : int)
    x[pos] = o.a
endfunction
function [] = __kernel__ untyped(x : vec, o, pos : int)
    x[pos] = o.a
endfunction
function [] = main()
    o = open(3)
    o.a = "text"
%         ^ Q0310 expected 'int', found 'string'
    x = zeros(2)
    parallel_do(2, x, o, k)
%                     ^ Q0402 argument 'o' of kernel 'k' has the type 'open': objects of dynamic classes stay on the host
    parallel_do(2, x, {a := 3}, untyped)
%                     ^ Q0321 The type of the arguments ('o') needs to be fully defined for this function call!
endfunction
