% Loops whose rounds are written out some at a time, with what is left behind them.
function [] = __kernel__ sums(x : vec, y : vec, z : vec, n : int, pos : int)
    s = 0.0
    last = -1
    {!unroll times=4}
    for k = pos..n
        s += x[k] * k
        last = k
    endfor
    y[pos] = s
    z[pos] = last
    t = 0.0
    {!unroll times=3; interleave=true}
    for k = 0..2..n
        a = x[k] + pos
        b = a * a
        t += b - k
    endfor
    y[pos] += t / 1000
    {!unroll}
    for k = 0..4
        z[pos] += x[k]
    endfor
endfunction

function [] = bounds(from : int, to : int)
    s = ""
    {!unroll times=4}
    {!interpreted for}
    for k = from..to
        s = s + " " + k
    endfor
    print s
endfunction

x = 0..20
y = zeros(21)
z = zeros(21)
for n = [0, 1, 2, 3, 4, 5, 11, 20]
    parallel_do(21, x, y, z, n, sums)
    print y[0..5], " ", z[0..7]
endfor
bounds(1, 0)
bounds(5, 5)
bounds(0, 3)
bounds(0, 4)
bounds(2147483640, 2147483646)
bounds(-2147483647, -2147483643)
c = 0
{!unroll}
{!interpreted for}
for k = 3..-1..1
    c = 10 * c + k
endfor
print c, " ", k
{!unroll times=3}
{!serial for}
for k = 1..20
    y[k] = 0.5 * y[k-1] + k
endfor
print y[20]
