% Arrays of any number of dimensions where a kernel takes a vec: their elements in the order of rows, which the kernel may change.
function [] = __kernel__ k(x : vec[??], y : vec, pos : int)
  y[pos] = 2*x[pos]
endfunction
function [] = __kernel__ kt[T](x : vec[T], y : vec[T], pos : int)
  y[pos] = x[pos] + 1
endfunction
function [] = __kernel__ hist(x : vec[int], h : vec[int], pos : int)
  h[x[pos]] += 1
endfunction
function s : scalar = __kernel__ total(x : vec'const, pos : int)
  s += x[pos]*numel(x)
endfunction
A = [[1,2,3],[4,5,6]]*1.0
B = zeros(2,3)
parallel_do(numel(A), A, B, k)
print B
parallel_do(numel(A), A, B, kt)
print B
img = [[1,2],[1,0]]
h = zeros[int](4)
parallel_do(4, img, h, hist)
print h
print parallel_do(4, [[1,2],[1,0]], total)
function [] = both(x : cube{:}, y : cube{:})
  parallel_do(numel(x), x, y, k)
endfunction
C = ones(2,2,2)
D = zeros(2,2,2)
both(C, D)
print D
% slices are copies
E = zeros(2,3)
parallel_do(3, A[0,:], E, k)
print E
% a column of a matrix
parallel_do(2, A[:,1], E, k)
print E
I = [[1,2],[3,4]]
y = zeros(4)
parallel_do(4, I, y, k)
print y
% ints converted to scalars and back
function [] = __kernel__ dbl(x : vec, pos : int)
  x[pos] = 2*x[pos]
endfunction
parallel_do(4, I, dbl)
print I
