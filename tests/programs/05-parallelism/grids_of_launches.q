% Grids of every form, and positions with fewer or more components than they have.
function [] = __kernel__ k1(y : mat, pos : ivec2)
    y[pos] = pos[0]*10 + pos[1]
endfunction
y = zeros(2,3)
parallel_do([2,3], y, k1)
print y
parallel_do([2.9,3.9], y, k1)
print y
y = zeros(4,4)
parallel_do([[4,4],[2,2]], y, k1)
print y
sz = [4,4]
bs = [2,1]
parallel_do([sz,bs], y, k1)
function [] = __kernel__ ord(l : ivec, n : ivec, pos : ivec2)
    l[n[0]] = pos[0]*10 + pos[1]
    n[0] += 1
endfunction
l = zeros[int](6)
serial_do([2,3], l, [0], ord)
print l
multi_parallel_do([4,4], y, k1)
parallel_do([0,4], y, k1)
parallel_do([-1,4], y, k1)
function [] = __kernel__ k3(y : mat, pos : ivec3)
    y[pos[0],pos[1]] = pos[2] + 1
endfunction
parallel_do([2,2], y, k3)
print y
function [] = __kernel__ lin(y : ivec, pos : int)
    y[pos] = pos
endfunction
z = zeros[int](6)
parallel_do([2,3], z, lin)
print z
function [] = __kernel__ unt(y : mat, pos)
    y[pos] = numel(pos)
endfunction
parallel_do([4,4], y, unt)
print y[0,0]
function [] = __kernel__ unt1(y : vec, pos)
    y[pos] = pos
endfunction
v = zeros(3)
parallel_do(3, v, unt1)
print v
function [] = __kernel__ sh(y : mat, s : vec2, pos)
    y[pos + s] += 1
endfunction
y = zeros(2,2)
parallel_do([2,2,3], y, [0,0], sh)
print y
c = zeros(2,2,3)
function [] = __kernel__ spr(y : cube, pos)
    y[...pos, :] = 4
endfunction
parallel_do(size(c), c, spr)
print sum(c)
parallel_do(16, v, __kernel__ (v : vec, pos : int) -> v[0] += 1)
print v[0]
% 16 dims
q = zeros(1,2,1,2,1,1,1,1,1,1,1,1,1,1,1,2)
parallel_do(size(q), q, __kernel__ (q : cube{16}, pos : ivec(16)) -> q[pos] = pos[1] + pos[3] + pos[15])
print sum(q)
