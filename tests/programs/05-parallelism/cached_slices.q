% Parts of arrays in shared memory: what attributes name of them is cached, and nothing else changes.
function [] = __kernel__ column(x : vec, table : mat, y : vec, a : int, pos : int)
    {!kernel_transform enable="sharedmemcaching"}
    {!kernel_arg name=table; type="in"; access="shared"; cache_slices=table[:,a]; numel=32}
    k = int(mod(x[pos], 12))
    j = int(mod(x[pos], 4))
    y[pos] = table[k,a] + 10*table[k-2,j] + 100*table[k,a+1]
endfunction
function [] = __kernel__ column_plain(x : vec, table : mat, y : vec, a : int, pos : int)
    k = int(mod(x[pos], 12))
    j = int(mod(x[pos], 4))
    y[pos] = table[k,a] + 10*table[k-2,j] + 100*table[k,a+1]
endfunction

% One channel of a histogram is counted by blocks, the others at once.
function [] = __kernel__ count(x : vec, hist : mat, channel : int, pos : int)
    {!kernel_transform enable="sharedmemcaching"}
    {!kernel_arg name=hist; type="inout"; access="shared"; op="+="; cache_slices=hist[channel,:]; numel=16}
    k = int(mod(x[pos], 16))
    hist[channel, k] += 1
    hist[int(mod(x[pos], 3)), k] += 2
endfunction

% The first places of a longer vector, where most values are.
function [] = __kernel__ often(x : vec, hist : vec, low : vec, pos : int)
    {!kernel_transform enable="sharedmemcaching"}
    {!kernel_arg name=hist; type="inout"; access="shared"; op="+="; cache_slices=hist[0..7]}
    {!kernel_arg name=low; type="inout"; access="shared"; op="__="; cache_slices=low[2..9]}
    k = int(x[pos])
    hist[k] += 1
    low[k] __= pos - 50
endfunction

% The rows of a block with one above and below, by their own borders.
function [] = __kernel__ rows(x : mat'mirror, y : mat, pos : ivec2, blkidx : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[4*blkidx[0]-1..4*blkidx[0]+4,:]; numel=6*40}
    y[pos] = x[pos[0]-1,pos[1]] + x[pos[0]+1,pos[1]+1] + 3*x[pos[0],pos[1]-1]
endfunction
function [] = __kernel__ rows_plain(x : mat'mirror, y : mat, pos : ivec2)
    y[pos] = x[pos[0]-1,pos[1]] + x[pos[0]+1,pos[1]+1] + 3*x[pos[0],pos[1]-1]
endfunction

% A slice of a cube, and a single element.
function [] = __kernel__ plane(v : cube, w : vec, y : mat, at : ivec2, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
    {!kernel_arg name=v; type="in"; access="shared"; cache_slices=v[:,at[1]+1,:]; numel=5*6}
    {!kernel_arg name=w; type="inout"; access="shared"; op="+="; cache_slices=w[3]}
    y[pos] = v[pos[0], at[1]+1, pos[1]] + v[pos[1], pos[0], 0]
    w[3] += v[pos[0], at[1]+1, pos[1]]
    w[0] += 1
endfunction

% As a loop.
function y = mapped(x : vec, map : mat, a : int)
    y = zeros(numel(x))
    {!kernel_transform enable="sharedmemcaching"}
    {!kernel_arg name=map; type="in"; access="shared"; cache_slices=map[a,:]; numel=64}
    for i=0..numel(x)-1
        y[i] = map[a, int(x[i])] + i
    endfor
endfunction

function [] = columns(n : int, a : int)
    x = zeros(n)
    table = zeros(12, 4)
    for i=0..n-1
        x[i] = mod(7*i + 3, 31)
    endfor
    for i=0..11
        for j=0..3
            table[i,j] = 5*i + j
        endfor
    endfor
    y = zeros(n)
    z = zeros(n)
    parallel_do(n, x, table, y, a, column)
    parallel_do(n, x, table, z, a, column_plain)
    print sum(abs(y - z)), " ", sum(y)
endfunction
columns(500, 1)
columns(7, 3)
% A column that is not there.
columns(100, -1)
columns(100, 4)

x = float(mod(17*(0..299), 41))
hist = zeros(3, 16)
parallel_do(300, x, hist, 1, count)
print hist[0,:]
print hist[1,:]
print hist[2,:]
seldom = zeros(41)
low = 1000*ones(41)
parallel_do(300, x, seldom, low, often)
print seldom
print low

m = zeros(13, 40)
for i=0..12
    for j=0..39
        m[i,j] = mod(7*i + 5*j + i*j, 11)
    endfor
endfor
y = zeros(size(m))
z = zeros(size(m))
parallel_do([size(m),[4,8]], m, y, rows)
parallel_do(size(m), m, z, rows_plain)
print sum(sum(abs(y - z))), " ", sum(y)

v = zeros(5, 7, 6)
for i=0..4
    for j=0..6
        for k=0..5
            v[i,j,k] = 100*i + 10*j + k
        endfor
    endfor
endfor
w = zeros(5)
p = zeros(5, 6)
parallel_do(size(p), v, w, p, [9,2], plane)
print p[2,:], " ", w

t = zeros(3, 50)
for i=0..2
    t[i,:] = i + 2*(0..49)
endfor
f = mapped(float(mod(3*(0..99), 50)), t, 2)
print sum(f), " ", f[0..4]
