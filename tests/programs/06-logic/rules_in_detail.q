% Rules by type, modulo order, local ones, with conditions, of any number of arguments and capturing functions.
type num : [scalar|cscalar]
reduction (x : num) -> kind(x) = "num"
reduction (x : ??) -> kind(x) = "any"
reduction (x : int) -> kind(x) = "int"
print kind(1), kind(1.5), kind("a"), kind(1j)
function y = id(x)
    y = x
endfunction
reduction (a, b) -> id(a) && id(b) = "and"
reduction (a : int) -> id(a) + 5 = "plus5"
x = 3
print 5 + id(x), id(x) && id(2)
reduction (a : int) -> max(id(a), 7) = "max7"
print max(7, id(x)), " ", max(id(x), 7)
reduction (a : int) -> id(a) == 9 = "eq"
print 9 == id(x)
function y = g(n : int)
    reduction (a : string) -> loc(a) = "local " + a
    reduction (a) -> id2(a) = "local"
    y = loc("x")
endfunction
print g(1)
reduction (a) -> id2(a) = "global"
print id2(3)
reduction (a : scalar) -> cond(a) = "big" where a > 10
reduction (a : scalar) -> cond(a) = "small" where a < 2
function y = cond(a)
    y = "other"
endfunction
function y = tc(a : scalar)
    y = cond(a)
endfunction
print tc(11), tc(1), tc(5), cond(20)
reduction (...a) -> myp(...a) = numel({...a})
print myp(1,2,3), myp()
reduction (f, x) -> deriv(f(x), x) = f(x + 1)
t = 3
print deriv(t*t, t)
reduction (y, W, x : vec) -> fit(sum((y - W(x)).^2), x) = W(x)
u = [1.0,2]
k = [3.0,4]
print fit(sum((k - 2*u).^2), u)
