% Fewer threads than positions: far apart, as neighbours, in loops, and grids of four dimensions.
function [] = __kernel__ apart(x : mat, y : mat, pos : ivec2)
    {!kernel_tiling mode="global"; dims=[3,4]}
    y[pos] = 2*x[pos] + pos[0]
endfunction

function total = __kernel__ neighbours(x : mat, y : mat, pos : ivec2)
    {!kernel_tiling mode="local"; dims=[2,4]}
    y[pos] = x[pos[0],pos[1]+1] - x[pos]
    total += x[pos]
endfunction

function [] = __kernel__ exchanged(x : vec, pos : int)
    {!kernel_tiling mode="global"; dims=[4]}
    value = x[pos]
    syncthreads(grid)
    x[11-pos] = value
endfunction

function [] = __kernel__ four(x : cube{4}, y : cube{4}, pos : ivec4)
    {!kernel_partial_flattening dim=4}
    y[pos] = x[pos] + 1000*pos[0] + 100*pos[1] + 10*pos[2] + pos[3]
endfunction

x = zeros(7,9)
for i=0..6
    for j=0..8
        x[i,j] = 10*i + j
    endfor
endfor
y = zeros(7,9)
parallel_do(size(x), x, y, apart)
print max(max(abs(y - 2*x))), sum(y)
print parallel_do(size(x), x, y, neighbours)
print y[0,:], y[6,:]
z = 10.5+(0..11)
parallel_do(12, z, exchanged)
print z
{!kernel_tiling mode="local"; dims=[1,2]}
for i=0..6
    for j=0..8
        y[i,j] = x[6-i,j]
    endfor
endfor
print y[:,3]
q = zeros(2,3,4,5)
r = zeros(2,3,4,5)
parallel_do(size(q), q, r, four)
print r[1,2,3,4], sum(r)
