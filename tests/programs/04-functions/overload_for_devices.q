function y = kind(x : scalar)
    y = "host"
endfunction
function y : scalar = __device__ weight(x : scalar)
    y = 3*x
endfunction
z = zeros(2)
parallel_do(2, __kernel__ (pos) -> z[pos] = weight(pos + 1.0))
print z, kind(1.0), weight(2.0)
