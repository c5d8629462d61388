% What assertions say when they fail, what the facts decide, and what meta functions give.
function [] = f(x : mat, n : int)
    try
        assert(n > 5, "n is ", n, "!")
    catch e
        print e.message
    endtry
    try
        assert(size(x) == [n,2])
    catch e
        print e.message
    endtry
    try
        assert(n > 7)
    catch e
        print e.message
    endtry
endfunction
f(zeros(2,3), 3)
symbolic a, b, c, x
assert(a == 4)
print $check(a != 5), $check(a == 5), " ", $check(b == a)
assert(b == a)
print $check(b == 4), " ", $check(b != 4)
function [] = ints(i : int, N : int)
    assert(i <= N - 1)
    print $check(i < N), " ", $check(i - 1 < N)
    assert(i > 2 && i < 4)
    print $check(i == 3)
endfunction
ints(3, 7)
assert(c > 2 || c < -2)
print $check(c > 2 || c < -2), " ", $check(c > 2), " ", $check(c == 0)
assert(x > 2 && x < 4)
print $check(x>1), $check(x>=2), $check(x>3), $check(x<2), $check(x<=2), $check(x>4), $check(!(x>3)), $check(x<=3)
unassert(!(x > 2))
print $check(x > 2)
print $simplify(1 + 2 * 3), $eval(sqrt(2)/2)
print $str($args[in](f)), $nops(f(1,2)), $str($op(f(1,2), 1))
print $ftype("__host__"), $ftype("__kernel__"), $target("cpu"), $target("gpu")
function y = __device__ isdev(x)
    y = $ftype("__device__") ? 1 : 0
endfunction
z = zeros(2)
parallel_do(2, __kernel__ (pos) -> z[pos] = $ftype("__device__") * 10 + isdev(1) + $ftype("__kernel__") * 100)
print z
t = 1
if $check(t == 1) == "Valid"
    print "known"
endif
