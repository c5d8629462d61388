% Regions of kernels that are meant for every position, where there are fewer threads than positions.
function [] = __kernel__ sort_all(x : vec, n : int, pos : int)
    {!kernel_tiling mode="global"; dims=[16]}
    k = 2
    while k <= n
        j = shr(k,1)
        while j > 0
            {!begin_grid_group}
            other = xor(pos,j)
            if other > pos
                up = and(pos,k) == 0
                a = x[pos]
                b = x[other]
                if (a > b) == up
                    x[pos] = b
                    x[other] = a
                endif
            endif
            {!end_grid_group}
            syncthreads(grid)
            j = shr(j,1)
        endwhile
        k = 2*k
    endwhile
endfunction

% A histogram: each block sets up its memory once and visits many positions.
function [] = __kernel__ histogram(x : mat, hist : vec, pos : ivec2)
    {!kernel_tiling mode="global"; dims=[2,4]}
    H : 'shared = zeros(8)
    {!begin_grid_group}
    H[mod(int(x[pos]),8)] += 1
    {!end_grid_group}
    hist[:] += H
endfunction

% The sum of each thread, and regions inside of regions.
function total = __kernel__ sums(x : vec, y : vec, pos : int)
    {!kernel_tiling mode="global"; dims="auto"}
    s = 0.0
    {!begin_grid_group}
    s += x[pos]
    first = pos
    {!begin_grid_group}
    y[pos] += first
    {!end_grid_group}
    {!end_grid_group}
    total += s
endfunction

n = 64
x = zeros(n)
for i=0..n-1
    x[i] = mod(37*i+11,n)
endfor
parallel_do(n, x, n, sort_all)
print x
z = zeros(9,13)
for i=0..8
    for j=0..12
        z[i,j] = i*j
    endfor
endfor
hist = zeros(8)
parallel_do(size(z), z, hist, histogram)
print hist
y = zeros(10)
print parallel_do(10, 0..9, y, sums)
print y
