% A builtin function without a call is a reference, as any other function.
type tool : class
    name : string
    run : [scalar -> scalar]
endtype
function y = applied(f, x)
    y = f(x)
endfunction
function y = __device__ halved(f : [__device__ scalar -> scalar], x : scalar)
    y = f(x)/2
endfunction
function [] = __kernel__ each(v : vec, f : [__device__ scalar -> scalar], pos : int)
    v[pos] = f(v[pos])
endfunction
function [] = main()
    f = sqrt
    print f(16.0), applied(abs, -3), " ", isfunction(f), " ", halved(floor, 7.5)
    v = [1.0,4.0,9.0]
    parallel_do(3, v, sqrt, each)
    print v
    list = {floor, ceil, x -> 10*x}
    for k = 0..2
        print list[k](1.5)
    endfor
    t = tool("root", sqrt)
    print t.name, " ", t.run(25.0)
    g = v[0] > 0 ? sin : cos
    print g(0.0)
    h = atan2
    print h(0.0, 1.0)
    % A variable hides the builtin.
    tan = 3
    print applied(x -> tan*x, 2)
endfunction
