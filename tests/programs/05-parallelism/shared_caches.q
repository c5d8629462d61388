% Small arrays in shared memory, and branches without jumps.
function [] = __kernel__ nearest(x : vec, centres : vec, counts : vec, label : vec, pos : int)
    {!function_transform enable="sharedmempromotion"}
    best = 0
    for k=1..size(centres,0)-1
        if abs(x[pos]-centres[k]) < abs(x[pos]-centres[best])
            best = k
        endif
    endfor
    label[pos] = best
    counts[best] += 1
endfunction

function [] = __kernel__ histogram(x : mat, hist : vec, low : vec, pos : ivec2)
    {!kernel_transform enable="sharedmemcaching"}
    {!kernel_arg name=hist; type="inout"; access="shared"; op="+="; numel=16}
    {!kernel_arg name=low; type="inout"; access="shared"; op="__="; numel=16}
    k = int(mod(x[pos],8))
    hist[k] += 1
    low[k] __= x[pos]
endfunction

function [] = __kernel__ folded(a : vec, b : vec, pos : int)
    {!kernel_transform enable="branchdivergencereducer"}
    if a[pos] > 4
        a[pos] = a[pos] - 10
    else
        b[pos] = 2*a[pos]
    endif
    if b[pos] == 0
        b[pos] = -1
    else
        b[pos] = b[pos] + 1
    endif
endfunction

x = mod(17*(0..99),31)
centres = [3.0,9,20,27]
counts = zeros(4)
label = zeros(100)
parallel_do(100, float(x), centres, counts, label, nearest)
print counts, sum(label)
m = zeros(13,11)
for i=0..12
    for j=0..10
        m[i,j] = 3*i+5*j
    endfor
endfor
hist = zeros(8)
low = 1000*ones(8)
parallel_do(size(m), m, hist, low, histogram)
print hist, low
a = float(0..9)
b = zeros(10)
parallel_do(10, a, b, folded)
print a, b
