% An exchange in a thread's own array, which nobody else sees.
function [] = __kernel__ rotate(y : vec, n : int, pos : int)
    v = [1.0, 2.0, 3.0, 4.0]
    old = (v[pos] <- 9)
    again = (v[pos] <- (7, 9))
    never = (v[pos] <- (5, 9))
    outside = (v[4 + pos] <- 6)
    y[pos] = old + 10 * again + 100 * never + 1000 * v[pos] + 10000 * outside + sum(v) / 10
endfunction
function [] = __kernel__ whole(y : ivec, n : int, pos : int)
    t = vec[int](3)
    for k = 0..2
        t[k] = k + pos
    endfor
    (t[mod(pos, 3)] <- 50)
    y[pos] = t[0] + 2 * t[1] + 3 * t[2]
endfunction
function old = __device__ swap(v : vec'unchecked(4), k : int)
    old = (v[k] <- -1)
endfunction
function [] = __kernel__ called(y : vec, n : int, pos : int)
    v = [1.0, 2.0, 3.0, 4.0]
    old = swap(v, pos)
    y[pos] = old + 10 * v[pos]
endfunction
function [] = __kernel__ large(y : vec, n : int, pos : int)
    v = zeros(n)
    v[n - 1] = pos
    old = (v[n - 1] <- 3)
    y[pos] = old + 10 * v[n - 1]
endfunction
y = zeros(4)
parallel_do(4, y, 4, rotate)
print y
k = vec[int](4)
parallel_do(4, k, 4, whole)
print k
parallel_do(4, y, 4, called)
print y
parallel_do(4, y, 7, large)
print y
