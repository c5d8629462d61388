function [] = __kernel__ k(y : mat, pos : ivec2)
    y[pos] = 1
endfunction
function y = __device__ d(x : scalar)
    y = x
endfunction
function y = host(x)
    y = x
endfunction
function [] = __kernel__ inside(y : vec, pos : int)
    y[pos] = sum(max_block_size([4,4]))
%                ^ Q0404 'max_block_size' cannot be used in kernel function 'inside'
endfunction
print max_block_size()
%     ^ Q0313 'max_block_size' takes 1 to 2 arguments, found 0
print max_block_size(k, [1,2], 3)
%     ^ Q0313 'max_block_size' takes 1 to 2 arguments, found 3
print max_block_size("a")
%                    ^ Q0312 'max_block_size' takes a kernel function, a number or a vec of extents here, found 'string'
print max_block_size([16,32], k)
%                    ^ Q0312 the first argument of 'max_block_size' must be a kernel function, found 'ivec(2)'
print max_block_size(k, k)
%                       ^ Q0312 'max_block_size' takes a number or a vec of extents here, found 'function'
print max_block_size(k, [[1,2],[3,4]])
%                       ^ Q0312 'max_block_size' takes a number or a vec of extents here, found 'imat(2,2)'
print max_block_size(k, [1i,2])
%                       ^ Q0312 'max_block_size' takes a number or a vec of extents here, found 'cvec(2)'
print max_block_size(d)
%                    ^ Q0403 'd' is not a kernel function
print max_block_size(host, [1,2])
%                    ^ Q0403 'host' is not a kernel function
print opt_block_size([16,32])
%                    ^ Q0312 the first argument of 'opt_block_size' must be a kernel function, found 'ivec(2)'; write opt_block_size(kernel, dims)
print opt_block_size(3, [16,32])
%                    ^ Q0312 the first argument of 'opt_block_size' must be a kernel function, found 'int'
print opt_block_size(d, [16,32])
%                    ^ Q0403 'd' is not a kernel function
print opt_block_size(k, "large")
%                       ^ Q0312 'opt_block_size' takes a number or a vec of extents here, found 'string'
y = zeros(3)
parallel_do(3, y, inside)
