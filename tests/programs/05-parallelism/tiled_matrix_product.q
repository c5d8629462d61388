function [] = __kernel__ product(A : mat, B : mat, C : mat, pos : ivec2, blkpos : ivec2)
    a = shared(2,2)
    b = shared(2,2)
    total = 0.0
    for t = 0..2..size(A,1)-1
        a[blkpos] = A[pos[0], t + blkpos[1]]
        b[blkpos] = B[t + blkpos[0], pos[1]]
        syncthreads
        for k = 0..1
            total += a[blkpos[0],k]*b[k,blkpos[1]]
        endfor
        syncthreads
    endfor
    C[pos] = total
endfunction
A = reshape(float(0..7), [2,4])
B = reshape(float(0..7), [4,2])
C = zeros(2,2)
parallel_do([[2,2],[2,2]], A, B, C, product)
print C
