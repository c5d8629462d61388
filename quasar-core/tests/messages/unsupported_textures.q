function [] = __kernel__ k(x : mat'hwtex_linear, y : mat, pos : ivec2)
%                                  ^ Q0001 not supported yet: interpolating textures ('hwtex_linear)
    y[pos] = x[pos[0] + 0.5, pos[1]]
%              ^ Q0314 implicit conversion from 'scalar' to 'int'
endfunction
function [] = main()
    y = zeros(2,2)
    parallel_do([2,2], y, y, k)
endfunction
