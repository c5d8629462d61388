% single: prints types and limits of single precision
% Which overload fits best, versions for devices, and what type parameters are bound to.
function y = f(x : scalar)
    y = "scalar"
endfunction
function y = f(x : int)
    y = "int"
endfunction
function y = f(x : vec(3))
    y = "vec3"
endfunction
function y = f(x : vec)
    y = "vec"
endfunction
function y = f(x : cube)
    y = "cube"
endfunction
function y = f(x)
    y = "generic"
endfunction
function y = f(...x)
    y = "variadic"
endfunction
print f(1), " ", f(1.5), " ", f([1.0,2,3]), " ", f([1.0,2]), " ", f(zeros(2,2)), " ", f("a"), " ", f(1,2), " ", f(zeros(2,2,2,2))
function y = g(x : mat)
    y = "mat"
endfunction
function y = g(x : cscalar)
    y = "cscalar"
endfunction
function y = g(x : vec[??])
    y = "cell"
endfunction
print g([1.0,2]), " ", g(1.5), " ", g({1,"a"})
function y = h(x)
    y = "generic"
endfunction
function y = h(...x)
    y = "variadic"
endfunction
print h(1), h(1,2)
function y : scalar = dev(x : scalar)
    y = 1
endfunction
function y : scalar = __device__ dev(x : scalar)
    y = 2
endfunction
function y : scalar = __device__ viadev(x : scalar)
    y = dev(x)
endfunction
print dev(1), viadev(1)
function r = conflict[N : int](x : cube{N}, y : cube{N})
    r = N
endfunction
print conflict([1.0,2], zeros(2,2))
function r = same[T](a : vec[T], b : vec[T])
    r = type(a)
endfunction
print same([1,2],[3,4])
function r = tt[T](n : int)
    a = vec[T](n)
    b = zeros[T](n)
    c = uninit[T](n)
    d = cast(2.75, T)
    r = d
    print type(a), type(b), type(c), type(d), maxvalue(T)
endfunction
print tt[int](2), tt[scalar](2)
