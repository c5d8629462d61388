function [] = __kernel__ k(x : mat'hwtex_nearest, c : cmat'hwtex_nearest, d : cube(:,:,3)'mirror'hwtex_linear(4), y : mat, pos : ivec2)
%                                                 ^ Q0001 not supported yet: textures of complex numbers
    y[pos] = x[0, [0.5, 1.5]][0]
%                 ^ Q0001 not supported yet: several positions between elements of a texture at once
    y[pos] = d[0.5, 0.5, pos[0]]
endfunction
function [] = __device__ put(x : mat'hwtex_nearest, p : ivec2)
    x[p] = 2
%   ^ Q0001 not supported yet: writing to a texture outside of kernels
endfunction
function [] = __kernel__ puts(x : mat'hwtex_nearest, pos : ivec2)
    put(x, pos)
endfunction
function [] = main()
    y = zeros(2,2)
    parallel_do([2,2], y, puts)
    parallel_do([2,2], y, complex(y), zeros(2,2,3), y, k)
endfunction
