% Which overload a call takes, in the order of how well it fits.
function y = f(x : vec3)
    y = "vec3"
endfunction
function y = f(x : vec)
    y = "vec"
endfunction
function y = f(x : mat)
    y = "mat"
endfunction
function y = f(x : scalar)
    y = "scalar"
endfunction
function y = f(x : ??)
    y = "any"
endfunction
function y = f(...x)
    y = "variadic"
endfunction
print f([1.0,2,3]), " ", f([1.0,2]), " ", f([[1.0]]), " ", f(1), " ", f(2.5), " ", f("a"), " ", f(1,2), " ", f()
function y = g(x : scalar)
    y = "scalar"
endfunction
function y = g(x)
    y = "generic"
endfunction
print g(1), " ", g(1.0), " ", g([1])
function y = pv(x : scalar)
    y = "host"
endfunction
function y = __device__ pv(x : scalar)
    y = 5
endfunction
print pv(1)
z = zeros(1)
parallel_do(1, z, __kernel__ (z : vec, pos : int) -> z[pos] = pv(1.0))
print z
function y = mm(a : int, b : scalar)
    y = 1
endfunction
function y = mm(a : scalar, b : scalar)
    y = 2
endfunction
print mm(1,2), mm(1.5,2)
