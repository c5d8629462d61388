% Arrays that blocks share and that begin where tiles of positions begin.
function [] = __kernel__ squares(im : mat, y : mat, pos : ivec2)
    o = pos - mod(pos, 4)
    t : 'shared = im[o[0]..o[0]+3, o[1]..o[1]+3]
    y[pos] = t[3 - mod(pos[0],4), 3 - mod(pos[1],4)]
endfunction
function [] = __kernel__ quotient(x : vec, y : vec, pos : int)
    B : 'const = 8
    o = int(pos/B)*B
    t : 'shared = x[o..o+B-1]
    y[pos] = t[pos - o] + max(t) - min(t)
endfunction
function [] = __kernel__ rounded(x : vec, y : vec, pos : int)
    k = floor(pos/8)
    t : 'shared = x[8*k..8*k+7]
    y[pos] = sum(t)
endfunction
function [] = __kernel__ by_block(x : vec, y : vec, pos : int, blkidx : int, blkdim : int, blkpos : int)
    t : 'shared = x[blkidx*4..blkidx*4+3]
    y[pos] = t[3 - blkpos]
    first = pos - blkpos
    u : 'shared = x[first..first+3]
    y[pos] += 100*u[blkpos]
    last = pos - mod(pos, blkdim) + 3
    w : 'shared = x[last-1..last]
    y[pos] += 10000*w[1]
endfunction
% Each component of the position has tiles of its own, and one may have none.
function [] = __kernel__ rows(im : mat, y : mat, pos : ivec2)
    n = pos[1] - mod(pos[1], 2)
    t : 'shared = im[:, n..n+1]
    y[pos] = t[pos[0], 1 - mod(pos[1], 2)] + im[pos[0], n]
endfunction
function [] = __kernel__ margins(x : vec, y : vec, pos : int)
    o = pos - mod(pos, 4)
    t : 'shared = x[o-1..o+4]
    k = pos - o
    y[pos] = t[k] + t[k+1] + t[k+2]
endfunction

im = reshape(float(0..63), [8,8])
y = zeros(8,8)
parallel_do([[8,8],[4,4]], im, y, squares)
print y[0..5,0..5]
y[:,:] = 0
% Blocks that lie within a tile, and launches that choose none.
parallel_do([[8,8],[2,4]], im, y, squares)
print y[2..5,2..5]
z = zeros(8,8)
parallel_do([8,8], im, z, squares)
print sum(abs(y - z))
x = float(0..23)
v = zeros(24)
parallel_do([[24],[8]], x, v, quotient)
print v
parallel_do(24, x, v, quotient)
print v[4..12]
parallel_do([[24],[4]], x, v, rounded)
print v
v = zeros(24)
parallel_do([[24],[4]], x, v, by_block)
print v[0..7]
parallel_do([8,8], im, y, rows)
print y[0..2,:]
% The last tile is not full.
v = zeros(22)
parallel_do(22, x[0..21], v, margins)
print v
% Blocks that the program chooses at run time: one that crosses tiles is an error.
for n = [2, 3, 4]
    v = zeros(24)
    try
        parallel_do([[24],[n]], x, v, margins)
        print n, ": ", v[0..6]
    catch e
        print n, ": refused"
    endtry
endfor
