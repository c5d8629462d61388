% Macros change their arguments, constants choose lambdas and are known in kernels.
macro [] = addto(x, n = 2)
    tmp = n
    x += tmp
endmacro
a = 1
tmp = 50
!addto a, 3
{!addto a}
print a, tmp
FAST = 1
if FAST
    fn = x -> x + 1
else
    fn = x -> x - 1
endif
print fn(1)
macro [] = prof(r)
    if $target("gpu")
        {!kernel_tiling dims=[r*2,1]}
    endif
endmacro
function [] = __kernel__ kk(y : vec, pos : int)
    {!prof 2}
    y[pos] = FAST
endfunction
y = zeros(2)
parallel_do(2, y, kk)
print y
C = 2*3+1
z = zeros(C)
parallel_do(C, z, __kernel__ (z : vec, pos : int) -> z[pos] = C)
print z
