% race s 9
function [] = __kernel__ total(x : vec, y : vec, pos : int, blkpos : int, blkdim : int, blkidx : int)
    s = shared(32)
    s[blkpos] = x[pos]
    syncthreads
    half = int(blkdim / 2)
    while half > 0
        if blkpos < half
            s[blkpos] = s[blkpos] + s[blkpos + half]
        endif
        half = int(half / 2)
    endwhile
    syncthreads
    if blkpos == 0
        y[blkidx] = s[0]
    endif
endfunction
y = zeros(1)
parallel_do([[32], [32]], float(0..31), y, total)
