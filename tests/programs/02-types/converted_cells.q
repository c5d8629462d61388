% Arrays in an array get the element type that is asked for; where they have it, they stay the same arrays.
function y = halves(x : vec[vec])
    y = 0.5 * x[0][1] + numel(x[1])
endfunction
function [] = first_is(x : vec[vec], value : scalar)
    x[0][0] = value
endfunction
function [] = __kernel__ read(m : vec[mat], y : vec, pos : int)
    y[pos] = 0.25 * m[pos][0,1]
endfunction
function y = deep(x : vec[vec[vec]])
    y = 0.5 * x[0][1][0]
endfunction
x : vec[vec] = {[1,2], [5,6,7]}
print 2.5 * x[0][1], " ", type(x)
whole = {[1,2], [5,6,7]}
print halves(whole), " ", type(whole)
first_is(x, 9)
print x[0][0]
first_is(whole, 9)
print whole[0][0]
y = zeros(2)
parallel_do(2, {[[1,2],[3,4]], [[5,6,7]]}, y, read)
print y
print deep({{[1,2], [3,4]}, {[5,6]}})
empty = vec[vec[int]](2)
empty[1] = [3,4]
z : vec[vec] = empty
print z[1][1] / 8
