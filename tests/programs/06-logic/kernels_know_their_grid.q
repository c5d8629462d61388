% Positions of a kernel lie inside the arrays that its launches go over.
function [] = __kernel__ add(x : mat'checked, y : mat'checked, pos : ivec2)
    y[pos] = x[pos[0], pos[1]] + 1
endfunction
function [] = __kernel__ next(x : vec'checked, y : vec'checked, pos : int)
    y[pos] = x[pos + 1]
endfunction
x = [[1,2],[3,4]]
y = zeros(2,2)
parallel_do(size(y), x, y, add)
print y
v = [1,2,3]
w = zeros(2)
parallel_do(2, v, w, next)
print w
try
    parallel_do(3, v, w, next)
catch ex
    print "caught"
endtry
