% Stores to `'shared` arrays are done by each thread where the index, the value or a condition differs in a block as it is written, also if
% a function that is inlined ignores the difference; otherwise once for a block.
function y : int = __device__ second(x : int)
    y = 1
endfunction
function [] = __kernel__ each_thread(c : int, h : ivec, pos : ivec2, blkpos : ivec2, blkidx : ivec2)
    S : 'shared = zeros[int](3)
    S[second(blkpos[0])] += 1
    S[0] += second(pos[1])
    if second(blkpos[1]) == 1
        S[2] += 10
    endif
    h[:] += S
endfunction
function [] = __kernel__ each_block(c : int, h : ivec, pos : ivec2, blkpos : ivec2, blkidx : ivec2)
    S : 'shared = zeros[int](3)
    S[second(c)] += 1
    S[0] += second(blkidx[1])
    if second(c) == 1
        S[2] += 10
    endif
    h[:] += S
endfunction
function [] = __kernel__ elements_elsewhere(c : int, h : ivec, pos : ivec2, blkpos : ivec2, blkidx : ivec2)
    S : 'shared = ones[int](3)
    h[second(blkpos[0])] += S[0]
    h[2] += S[second(pos[1])]
    h[0] += S[second(c)]
endfunction
function [] = main()
    h = zeros[int](3)
    parallel_do([[4, 4], [2, 4]], 3, h, each_thread)
    print h
    h = zeros[int](3)
    parallel_do([[4, 4], [2, 4]], 3, h, each_block)
    print h
    h = zeros[int](3)
    parallel_do([[4, 4], [2, 4]], 3, h, elements_elsewhere)
    print h
endfunction
