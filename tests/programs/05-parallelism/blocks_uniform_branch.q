% A barrier inside a branch that all threads of a block take alike.
function [] = __kernel__ branch(x : vec, y : vec, pos : int, blkpos : int, blkidx : int, blkdim : int)
    s = shared(4)
    s[blkpos] = x[pos]
    if mod(blkidx, 2) == 0
        syncthreads
        y[pos] = s[blkdim - 1 - blkpos]
    else
        y[pos] = -x[pos]
    endif
endfunction
x = float(1..12)
y = zeros(12)
parallel_do([[12], [4]], x, y, branch)
print y
