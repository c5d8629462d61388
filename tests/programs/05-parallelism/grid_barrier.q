function [] = __kernel__ twice(x : vec, y : vec, pos : int)
    y[pos] = x[pos] + 1
    syncthreads(grid)
    x[pos] = y[mod(pos + 1, 6)]
endfunction
x = float(0..5)
y = zeros(6)
parallel_do([[6],[2]], x, y, twice)
print x
