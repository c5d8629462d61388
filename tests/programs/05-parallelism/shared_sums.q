% Shared variables that begin with sums of arrays, and elements that threads store at places of their own.
function [] = __kernel__ sums(x : mat, y : mat, pos : int)
    S : 'shared = x[0,:] + x[1,:]
    U : 'shared = x[0,:] .* x[1,:] + sum(x[1,:])
    V : 'shared = zeros(3)
    V[mod(pos,3)] = 5*mod(pos,3)
    syncthreads
    y[pos,0] = S[mod(pos,3)]
    y[pos,1] = U[2] + sum(S)
    y[pos,2] = V[mod(pos + 1,3)]
endfunction
y = zeros(6,3)
parallel_do([[6],[3]], [[1.0,2,3],[4,5,6]], y, sums)
print y
