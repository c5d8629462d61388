% single: prints numbers of single precision
% How each kind of value prints.
print 1, 2
print
print 1.0, " ", 0.1, " ", 1/3, " ", 1e10, " ", 1e-5, " ", 123456789.0, " ", 1/0, " ", -1/0, " ", 0/0
print 1+2j, " ", 1-2j, " ", 0.5j
print "text", " ", [1,2,3], [[1,2],[3,4]]
print ones(2,2,2)
print ones(1,2,2,2)
print {1,"a",{2}}, {[1,2],[[1,2]]}
type cl : class
    a : int
    s : string
endtype
print cl(1,"x")
function y = fun(a : int)
    y = a
endfunction
print fun
print x -> x
print sin
print type(1), type([1,2]), type(fun), type("a")
print 1e38*10, -1.5, 100000, 1234567.0, 12345678.0, 0.0001, 0.00001234
