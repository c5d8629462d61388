% single: prints types and roots. Elements that are read in another order, by lists of positions or behind comparisons: where indices are inside and sizes agree one
% kernel reads them in place, otherwise the program says what is wrong.
function y = e0(a : mat, b : mat)
    y = a == b
endfunction
function y = e2(a : mat, b : mat)
    y = (a == b) .* a
endfunction
function y = e5(a : mat, b : mat)
    y = a + (abs(a) != 2*b)
endfunction
function y = z(x : mat)
    y = (x - repmat(mean(x,0), [size(x,0),1])) ./ repmat(std(x,0), [size(x,0),1])
endfunction
function d = pdist(a : mat, b : mat)
    aa = sum(a.*a, 1)
    bb = sum(b.*b, 1)
    d = sqrt(max(0, repmat(aa, [1, size(b,0)]) + repmat(transpose(bb), [size(a,0), 1]) - 2*(a*transpose(b))))
endfunction
function y = g1(x : vec, i : ivec)
    y = 2 * x[i] + 1
endfunction
function y = g2(x : mat, i : ivec, j : ivec)
    y = x[i, j] .* 2
endfunction
function y = g3(x : mat, i : ivec)
    y = x[i, 1] - x[i, 0]
endfunction
function y = cs(x : mat, k : int)
    y = x - circshift(x, [1, k])
endfunction
function y = cv(x : vec, k : int)
    y = x - circshift(2*x, k)
endfunction
function y = cm(x : mat)
    y = x + circshift(x, 1)
endfunction
function y = pm(c : cube)
    y = 2 * shuffledims(c, [2, 0, 1])
endfunction
function y = r1(x : mat)
    y = 2 * rot90(x) + 0
endfunction
function y = r2(x : mat)
    y = 2 * rot90(x, 2)
endfunction
function y = r3(x : mat)
    y = 2 * rot90(x, -1)
endfunction
function y = ot(a : vec, b : vec)
    y = repmat(transpose(a), [1, numel(b)]) .* repmat(b, [numel(a), 1])
endfunction
function y = ma(c : vec, w : int)
    n = numel(c)
    y = (c[w..n-1] - c[0..n-1-w]) / w
endfunction
function y = he(x : mat, lut : vec)
    v = reshape(x, [numel(x)])
    y = 2*lut[int(v)]
endfunction
function y : mat = e6(a : mat, b : mat)
    y = a == b
endfunction
function x : mat = numbers(m : int, n : int)
    x = reshape(0..m*n-1, [m, n]) + 0.0
endfunction
function [] = try2(f, a, b)
    try
        print f(a, b)
    catch e
        print e
    endtry
endfunction
x = numbers(3, 4)
one = x[0..0, 0..0]
none = zeros(0, 3)
nan = x / 0
print e0(x, x), e0(nan, nan), e0(none, none), e0(one, one)
print e0(-0*x, x), e2(x, x), e2(nan, x)
try2(e2, x, numbers(2, 2))
try2(e5, x, numbers(2, 2))
try2(e6, x, numbers(2, 2))
print e5(x, x), e6(x, x)
print z(x), z(one), z(none)
print pdist(x, x), pdist(x, x[0..0,:]), pdist(one, one)
try2(pdist, x, none)
try2(g1, [1,2,3], [2,0,1,2])
try2(g1, [1,2,3], int(zeros(0)))
try2(g1, [1,2,3], [2,3])
try2(g1, [1,2,3], [-1])
try2(g1, zeros(0), [0])
try2(g3, x, [2,0])
try2(g3, one, [0])
try2(he, x, sqrt(0..11))
try2(he, x, [1,2,3])
print g2(x, [2,1], [3,3,0])
print cs(x, 1), cs(x, -7), cs(one, 3), cs(none, 1)
print cv([1,2,3,4], 1), cv([1,2,3,4], -5), cv(zeros(0), 1), cm(x), cm(none)
print pm(reshape(0..23, [2,3,4])), r1(x), r2(x), r3(x), r1(none)
print ot([1,2,3], [4,5]), ot(zeros(0), [1]), ot([1], zeros(0))
print ma([1,2,4,8,16], 2), ma([1,2,4,8,16], 5)
print complex(2, 1)*circshift([complex(1,2), 3, complex(0,-1)], 1), 2*circshift(int([1,2,3]), -1), 1*herm_transpose(x)
print 1/circshift([0.0, -0.0*1, 3], 1), 2*[1.5,2.5][[1,0]], (int(x) == int(x)) + 0
v = [1,2,3,4,5]
i = [4,3,2,1,0]
v[0..4] = v[i] + 1
print v
v[1..3] = 2*circshift(v, 1)[0..2]
print v
i[0..4] = 1*i[i]
print i
function y : vec = picked(x : vec, i : ivec)
    y = x[i]
endfunction
print picked([1,2,3], [2,2,0]), picked(zeros(0), int(zeros(0))), picked([0/0.0, -1/0.0], [1,0])
try2(picked, [1,2,3], [1,3])
print size([x, x]), [v, 2*v], [picked([1,2,3], [0]), picked([1,2,3], [1])], size([none, none]), size([[x, x], [x, x]])
print linspace(0, 1, 5), linspace(2, 3, 1), linspace(1, 2, 0), linspace(1, 0, 3), logspace(0, 2, 3)
