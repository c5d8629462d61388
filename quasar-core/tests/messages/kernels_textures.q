function [] = __kernel__ k(a : mat'hwtex_linear(3), b : ivec'hwtex_linear, c : cube(:,:,3)'hwtex_nearest(2), d : cube{4}'hwtex_nearest, e : mat'hwtex_linear, pos : int)
%                                  ^ Q0302 a texture has 1, 2 or 4 components
%                                                   ^ Q0302 integers are not interpolated: 'hwtex_nearest reads them
%                                                                          ^ Q0302 the last dimension of a texture of 2 components is longer
%                                                                                                            ^ Q0302 a texture has one to three dimensions besides its components
    t : vec'hwtex_nearest = zeros(3)
%   ^ Q0302 textures are parameters: an array that is assigned cannot become one
    e[0, 0] = 1
%   ^ Q0204 'e' is a texture between whose elements is interpolated, which is only read
endfunction
function [] = main()
    x = zeros(2, 2)
    parallel_do(2, x, [1, 2], zeros(2,2,3), zeros(2,2,2,2), x, k)
endfunction
