% Shared integers and complex numbers, blocks of three dimensions, threads beyond the launch.
function [] = __kernel__ integers(x : mat[int], h : vec[int], pos : ivec2, blkidx : ivec2)
    S : 'shared = zeros(4)
    L : vec[int]'shared = x[0,0..3]
    S[mod(x[pos],4)] += 1
    h[0..3] += int(S) + L
    h[4] += sum(L)
endfunction

function [] = __kernel__ complexes(x : cvec, y : cmat, pos : int, blkidx : int)
    S : 'shared = x[0..3] .* (1+1i)
    y[blkidx,:] = S
    y[2,pos] = sum(S)
endfunction

function [] = __kernel__ cubes(x : cube, y : vec, pos : ivec3)
    S : 'shared = x[:,:,0]
    T : 'shared = zeros(2,3,2)
    T[pos[0],mod(pos[1],3),mod(pos[2],2)] += S[mod(pos[0],2),mod(pos[1],3)]
    y[0] += sum(T)
    y[1] += sum(S)
endfunction

x = int(zeros(5,7))
for i=0..4
    for j=0..6
        x[i,j] = 2*i+j
    endfor
endfor
h = int(zeros(5))
parallel_do([[5,7],[2,4]], x, h, integers)
print h
z = zeros(4)+0i
for i=0..3
    z[i] = i + 1i
endfor
w = zeros(3,4)+0i
parallel_do([[4],[3]], z, w, complexes)
print w
q = ones(2,3,4)
s = zeros(2)
parallel_do([[2,3,4],[1,2,2]], q, s, cubes)
print s
