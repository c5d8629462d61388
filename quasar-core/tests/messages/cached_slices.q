% optimised
function [] = __kernel__ parts1(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 the transform 'sharedmemcaching' has no effect: 'x' has 2 dimensions, and `cache_slices` 1 index
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[:]}
    y[pos] = x[0,pos[1]]
endfunction
function [] = __kernel__ parts2(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 `cache_slices` is about 'y', and `name` about 'x'
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=y[0,:]}
    y[pos] = x[0,pos[1]]
endfunction
function [] = __kernel__ parts3(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 'pos' differs between the threads of a block, which share the slices
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[pos[0],:]}
    y[pos] = x[pos]
endfunction
function [] = __kernel__ parts4(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 'c' is no parameter of the kernel: slices are named by numbers, parameters and 'blkidx'
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[c,:]}
    c = int(y[pos])
    y[pos] = x[c,pos[1]]
endfunction
function [] = __kernel__ parts5(x : mat, y : mat, a : int, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 'a' changes in the kernel, and its slices are fetched before
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[a,:]}
    y[pos] = x[a,pos[1]]
    a = 1
    y[pos] += x[a,pos[1]]
endfunction
function [] = __kernel__ parts6(x : mat, y : mat, a : int, b : int, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 how long the slice of 'x' is along dimension 1 must be known at compile time, as in `a..a+3`
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[:,a..b]}
    y[pos] = x[pos[0],a]
endfunction
function [] = __kernel__ parts7(x : mat'checked, y : mat, a : int, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 the accesses to 'x' may fail, or have several boundary modes, so that a part of it cannot stand for it
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[:,a]}
    y[pos] = x[pos[0],a]
endfunction
function [] = __kernel__ parts8(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 no access to 'x' is in its `cache_slices`
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[:,2]}
    y[pos] = x[pos[0],1]
endfunction
function [] = __kernel__ parts9(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 `numel` is 8, and what is cached of 'x' has 10 elements
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[2,0..9]; numel=8}
    y[pos] = x[2,pos[1]]
endfunction
function [] = __kernel__ parts10(x : mat, y : mat, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 what is cached of 'x' exceeds shared memory: 36000 bytes, with 32768 left
    {!kernel_arg name=x; type="in"; access="shared"; cache_slices=x[0..8,:]; numel=9000}
    y[pos] = x[2,pos[1]]
endfunction
function [] = __kernel__ parts11(x : mat, h : vec, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 the kernel adds to 'h': say by which operator, as in `op="+="`
    {!kernel_arg name=h; type="inout"; access="shared"; cache_slices=h[0..7]}
    h[int(x[pos])] += 1
endfunction
function [] = __kernel__ parts12(x : mat, h : vec, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 the kernel changes 'h' by another operator than '^^='
    {!kernel_arg name=h; type="inout"; access="shared"; op="^^="; cache_slices=h[0..7]}
    h[int(x[pos])] += 1
endfunction
function [] = __kernel__ parts13(x : mat, h : vec, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 'h' is an input, which has no `op`; write `type="inout"`
    {!kernel_arg name=h; type="in"; access="shared"; op="+="; cache_slices=h[0..7]}
    h[int(x[pos])] += 1
endfunction
function [] = __kernel__ parts14(x : mat, h : vec, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
%   ^ Q0414 '/=' does not put parts of a result together; `op` is one of +=, -=, *=, __=, ^^=, &=, |= and ~=
    {!kernel_arg name=h; type="inout"; access="shared"; op="/="; cache_slices=h[0..7]}
    h[int(x[pos])] += 1
endfunction
function [] = __kernel__ parts15(x : mat, h : vec, pos : ivec2)
    {!kernel_arg name=x; type="in"; access="localwindow"; cache_slices=x[:,1]}
%   ^ Q0502 'cache_slices' has an effect with `access="shared"` only
    {!kernel_arg name=h; type="output"; access="share"; cache_slices=h}
%                             ^ Q0502 'type' of the attribute 'kernel_arg' takes `"in"`, `"out"`, `"inout"` or `"const"`
%                                              ^ Q0502 'access' of the attribute 'kernel_arg' takes `"randomaccess"`
%                                                                    ^ Q0502 'cache_slices' of the attribute 'kernel_arg' takes a slice of the parameter, as in `v[:, a, 0..3]`
    {!kernel_arg name=h; access="shared"; cache_slices=h[x[0,0]*2]}
%                                                      ^ Q0502 'cache_slices' of the attribute 'kernel_arg' takes a slice of the parameter
    h[pos[0]] = x[pos]
endfunction
function [] = main()
    x = zeros(8,8)
    y = zeros(8,8)
    h = zeros(16)
    parallel_do(size(x), x, y, parts1)
    parallel_do(size(x), x, y, parts2)
    parallel_do(size(x), x, y, parts3)
    parallel_do(size(x), x, y, parts4)
    parallel_do(size(x), x, y, 1, parts5)
    parallel_do(size(x), x, y, 1, 2, parts6)
    parallel_do(size(x), x, y, 1, parts7)
    parallel_do(size(x), x, y, parts8)
    parallel_do(size(x), x, y, parts9)
    parallel_do(size(x), x, y, parts10)
    parallel_do(size(x), x, h, parts11)
    parallel_do(size(x), x, h, parts12)
    parallel_do(size(x), x, h, parts13)
    parallel_do(size(x), x, h, parts14)
    parallel_do(size(x), x, h, parts15)
    print y, h
endfunction
