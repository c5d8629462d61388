% Regions done for every position, arrays that device functions return, and memory without limits.
function [] = __kernel__ gg(x : vec, y : vec, pos : int)
    {!kernel_tiling mode="global"; dims="auto"}
    {!begin_grid_group}
    y[pos] = x[pos] + 1
    {!end_grid_group}
endfunction
x = ones(100)
y = zeros(100)
parallel_do(100, x, y, gg)
print sum(y)
function r = __device__ mkv(n : int)
    r = zeros(n)
    r[n-1] = n
endfunction
function [] = __kernel__ us(y : vec, pos : int)
    y[pos] = sum(mkv(pos + 1))
endfunction
parallel_do(4, y, us)
print y[0..3]
function [] = __kernel__ coop(y : vec, n : int, pos : int)
    {!kernel memorymodel="cooperative"}
    t = zeros(n)
    t[0] = pos
    y[pos] = t[0]
endfunction
parallel_do(4, y, 70000, coop)
print y[0..3]
