% Cells, dynamic objects, functions, types as values, nested type classes, tuples of scalars and unspecified types.
s = "abc"
c : cell = {1, "x"}
print type(c), " ", type({1,"x"}), " ", type({{1,2},{3}}), " ", type({[1],[2,3]})
print type({1,2,3}), " ", type({1.0,"a"}, "vec[??]")
c2 : mat[??] = cell(2,2)
print type(c2), size(c2)
o = object()
o.a = 3
print o, " ", {a:=1,b:="t"}, " ", type(o)
f : function = sin
print f(0)
g : lambda_expr = x -> x + 1
print g(1)
t : type = type([1.0])
print t
type inner : [int|scalar]
type outer : [inner|string]
function y = tst(x : outer)
    y = type(x)
endfunction
print tst(1), tst(1.5), tst("a")
tt : vec[{scalar,scalar,scalar}] = [1.0,2,3]
print type(tt)
function y = dd(n : int)
    if n > 0
        y : ?? = 3
    else
        y : ?? = "a"
    endif
endfunction
print dd(1), dd(0)
u : ?? = 5
u = "text"
u = [1,2]
print u
row : mat[??] = {1, 2}
print size(row), " ", row[0,1]
