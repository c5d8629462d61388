% race s 5 6
function [] = __kernel__ turn(x : vec, y : vec, pos : int, blkpos : int, blkdim : int)
    % a block turns its elements round in shared memory
    s = shared(16)
    s[blkpos] = x[pos]
    y[pos] = s[blkdim - 1 - blkpos]
endfunction
y = zeros(16)
parallel_do([[16], [16]], float(0..15), y, turn)
