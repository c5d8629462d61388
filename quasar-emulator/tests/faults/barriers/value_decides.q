% barrier 4
function [] = __kernel__ k(x : vec, y : vec, pos : int)
    if x[pos] > 0.5
        syncthreads
    endif
    y[pos] = x[pos]
endfunction
parallel_do([[4], [4]], [0., 1., 0., 1.], zeros(4), k)
