% The Kronecker product and the cyclic shift as kernels for any number of dimensions.
function y : cube{N} = kronecker[N : int](a : cube{N}, b : cube{N})
    function [] = __kernel__ fill[N : int](a : cube{N}, b : cube{N}, y : cube{N}, pos : ivec(N))
        inner = size(b)
        outer : ivec(N) = zeros[int](N)
        rest : ivec(N) = zeros[int](N)
        for k = 0..N-1
            outer[k] = int(floor(pos[k] / inner[k]))
            rest[k] = pos[k] - outer[k] * inner[k]
        endfor
        y[pos] = a[outer] * b[rest]
    endfunction
    y = zeros(size(a) .* size(b))
    parallel_do(size(y), a, b, y, fill)
endfunction
function y : cube{N} = shifted[N : int](x : cube{N}, s : ivec(N))
    function [] = __kernel__ move[N : int](x : cube{N}'circular, y : cube{N}, s : ivec(N), pos : ivec(N))
        y[pos] = x[pos - s]
    endfunction
    y = zeros(size(x))
    parallel_do(size(x), x, y, s, move)
endfunction
a = [[1,2],[3,4.5]]
b = [[0,1,2],[3,4,5.5]]
print kronecker(a, b)
print max(abs(kronecker(a, b) - kron(a, b)))
print kronecker(reshape(1..4.0, [1,2,2]), reshape(1..2.0, [2,1,1]))
print shifted(b, [1,-1])
print max(abs(shifted(b, [1,-1]) - circshift(b, [1,-1])))
print shifted(reshape(0..7.0, [2,2,2]), [0,1,1])
