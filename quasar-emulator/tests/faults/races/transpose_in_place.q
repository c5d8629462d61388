% race m 4 5
function [] = __kernel__ flip(m : mat, pos : ivec2)
    if pos[0] != pos[1]
        t = m[pos[1], pos[0]]
        m[pos[0], pos[1]] = t
    endif
endfunction
m = reshape(float(0..15), [4, 4])
parallel_do([4, 4], m, flip)
