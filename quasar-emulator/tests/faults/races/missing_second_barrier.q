% race s 6 8
function [] = __kernel__ steps(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    s = shared(8)
    sum = 0.0
    for k = 0..3
        s[blkpos] = x[pos] + k
        syncthreads
        sum += s[mod(blkpos + 1, blkdim)]
    endfor
    y[pos] = sum
endfunction
y = zeros(8)
parallel_do([[8], [8]], float(0..7), y, steps)
