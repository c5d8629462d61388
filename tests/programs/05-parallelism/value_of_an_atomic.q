function [] = __kernel__ number(y : ivec, c : ivec, pos : int)
    k = (c[0] += 1)
    y[k - 1] = 1
endfunction
y = vec[int](8)
c = vec[int](1)
parallel_do(8, y, c, number)
print y, c
