% Constants of the module: expressions of others, in sizes of arrays of kernels, in branches, and to ask about.
SIZE : 'const = 3
MODE = "fast"
N = 2*SIZE + 1
g = MODE == "fast" ? 10 : 20
function [] = __kernel__ k(y : vec, pos : int)
    w = zeros(N)
    w[pos] = SIZE
    y[pos] = w[pos] + g
    if MODE == "fast"
        y[pos] += 100*(MODE != "slow")
    else
        y[pos] = -1
    endif
endfunction
if MODE == "fast"
    f = x -> x + N
else
    f = x -> "never" + zeros(2)
endif
y = zeros(3)
parallel_do(3, y, k)
print y, f(1), $eval(N), $check(N == 7)
count = 1
count = 2
print $check(count == 2)
if SIZE > 2
    function y = chosen(x)
        y = x + SIZE
    endfunction
else
    function y = chosen(x)
        y = "never"
    endfunction
endif
print chosen(1)
