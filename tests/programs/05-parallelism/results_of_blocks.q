% Results of kernels that use blocks, shared memory and barriers: what threads accumulate is combined over all blocks, and
% threads beyond the grid accumulate nothing.
function [s : scalar, m : scalar, n : int] = __kernel__ summary(x : vec'unchecked, pos : int, blkpos : int, blkdim : int, blkidx : int)
    t = shared(256)
    value = pos < numel(x) ? x[pos] : 0.0
    t[blkpos] = value
    syncthreads
    % Each thread takes the element of the thread opposite.
    s += t[blkdim - 1 - blkpos]
    m = max(m, t[blkpos])
    n += mod(blkidx, 2)
end

function [total : scalar] = __kernel__ tree(x : vec'unchecked, pos : int, blkpos : int, blkdim : int)
    t = shared(256)
    t[blkpos] = x[pos]
    syncthreads
    m = int(blkdim / 2)
    while m > 0
        if blkpos < m
            t[blkpos] += t[blkpos + m]
        endif
        syncthreads
        m = int(m / 2)
    end
    if blkpos == 0
        total += t[0]
    endif
end

function [total : cscalar, count : int] = __kernel__ turned(blkidx : ivec2, blkpos : ivec2, pos : ivec2)
    total += complex(blkidx[0], blkpos[1])
    count += 1
end

function [low : scalar] = __kernel__ lowest(x : mat, pos : ivec2, blkpos : ivec2)
    low = min(low, x[pos[0], pos[1]] - 100 * blkpos[0])
end

function [] = main()
    n = 4096
    x = mod(linspace(0, n - 1, n) * 7, 32)
    [s, m, k] = parallel_do([[n], [256]], x, summary)
    print s, " ", m, " ", k
    print parallel_do([[n], [256]], x, tree)
    print parallel_do([[256], [256]], x, tree)
    % The last blocks have threads beyond the grid.
    [c, count] = parallel_do([[37, 53], [8, 16]], turned)
    print c, " ", count
    [c, count] = parallel_do([[1, 1], [8, 16]], turned)
    print c, " ", count
    print parallel_do([[64, 48], [16, 16]], reshape(linspace(0, 64*48 - 1, 64*48), [64, 48]), lowest)
    [c, count] = parallel_do([0, 5], turned)
    print c, " ", count
end
