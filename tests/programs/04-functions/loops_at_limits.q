% Sequences that end at the limits of their types, and steps that are zero.
function n = rounds(a : int, b : int)
    n = 0
    for k = a..b
        n += 1
    endfor
endfunction
function [] = stepped(a : int, s : int, b : int)
    try
        for k = a..s..b
            print k
        endfor
    catch e
        print e.message
    endtry
endfunction
function [] = floats(a : scalar, s : scalar, b : scalar)
    try
        for k = a..s..b
            print k
        endfor
    catch e
        print e.message
    endtry
endfunction
function [] = __kernel__ count(y : ivec, a : int, s : int, b : int, pos : int)
    n = 0
    for k = a..s..b
        n += 1
    endfor
    for k = b-2..b
        n += 10
    endfor
    for k = 2147483645..2147483647
        n += 100
    endfor
    y[pos] = n
endfunction
print rounds(2147483640, 2147483647)
print rounds(2147483647, 2147483647)
print rounds(2147483647, -2147483648)
print rounds(-2147483648, -2147483646)
for i = 2147483645..2147483647
    print i
endfor
stepped(2147483640, 3, 2147483647)
stepped(-2147483646, -1, -2147483648)
stepped(-2147483647, -2, -2147483648)
stepped(-2000000000, 1000000000, 2000000000)
stepped(1, 0, 3)
stepped(3, 2, 1)
floats(1, 0.25, 1.5)
floats(1, 0, 2)
floats(1, 1/0, 2)
y = vec[int](1)
parallel_do(1, y, 2147483640, 3, 2147483647, count)
print y
try
    parallel_do(1, y, 1, 0, 5, count)
    print y
catch e
    print e.message
endtry
x = int64(9007199254740991)
for m = x..x+2
    print m
endfor
z = zeros(8)
for j = -2147483648..1000000000..2000000000
    z[mod(j, 8)] += 1
endfor
print z
