function [] = __kernel__ add(x : mat'hwtex_nearest, pos : ivec2)
    x[pos] += 1
%   ^ Q0001 not supported yet: changing an element of a texture in place
endfunction
function [] = __kernel__ rename(x : mat'hwtex_nearest, pos : ivec2)
    y = x
%       ^ Q0001 not supported yet: writing to a texture under another name
    x[pos] = 1
    y[pos] = 1
endfunction
function [] = __device__ put(z : mat, p : ivec2)
    z[p] = 1
endfunction
function [] = __kernel__ pass(x : mat'hwtex_nearest, pos : ivec2)
    put(x, pos)
%   ^ Q0001 not supported yet: a function that writes to a texture
endfunction
function [] = main()
    y = zeros(200,200)
    parallel_do([2,2], y, add)
    parallel_do([2,2], y, rename)
    parallel_do([2,2], y, pass)
endfunction
