function [] = __kernel__ count(x : ivec, pos : int)
    h[x[pos]] += 1
%   ^ Q0001 a module-level variable in a kernel or device function
endfunction
h = vec[int](4)
parallel_do(3, [0,1,2], count)
print h
