% Nests of loops, accumulators of every kind, and attributes and pragmas before loops.
function [] = auto(A : mat, B : mat, n : int)
    for i = 0..2
        for j = 0..2
            A[i,j] = B[i,j] * 2
        endfor
    endfor
    for i = 1..2
        A[i,0] = A[i-1,0] + 1
    endfor
    for i = 0..n
        for j = 0..i
            A[i,j] = 1
        endfor
    endfor
endfunction
A = zeros(3,3)
auto(A, ones(3,3), 2)
print A
s = 0
c = 0j
v = zeros(3)
h = zeros(2)
p = 1
for i = 1..4
    s += i
    c += 1j
    v += [1,2,3]
    h[1] += 1
    p *= i
endfor
print s, c, v, h, p
t = 100
for i = 0..4
    t -= i
endfor
print t
y = zeros(4)
{!parallel for}
for i = 0..3
    y[i] = i
endfor
{!serial for}
for i = 0..3
    y[i] += i
endfor
{!interpreted for}
for i = 0..3
    y[i] += i
endfor
print y
#pragma force_parallel
for i = 0..3
    y[i] = i
endfor
#pragma force_serial
for i = 1..3
    y[i] = y[i-1] + 1
endfor
print y
last = 0
for i = 0..3
    last = i * 2
    y[i] = last
endfor
print last
