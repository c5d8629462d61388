% A column serves where a vector is meant: beside vectors, as indices, in products.
v = [10,20,30,40]
A = zeros(4,3)
A[:,1] = [1,2,3,4]
c = A[:,1]
print v + c, c - v, v .* c, max(c, v), v > 10*c - 1
print dotprod(v,c), " ", dotprod(c,v), " ", dotprod(c,c)
k = zeros(2,1)
k[1,0] = 3
print v[int(k)], A[int(k),1]
v[int(k)] = [7,8]
print v
function y = total(x : vec)
    y = sum(x)
endfunction
print total(c)
w = float(v)
w[:] = c
w += A[:,1]
print w
% Sizes that are known only at run time.
function y = weighted(A : mat, w : vec, n : int)
    y = A[:,n] .* w + A[0..numel(w)-1,n]
endfunction
print weighted(A, w, 1)
% Columns beside columns stay columns.
print c + c
try
    print weighted(A, [1.0,2], 1)
catch e
    print "refused"
endtry
