% single: prints numbers of single precision
% Types, sizes and numbers of dimensions as parameters, found from arguments or given, and used in the body.
function y = f[T](x : mat[T])
    y = type(x)
endfunction
function y = g[N](C : mat(N,N), img : cube(:,:,N))
    y = N
endfunction
function y = k[N : int](x : cube{N}, s : vec(N))
    y = N
endfunction
print f([[1]]), f([[1.5]]), g(zeros(2,2), zeros(5,5,2)), k(zeros(2,3),[1.0,2])
function y = ev[N](v : vec(2*N))
    y = N
endfunction
print ev([1.0,2,3,4,5,6])
function y = two[T](a : vec[T], b : vec[T])
    y = type(a)
endfunction
print two([1.0],[2.5])
function y = dm[N : int](a : cube{N}, b : cube{N})
    y = N
endfunction
print dm([1.0,2], zeros(2,2)), dm(zeros(1,1,2), [1.0])
function y = mk[T](n : int)
    y = {zeros[T](n), type(vec[T](n)), uninit[T](n), cast(1.7,T), maxvalue(T)}
    y = {type(y[0]), y[1], y[3], y[4]}
endfunction
print mk[int](2), mk[scalar](2)
function y = nn[N : int](v : vec(N))
    y = zeros(N,N)
endfunction
print type(nn([1.0,2]))
function [] = __kernel__ kk[T](x : vec[T], y : vec[T], pos : int)
    s = shared[T](2)
    s[pos] = x[pos]
    syncthreads
    y[pos] = s[1-pos]
endfunction
a = [0,0]
parallel_do(2, [1,2], a, kk)
print a
b = [0.0,0]
parallel_do(2, [1.5,2], b, kk)
print b
{!auto_specialize}
function y = as(x, f)
    y = f(x)
endfunction
print as(2, x -> x * 2)
function [] = __kernel__ fp(y : vec, f : [__device__ scalar -> scalar], n : int, pos : int)
    y[pos] = f(n)
endfunction
c = zeros(1)
parallel_do(1, c, __device__ (x : scalar) -> x + 1, 3, fp)
print c
