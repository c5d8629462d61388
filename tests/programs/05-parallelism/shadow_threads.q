function [] = __kernel__ shifted(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    s = shared(4)
    s[blkpos] = x[pos]
    syncthreads(block)
    y[pos] = s[mod(blkpos + 1, blkdim)]
endfunction
x = float(1..6)
y = zeros(6)
parallel_do([[6],[4]], x, y, shifted)
print y
