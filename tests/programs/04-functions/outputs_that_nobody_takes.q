% A version of a function for each set of outputs that calls take: what only the others need is not computed, effects stay.
function [total : scalar, sorted : vec, count : int] = study(x : vec)
    total = sum(x)
    sorted = zeros(numel(x))
    for m = 0..numel(x)-1
        sorted[m] = x[numel(x) - 1 - m]
    endfor
    print "studied ", numel(x)
    count = 0
    while count < 3
        count += 1
    endwhile
endfunction

% Both outputs are one array: writes through either name are seen.
function [a : vec, b : vec] = same(n : int)
    a = zeros(n)
    b = a
    b[0] = 5
    a[1] = 6
endfunction

% The argument is changed, whatever is taken.
function [first : scalar, changed : vec] = change(x : vec)
    changed = x
    changed[0] = 7
    first = x[0] + x[1]
endfunction

function [] = __kernel__ fill(y : vec, v : scalar, pos : int)
    y[pos] = v * pos
endfunction
function [] = __kernel__ check(y : vec, pos : int)
    assert(y[pos] >= 0, "negative")
    y[pos] += 1
endfunction
function [m : scalar, ramp : vec] = ramps(n : int, v : scalar)
    m = n / 2
    ramp = zeros(n)
    parallel_do(n, ramp, v, fill)
    parallel_do(n, ramp, check)
endfunction

function [q : scalar, r : scalar] = recursive(n : int, depth : int)
    q = n
    r = 2*n
    if depth > 0
        [q, r2] = recursive(n + 1, depth - 1)
        r += r2
    endif
endfunction

function [y : scalar, z : scalar] = __device__ pair(x : scalar)
    y = x + 1
    z = 0
    for k = 0..9
        z += sin(k * x)
    endfor
endfunction

x : vec = [3, 1, 2]
[t, _, _] = study(x)
print t
[_, s] = study(x)
print s
study([1, 2])
[_, b] = same(3)
print b
[a, _] = same(2)
print a
[f, _] = change(x)
print f, x
[m, _] = ramps(4, 2)
print m
try
    [m, _] = ramps(4, -1)
catch ex
    print "caught"
endtry
[q, _] = recursive(1, 3)
print q
[_, r] = recursive(1, 3)
print r
w = zeros(3)
for k = 0..2
    [w[k], _] = pair(k)
endfor
print w
