% Slices of known size in kernels, and a number stored to a slice of any size.
function [] = __kernel__ move_rows(x : mat, y : mat, z : mat, pos : int)
    r = x[pos, 1..3]
    y[pos, 0..2] = 2*r
    y[pos, 3..4] = [pos, -1.0]
    z[pos, :] = sum(r)
    z[pos, 0..2..3] += 0.5
endfunction
x = [[1.0,2,3,4],[5,6,7,8]]
y = zeros(2, 5)
z = zeros(2, 5)
parallel_do(2, x, y, z, move_rows)
print y
print z
