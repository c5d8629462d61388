% Loops in kernels run in order in each thread, with labels and jumps; matches on enums and shared memory of integers.
type side : enum
    Left
    Right = 4
endtype
function [] = __kernel__ walk(y : ivec, s : side, pos : int, blkpos : int)
    t = shared[int](4)
    t[blkpos] = 0
    outer:
    for i = 0..9
        for j = 0..9
            if i * j > pos
                break outer
            endif
            t[blkpos] = 10 * i + j
        endfor
    endfor
    syncthreads(block)
    match s with
    | Left -> y[pos] = t[blkpos]
    | Right -> y[pos] = t[3 - blkpos]
    endmatch
endfunction
y = zeros[int](4)
parallel_do([[4], [4]], y, side.Left, walk)
print y
parallel_do([[4], [4]], y, side.Right, walk)
print y
