% Defaults use the variables of their module as these are where the function is defined.
a = 1
function y = f(x = a)
    y = x
endfunction
a = 2
print f(), " ", f(7)
c = 5
function y = g(x, z = c + x, w = 2 * z)
    y = z + w
endfunction
print g(1), " ", g(1, 2)
c = 7
print g(1), " ", g(1, 2)
% Each definition has its own; overloads have theirs.
function y = h(x : int, by = c)
    y = x * by
endfunction
c = 10
function y = h(x : string, by = c)
    y = x + by
endfunction
c = 0
print h(2), " ", h("n")
% A parameter hides the variable; a variable that loops change has the value of that time.
function y = k(c, d = c + 1)
    y = d
endfunction
for i = 0..3
    total = 10 * i
endfor
function y = last(t = total, n = i)
    y = t + n
endfunction
total = -1
print k(3), " ", last()
% Arrays are references, as captured ones are.
v = [1, 2]
function y = first(w = v)
    y = w[0]
endfunction
v[0] = 5
print first()
v = [9, 9]
print first()
% What is assigned once has one value, wherever it stands.
function y = scaled(x, by = factor)
    y = x * by
endfunction
factor = 3
print scaled(2)
