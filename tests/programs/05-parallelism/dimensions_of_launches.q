% Floats as dimensions are cut; positions take their length from how they are used; negative extents launch nothing.
function [] = __kernel__ fill(y, pos)
    y[pos] += pos[0] * 10 + pos[1]
endfunction
function [] = __kernel__ shifted(y : mat, shift : ivec2, pos)
    y[pos + shift] = 7
endfunction
function [] = __kernel__ channels(y : cube, pos)
    y[...pos, :] = pos[0]
endfunction
function [] = __kernel__ converted(y : mat, pos : vec2)
    y[pos] = 0.5 * pos[1]
endfunction
y = zeros(2, 2)
parallel_do([2.9, 2.2], y, fill)
print y
parallel_do([-1, 2], y, fill)
parallel_do([1, 1], y, [1, 0], shifted)
print y
c = zeros(2, 2, 2)
parallel_do([2, 2], c, channels)
print c[1, 1, :], c[0, 1, :]
parallel_do([2, 2], y, converted)
print y
