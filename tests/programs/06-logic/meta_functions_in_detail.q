% single: prints numbers of single precision
% Every meta function.
N = 4
print $eval(sqrt(2)/2), " ", $eval(N * 2)
print $str((p+q)*2), " ", $str(f(x ,y)), " ", $str([1 , 2]), " ", $str(a.b), " ", $str(x[1 , 2]), " ", $str(! a), " ", $str("s")
p = 2
print $subs(p=3, p*p), " ", $str($subs(p=q, q=p, p-q))
symbolic v, w
print $str($assump(v))
assert(v == 4)
print $str($assump(v))
function [] = asm(n : int)
    assert(0 <= n && n < 1)
    print $str($assump(n))
endfunction
asm(0)
print $str($simplify(1 + 2*3)), " ", $str($simplify(v > 3 || w > 2)), " ", $simplify(v > 3)
function [o1,o2] = fa(a1, b1 : int)
    o1 = a1
    o2 = b1
endfunction
print $str($args[in](fa)), " ", $str($args[out](fa))
print $nops(1 + p), $nops(fa(1,2)), $str($op(fa(1,2),1)), $op(p + 5, 1)
function [] = ub(n : int)
    assert(n < 10)
    print $ubound(n), " ", $ubound(2*n + 1)
endfunction
ub(3)
print $ubound(w)
function y = flt(x : vec, a : vec, d : int)
    y = x + sum(a) + d
endfunction
g = $specialize(flt, type(x,"vec(3)") && a==[1,2,1] && d == 3)
print g([1,2,3])
h = $specialize(flt, d > 2)
print h([1,2,3],[1],3)
lam = x -> x*x + 1
print $inline(lam(4))
print $ftype("__host__"), $ftype("__device__"), $ftype("__kernel__"), $target("cpu"), $target("gpu"), $target("nvidia_cuda"), $target("opencl"), $target("nvidia_opencl"), $target("amd_opencl")
y = zeros(4)
parallel_do(1, y, __kernel__ (y : vec, pos : int) -> (y[0] = $ftype("__device__"); y[1] = $ftype("__kernel__"); y[2] = $ftype("__host__")))
print y
function y = hostf(x : vec)
    s = 0.0
    for i = 0..numel(x)-1
        s += x[i]
    endfor
    y = s
endfunction
function [] = __kernel__ el(x : vec, o : vec, pos : int)
    o[pos] = $elevate(hostf)(x) + pos
endfunction
o = zeros(2)
parallel_do(2, [1.0,2], o, el)
print o
print eval("x -> x + 1")(3), eval("1+2")
