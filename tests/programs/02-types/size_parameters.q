function y = middle[N : int](x : vec(2*N+1))
    y = x[N]
endfunction
function y = corners[M, N](A : mat(M,N))
    y = [A[0,0], A[M-1,N-1]]
endfunction
print middle([1.0,2,3]), " ", middle([1.0,2,3,4,5]), " ", corners([[1.0,2,3],[4,5,6]])
