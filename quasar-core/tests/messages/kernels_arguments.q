type open : dynamic class
    x : int
endtype
function [] = __kernel__ any(x : ??, y : vec, pos : int)
    y[pos] = x
endfunction
function [] = __kernel__ cell_of_any(x : vec[??], y : vec, pos : int)
    y[pos] = x[0]
endfunction
function [] = __kernel__ object_of_any(x, y : vec, pos : int)
    y[pos] = x.x
endfunction
function [] = main(text : string)
    y = zeros(2)
    c : cell = {1, text}
    parallel_do(2, c[0], y, any)
%                  ^ Q0321 The type of the arguments ('x') needs to be fully defined for this function call!
    parallel_do(2, c, y, cell_of_any)
%                  ^ Q0321 The type of the arguments ('x') needs to be fully defined for this function call!
    parallel_do(2, open(1), y, object_of_any)
%                  ^ Q0402 argument 'x' of kernel 'object_of_any' has the type 'open': objects of dynamic classes stay on the host
    parallel_do(2, {x := 1}, y, object_of_any)
%                  ^ Q0321 The type of the arguments ('x') needs to be fully defined for this function call!
endfunction
