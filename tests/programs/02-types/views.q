% single: prints types and limits of single precision
% Arrays of fewer dimensions are seen as those of more, rows and columns as vectors; a view shares its elements.
function [] = put(x : vec)
    x[0] = 9
endfunction
A = [[1.0,2,3]]
put(A)
print A
B = [[1.0],[2]]
put(B)
print B
function [] = putm(x : mat)
    x[0,1] = 7
endfunction
v = [1.0,2]
putm(v)
print v
function [] = putc(x : cube)
    x[0,1,0] = 6
    print size(x)
endfunction
putc([1.0,2])
print v, B
function M : mat = two()
    M = ones(2,2)
endfunction
try
    w : vec = two()
    print w
catch e
    print "refused"
endtry
function y = same(a : mat)
    y = a
endfunction
x = ones(2)
y = same(x)
y[0,0] = 7
print x
