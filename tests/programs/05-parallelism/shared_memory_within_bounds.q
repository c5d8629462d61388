% Shared memory whose size is given at run time, within bounds that assertions state.
function [] = __kernel__ tile(x : mat, y : mat, M : int, N : int, K : int, pos : int, blkpos : int, blkdim : int)
    assert(M<8 && N<20 && K<4)
    s = shared(M,N,K)
    for i=blkpos..blkdim..M*N*K-1
        k = mod(i,K)
        j = mod(int((i-k)/K),N)
        s[int((i-k-K*j)/(N*K)),j,k] = x[0,mod(i,size(x,1))]
    endfor
    syncthreads
    y[0,pos] = s[mod(pos,M),mod(pos,N),mod(pos,K)]
endfunction

function [] = __kernel__ product(x : vec, y : vec, M : int, N : int, pos : int)
    assert(M*N<=512)
    s = shared_zeros(M,N)
    syncthreads
    s[0,mod(pos,N)] += x[pos]
    syncthreads
    y[pos] = s[0,mod(pos,N)]
endfunction

x = zeros(1,10)
for i=0..9
    x[0,i] = i*i
endfor
y = zeros(1,12)
parallel_do(12, x, y, 3, 4, 2, tile)
print y
z = zeros(10)
parallel_do([[10],[5]], x[0,:], z, 2, 3, product)
print z
