function [] = __kernel__ k(x : mat'hwtex_nearest, c : cmat'hwtex_nearest, d : cube(:,:,3)'mirror'hwtex_linear(4), y : mat, pos : ivec2)
%                                                 ^ Q0001 not supported yet: textures of complex numbers
    x[pos] = 1
%   ^ Q0001 not supported yet: writing to a texture
    y[pos] = x[0, [0.5, 1.5]][0]
%                 ^ Q0001 not supported yet: several positions between elements of a texture at once
    y[pos] = d[0.5, 0.5, pos[0]]
endfunction
function [] = main()
    y = zeros(2,2)
    parallel_do([2,2], y, complex(y), zeros(2,2,3), y, k)
endfunction
