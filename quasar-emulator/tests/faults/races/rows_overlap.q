% race m 5
function [] = __kernel__ fill(m : mat, pos : int)
    % each thread writes one column too many
    for n = 0..3
        m[0, 3 * pos + n] = pos
    endfor
endfunction
m = zeros(1, 16)
parallel_do(5, m, fill)
