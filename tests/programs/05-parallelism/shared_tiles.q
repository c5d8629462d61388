% Shared memory that is filled again and again, and blocks that a program computes itself.
function [] = __kernel__ product(a : mat, b : mat, c : mat, n : int, pos : ivec2, blkpos : ivec2, blkidx : ivec2)
    s = 0.0
    for k=0..n-1
        A : 'shared = a[4*blkidx[0]..4*blkidx[0]+3, 4*k..4*k+3]
        B : 'shared = b[4*k..4*k+3, 4*blkidx[1]..4*blkidx[1]+3]
        for i=0..3
            s += A[blkpos[0],i] * B[i,blkpos[1]]
        endfor
    endfor
    c[pos] = s
endfunction

% Rows of a matrix in virtual blocks of N threads.
function y = less_mean(x : mat, N : int)
    y = zeros(size(x))
    {!parallel for; blkdim=5}
    for m=0..numel(x)-1
        {!shared_mem_promotion assume_blk_constant={row}}
        row = int(floor(m/5))
        R : 'shared = x[row,:]
        y[row,m-5*row] = R[m-5*row] - mean(R)
    endfor
endfunction

a = zeros(8,12)
b = zeros(12,8)
c = zeros(8,8)
for i=0..7
    for k=0..11
        a[i,k] = i+mod(k,3)
        b[k,i] = i-k
    endfor
endfor
parallel_do([[8,8],[4,4]], a, b, c, 3, product)
print c[0,:], c[7,:]
print max(max(abs(c - a*b)))
print less_mean([[1,2,3,4,5],[5,5,5,5,10]], 5)
