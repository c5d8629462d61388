% single: prints types of single precision
% A matrix of one row or column is a vec where one is expected; no other matrix is. Both share their elements.
function y = sm(v : vec)
    y = sum(v)
endfunction
function m : mat = mk(a : int, b : int)
    m = ones(a,b)
endfunction
print sm(mk(1,4)), sm(mk(4,1))
try
    print sm(mk(2,2))
catch e
    print e.message
endtry
M = mk(1,3)
w : vec = M
w[0] = 9
print M
v = [1.0,2]
u : mat = v
u[0,1] = 7
print v
