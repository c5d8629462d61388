% What the threads of a block share: fetched, stored and computed together.
function [] = __kernel__ histogram(im : mat, hist : vec, pos : ivec2)
    S : 'shared = zeros(8)
    S[int(im[pos])] += 1
    hist[:] += S
endfunction

function [] = __kernel__ patches(x : mat, y : mat, m : vec, N : int, pos : int, blkidx : int)
    T : 'shared = transpose(x[0..N-1, 0..3])
    U : 'shared = uninit(4, N)
    for i=0..N-1
        for j=0..3
            U[j,i] = 2*T[j,i] + i
        endfor
    endfor
    average = mean(U)
    U[:,0] = 5
    y[4*blkidx..4*blkidx+3,:] = U
    m[pos] = average + max(T)
endfunction

x = zeros(6,7)
for i=0..5
    for j=0..6
        x[i,j] = mod(3*i+j,8)
    endfor
endfor
hist = zeros(8)
parallel_do(size(x), x, hist, histogram)
print hist
y = zeros(12,5)
m = zeros(10)
parallel_do([[10],[4]], x, y, m, 5, patches)
print y
print m
