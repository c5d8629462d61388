% A constant array keeps its boundary mode, in functions, lambdas and kernels; so do other variables of a module.
T : 'const'circular = [1.0,2]
y = zeros(4)
parallel_do(4, y, __kernel__ (y : vec, pos : int) -> y[pos] = T[pos + 5])
print y
A : 'mirror = rand(3)
function z = g(i)
    z = T[i] + 0*A[-1]
endfunction
print g(3)
function [] = h()
    U : 'const'mirror = [1.0,2]
    y = zeros(4)
    parallel_do(4, y, __kernel__ (y : vec, pos : int) -> y[pos] = U[pos])
    print y
    f = i -> U[i]
    print f(-2)
endfunction
h()
m : 'clamped'const = [1,2]
i = 7
print m[i], m[-3..0]
