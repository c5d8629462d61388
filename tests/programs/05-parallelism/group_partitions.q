% Partitions of sizes that only the running kernel knows, and values of all types of numbers.
function [] = __kernel__ sizes(x : vec, n : int, y : vec, pos : int, coalesced_threads)
    tile = coalesced_threads.partition(n)
    total = x[pos]
    bit = 1
    while bit < tile.size
        total += tile.shfl_xor(total, bit)
        bit *= 2
    endwhile
    if tile.thread_idx == 0
        y[0] += total
    endif
    y[1] = tile.size <= n
endfunction
x = float(1..32)
for n = [1, 2, 8, 32]
    y = zeros(2)
    parallel_do([[32],[32]], x, n, y, sizes)
    print y
endfor
try
    parallel_do([[32],[32]], x, 12, y, sizes)
catch ex
    print ex
endtry

% The own value comes back from a group of one thread, whatever its type.
function [] = __kernel__ types(y : mat, z : cvec, pos : int, coalesced_threads)
    one = coalesced_threads.partition(1)
    y[pos,0] = one.shfl(int8(pos - 3), 0)
    y[pos,1] = one.shfl_up(uint8(250 + pos), 1)
    y[pos,2] = one.shfl_down(int16(1000*pos), 1)
    y[pos,3] = one.shfl_xor(uint16(60000 + pos), 1)
    y[pos,4] = float(one.shfl(half(0.5 + pos), 0))
    y[pos,5] = float(one.shfl(double(0.25*pos), 0))
    y[pos,6] = float(one.shfl(int64(pos), 0)) + float(one.shfl(uint64(pos), 0))
    z[pos] = one.shfl(complex(float(pos), 2.0), 0)
    both = one.shfl([complex(1.0, float(pos)), complex(0.0, 1.0)], 0)
    z[pos] += both[0]*both[1]
    own = one.ballot(1)
    alike = one.match_any(complex(1.0, 2.0)) == own
    y[pos,7] = alike + 2*(one.match_all(int8(5)) == own) + 4*(one.match_all(complex(1.0, float(pos))) == own)
endfunction
y = zeros(3, 8)
z = czeros(3)
parallel_do([[3],[3]], y, z, types)
print y
print z
