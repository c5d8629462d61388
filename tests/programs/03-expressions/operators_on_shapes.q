% single: prints numbers of single precision
% Precedence, and every operator on numbers, arrays, strings and cells.
print 2^3^2, -2^2, 10^-2, 2 * 3 .^ 2, -3 * 2, !1 + 1, 1..2+1, 1 < 2 == 1, 1 == 2 || 3 == 3 && 0, 0 ? 1 : 1 ? 2 : 3
x = y = 3
print x, y
f = a -> a + 1 > 2 ? 5 : 6
print f(1), f(2)
print [1,2]+[3,4], [1,2]*2, 2*[1,2], [1,2]-1, 1-[1,2]
print [[1,2],[3,4]]*[[1,0],[0,1]], [[1,2],[3,4]]*[1,1], [1,1]*[[1,2],[3,4]], [[1],[2]]*[3,4]
print [2,4]/2, [2,4]/[1,2], [[2,4]]/2
print [[1,1],[0,1]]^3, [[1,2],[3,4]]^0
print 2.^(1..7), [1,2].*3, 2 ./ [1,2], [1,2].^[2,3], -[1,2], 3 .* 4
print [1,2,3] + [[1,2,3]], size([1,2,3] + [[1,2,3]])
A = zeros(3,3)
A[:,0] = [1,2,3]
A[1,:] = [7,8,9]
print A
function y = add(a : mat, b : mat)
    y = a + b
endfunction
function y : mat = mk(n : int, k : int)
    y = ones(n,k)
endfunction
try
    print mk(3,4) + mk(3,5)
catch e
    print e.message
endtry
function y : vec = mv(n : int)
    y = ones(n)
endfunction
print 2147483647 + 1, 0^0, (-8)^(1/3), 0.0^0
z = 1+2j
print z+1, z-z, z*z, z/z, z^2, [z,1].*[z,2], [z,1]./2
print "a" + 1, 1 + "a", "a" + [1,2], [1,2] + "a", "a" + 2.5 + "b", 1j + "x"
print "a" == "a", "a" != "b"
a = {1, [1,2]}
b = {2, [3,4]}
print b + a, b * 4, max(b, 4), -a, a - 1, a ./ 2, sqrt({4, 9}), 2 * a
