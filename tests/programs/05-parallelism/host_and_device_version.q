function y = version(x : scalar)
    y = 10*x
endfunction
function y : scalar = __device__ version(x : scalar)
    y = 20*x
endfunction
z = zeros(2)
parallel_do(2, __kernel__ (pos) -> z[pos] = version(1.0))
print z, version(1.0)
