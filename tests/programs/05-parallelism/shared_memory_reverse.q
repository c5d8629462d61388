function [] = __kernel__ reverse(x : vec, y : vec, blkpos : int, blkdim : int, blkidx : int, pos : int)
    s = shared(64)
    s[blkpos] = x[pos]
    syncthreads
    y[pos] = s[blkdim - 1 - blkpos]
endfunction
x = float(0..7)
y = zeros(8)
parallel_do([[8],[4]], x, y, reverse)
print y
