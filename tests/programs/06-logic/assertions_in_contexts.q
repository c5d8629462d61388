% Assertions in host functions, kernels and device functions, and the facts that contexts add.
function [] = f(n : int, a : vec, b : vec)
    assert(n == 3)
    try
        assert(a == b, "arrays ", n)
    catch e
        print e.message
    endtry
    print $check(n == 3)
    n = n + 1
    print $check(n == 3), $check(n == 4)
    n = int(rand(1)[0]) + 8
    print $check(n == 4)
endfunction
f(3, [1.0,2], [1.0,3])
function [] = __kernel__ k(x : vec, pos : int)
    assert(x[pos] < 2)
endfunction
try
    parallel_do(3, [0.0,1,2], k)
catch e
    print e.message
endtry
function y = __device__ dv(x : scalar)
    assert(x > 0, "dev ", x)
    y = x
endfunction
try
    print dv(-1)
catch e
    print e.message
endtry
symbolic p, q
assert(p > 2)
unassert(p > 2)
print $check(p > 2)
assert(q > 2)
unassert(!(q > 2))
print $check(q > 2), $check(!(q>2))
function [] = ctx(c : int, n : int, A : mat)
    if c > 3
        print $check(c > 2)
    else
        print $check(c <= 3)
    endif
    if c == 4 && n > 2
        print $check(n > 1), $check(c == 4)
    endif
    for i = 0..n
        print $check(0 <= i && i <= n)
    endfor
    for i = 0..size(A,0)-1
        print $check(i < size(A,0))
    endfor
    y = zeros(size(A))
    z = uninit(size(A))
    w = copy(A)
    print $check(size(y)==size(A)), $check(size(z,0)==size(A,0)), $check(size(w)==size(A)), $check(numel(y)==numel(A))
    x = 5
    print $check(x == 5)
endfunction
ctx(4, 3, zeros(1,2))
D : mat(2,3) = zeros(2,3)
print $check(size(D,1) == 3)
cc : 'const = 4
print $check(cc > 3)
function [] = __kernel__ kp(y : mat, pos : ivec2)
    if $check(pos[0] >= 0 && pos[1] >= 0) == "Valid"
        y[pos] = 1
    endif
endfunction
y = zeros(2,2)
parallel_do(size(y), y, kp)
print y
type md : enum
    Fa
    Sl
endtype
em = md.Sl
print $check(em == md.Sl)
