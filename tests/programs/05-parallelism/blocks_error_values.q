% Values in the messages of errors in kernels; a divergent barrier is an error.
function [] = __kernel__ positive(x : vec, y : vec, pos : int)
    v = [x[pos], pos]
    if x[pos] < 0
        error("negative: ", x[pos], " at ", pos, " in ", v)
    endif
    y[pos] = sqrt(x[pos])
endfunction
function [] = __kernel__ divergent(y : vec, pos : int, blkpos : int)
    if blkpos < 2
        syncthreads
    endif
    y[pos] = 1
endfunction
x = [4.0, 9, -2.5, 16]
y = zeros(4)
try
    parallel_do(4, x, y, positive)
catch ex
    print ex
endtry
try
    parallel_do([[4],[4]], y, divergent)
catch ex
    print "divergent"
endtry
