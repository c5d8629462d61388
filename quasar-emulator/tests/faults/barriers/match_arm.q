% barrier 4
function [] = __kernel__ k(y : vec, pos : int, blkpos : int)
    match blkpos with
    | 0 -> syncthreads
    | _ -> y[pos] = 1
    endmatch
endfunction
parallel_do([[4], [4]], zeros(4), k)
