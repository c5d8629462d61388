% barrier 5
function [] = __kernel__ k(x : ivec, y : vec, pos : int)
    n = x[pos]
    while n > 0
        syncthreads
        n -= 1
    endwhile
    y[pos] = n
endfunction
parallel_do([[4], [4]], [1, 1, 2, 1], zeros(4), k)
