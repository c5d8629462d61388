% Kernels for several targets do the same; the device in use decides which one runs.
function [] = __kernel__ doubled_gpu(x : mat, y : mat, a : scalar, pos : ivec2)
    {!kernel target="gpu"}
    y[pos] = a * (x[pos] + x[pos])
endfunction
function [] = __kernel__ doubled_cpu(x : mat, y : mat, a : scalar, pos : ivec2)
    {!kernel name="doubled_by_processor"; target="cpu"}
    y[pos] = 2 * a * x[pos]
endfunction
% One for CUDA, with the positions as numbers.
function [] = __kernel__ doubled_cuda(x : mat, y : mat, a : scalar, pos : int)
    {!kernel target="nvidia_cuda"}
    at = [int(pos / size(x,1)), mod(pos, size(x,1))]
    y[at] = 2 * a * x[at]
endfunction
function [total : scalar, most : scalar] = __kernel__ sums_gpu(x : vec, pos : int)
    {!kernel target="gpu"}
    total += x[pos]
    most = max(most, x[pos])
endfunction
function [total : scalar, most : scalar] = __kernel__ sums_cpu(x : vec, pos : int)
    {!kernel target="cpu"}
    total += 2 * x[pos] - x[pos]
    most = max(x[pos], most)
endfunction
function [] = __kernel__ blocks(y : vec, pos : int, blkdim : int)
    y[pos] = blkdim
endfunction
function [] = __kernel__ gpu_only(y : vec, pos : int)
    {!kernel target="gpu"}
    y[pos] += 10 + pos
endfunction
function [] = __kernel__ opencl_only(y : vec, pos : int)
    {!kernel target="opencl"}
    y[pos] += 10 + pos
endfunction
% A kernel that leaves early, in every version.
function [] = __kernel__ failing_gpu(x : vec, pos : int)
    {!kernel target="gpu"}
    assert(x[pos] > 0, "not positive")
    x[pos] = sqrt(x[pos])
endfunction
function [] = __kernel__ failing_cpu(x : vec, pos : int)
    {!kernel target="cpu"}
    assert(x[pos] > 0, "not positive")
    x[pos] = sqrt(x[pos])
endfunction

counted : vec'const = zeros(1)
function y = counting(x)
    counted[0] += 1
    y = x
endfunction

x = ones(6,7)
x[2,3] = 5
y = zeros(6,7)
schedule(size(x), x, y, counting(1.5), {doubled_cpu, doubled_gpu, doubled_cuda})
print y[0,0], " ", y[2,3], " ", sum(y), " ", counted[0]

v = 0..99
[s, m] = schedule(100, v, {sums_gpu, sums_cpu})
print s, " ", m
t = schedule(numel(v), v, {sums_cpu, sums_gpu})
print t
schedule(100, v, {sums_gpu, sums_cpu})

% Blocks that are asked for; one kernel; no cell.
b = zeros(64)
schedule([[64],[16]], b, {blocks})
print b[0..2]
schedule(64, b, gpu_only)
print b[0], " ", b[63]
% No version for the processor: it runs one of the others where no device does.
schedule(64, b, {opencl_only, gpu_only})
print b[0], " ", b[63]

% Kernels that capture, and a cell in a variable.
factor = 3
schedule(64, b, {__kernel__ (b, pos : int) -> b[pos] = factor * pos})
print b[5]
both = {failing_gpu, failing_cpu}
c = ones(4) * 16
schedule(4, c, both)
print c
c[2] = -1
try
    schedule(4, c, both)
    print sum(c)
catch e
    print "caught"
endtry

% Nothing runs where there are no positions.
schedule(0, b, {blocks, gpu_only})
print b[5]

% In a function that is called in a loop.
function [] = smooth(x : vec, times : int)
    for k = 1..times
        schedule(numel(x), x, {halved, halved_gpu})
    endfor
endfunction
function [] = __kernel__ halved(x : vec, pos : int)
    {!kernel target="cpu"}
    x[pos] = x[pos] / 2
endfunction
function [] = __kernel__ halved_gpu(x : vec, pos : int)
    {!kernel target="gpu"}
    x[pos] *= 0.5
endfunction
d = 32 * ones(8)
smooth(d, 4)
print d
