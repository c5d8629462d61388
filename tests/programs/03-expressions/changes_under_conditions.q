% Compound assignments under a condition; a vector gives the selected elements theirs and must have as many.
x = [1.0,-2,3,-4]
x[x < 0] += 10
print x
x[x > 5] .*= [2, 3]
print x
x[x > 2] -= x
print x
B = [[1,5],[7,2]]
B[B > 4] -= 4
print B
B[B < 3 && B > 0] .^= 2
print B
B[B > 2] = [9, 8][0..numel(x)-3]
print B
n = 4
function [] = f(x : vec, v : vec)
    try
        x[x > 0] = v
        print x
    catch e
        print e.message
    endtry
endfunction
f([1.0,-1,2,3,-9], [7.0,8,9])
f([1.0,-1,2,3,-9], [7.0,8])
f([1.0,-1,2,3,-9], [7.0,8,9,10])
f([1.0,-1,2], [7.0,8,9])
function [] = g(x : mat, v : vec)
    try
        x[x > 0] += v
        print x
    catch e
        print e.message
    endtry
endfunction
g([[1.0,-1],[2,-9]], [7.0,8])
g([[1.0,-1],[2,-9]], [7.0,8,6])
function [] = __kernel__ k(m : mat, y : mat, pos : int)
    r : vec3 = m[pos, 0..2]
    r[r > 1] += 100
    r[r < 0] = 0
    y[pos, 0..2] = r
endfunction
y = zeros(2,3)
parallel_do(2, [[1.0,2,3],[-1,0,5]], y, k)
print y
