% barrier 7
function [] = __kernel__ k(x : vec, y : vec, pos : int)
    for n = 0..9
        if x[pos] < n
            break
        endif
        syncthreads
        y[pos] = n
    endfor
endfunction
parallel_do([[4], [4]], [1., 2., 3., 9.], zeros(4), k)
