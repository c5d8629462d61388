% Barriers inside loops: an inclusive scan of each block, with values that live across barriers.
function [] = __kernel__ scan(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    s = shared(16)
    s[blkpos] = x[pos]
    syncthreads
    d = 1
    while d < blkdim
        v = s[blkpos]
        if blkpos >= d
            v = v + s[blkpos - d]
        endif
        syncthreads
        s[blkpos] = v
        syncthreads
        d = d * 2
    endwhile
    y[pos] = s[blkpos]
endfunction

function [] = __kernel__ rounds(y : ivec, pos : int, blkpos : int, blkdim : int)
    s = shared[int](8)
    acc = 0
    s[blkpos] = blkpos
    syncthreads
    for k = 1..10
        acc = acc + s[mod(blkpos + k, blkdim)]
        if k == 4
            break
        endif
        syncthreads
        if blkpos == 0
            s[0] = s[0] + 100
        endif
        syncthreads
    endfor
    y[pos] = acc
endfunction
x = float(1..16)
y = zeros(16)
parallel_do([[16], [8]], x, y, scan)
print y
z = vec[int](8)
parallel_do([[8], [4]], z, rounds)
print z
