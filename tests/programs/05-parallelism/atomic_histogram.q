function [] = __kernel__ count(x : ivec, h : ivec, pos : int)
    h[x[pos]] += 1
endfunction
x = mod(0..99, 7)
h = vec[int](7)
parallel_do(100, x, h, count)
print h, sum(h)
