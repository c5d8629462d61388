% What threads of a block do together with shared variables: fetch, store, loops and reductions.
function [] = __kernel__ hist(im : vec, out : ivec, pos : int)
    S : 'shared = zeros[int](4)
    S[int(im[pos])] += 1
    syncthreads
    out[:] += S
endfunction
im = [0.0,1,1,2,3,3,3,0]
o = zeros[int](4)
parallel_do([[8],[4]], im, o, hist)
print o
function [] = __kernel__ many(x : mat, y : mat, pos : int)
    A : 'shared = x[0..1,:]
    B : 'shared = transpose(A)
    C : 'shared = uninit(2,2)
    for i = 0..1
        for j = 0..1
            C[i,j] = A[i,j] + B[i,j]
        endfor
    endfor
    y[pos,0] = sum(C)
    y[pos,1] = max(C)
    y[pos,2] = min(C)
    y[pos,3] = mean(C)
    y[pos,4] = prod(A)
endfunction
y = zeros(4,5)
parallel_do([[4],[2]], [[1.0,2],[3,4]], y, many)
print y
z = zeros(8)
for n = 0..7
    S : 'shared = [1.0,2,3,4] * 2
    z[n] = S[mod(n,4)]
endfor
print z
