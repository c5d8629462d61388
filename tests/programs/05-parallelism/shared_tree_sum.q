function [] = __kernel__ tree(x : vec, y : vec, blkpos : int, blkdim : int, blkidx : int, pos : int)
    s = shared(64)
    s[blkpos] = x[pos]
    syncthreads
    n = 8
    while n > 1
        n = int(n/2)
        if blkpos < n
            s[blkpos] = s[blkpos] + s[blkpos + n]
        endif
        syncthreads
    endwhile
    if blkpos == 0
        y[blkidx] = s[0]
    endif
endfunction
x = float(1..16)
y = zeros(2)
parallel_do([[16],[8]], x, y, tree)
print y
