% What threads of a warp agree upon, in ways that do not depend on how many they are.
function [] = __kernel__ votes(x : ivec, y : ivec, pos : int, coalesced_threads : thread_block)
    group = coalesced_threads
    even = mod(x[pos], 2) == 0
    y[pos] = group.all(even) == (group.any(!even) == 0)
    y[pos] += 2 * (group.any(even) == (group.ballot(even) > 0))
    % The own bit of a ballot, of all equal values, and of the whole group.
    own = int(group.ballot(1))
    y[pos] += 4 * (own != 0 && group.ballot(0) == 0)
    y[pos] += 8 * (int(group.match_all(7)) == own)
    y[pos] += 16 * (group.match_any(x[pos]) > 0)
    y[pos] += 32 * (group.active_mask > 0)
    y[pos] += 64 * (group.thread_idx < group.size)
    group.sync()
endfunction
x = 0..39
y = zeros[int](40)
parallel_do([[40], [20]], x, y, votes)
print y

% Threads that are not there give nothing: the own value stays. Numbers of 32 and 64 bits and small vectors are exchanged.
function [] = __kernel__ values(y : mat, pos : int, coalesced_threads : thread_block)
    one = coalesced_threads.partition(1)
    y[pos, 0] = one.shfl(pos, 0)
    y[pos, 1] = one.shfl_up(0.5 + pos, 1)
    y[pos, 2] = one.shfl_down(float(pos), 3)
    y[pos, 3] = one.shfl_xor(2 * pos, 1)
    both = coalesced_threads.shfl([float(pos), pos + 1.0], coalesced_threads.thread_idx)
    y[pos, 4] = both[0] * 10 + both[1]
    y[pos, 5] = one.size * 10 + one.thread_idx
endfunction
y = zeros(3, 6)
parallel_do(3, y, values)
print y
