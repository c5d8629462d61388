v = [0,0,0]
[v[2], v[0]] = [7,8]
print v
[x : scalar, y] = [1.5,2.5]
print x + y
[v[0], v[1]] = [v[1], v[0]]
print v
[a] = {5}
print a
% One target takes the first result of a call as it is.
function y : mat = twos(n : int)
    y = 2*ones(n, n)
endfunction
[b] = twos(2)
[_] = twos(3)
[c] = size(b)
print b, c
