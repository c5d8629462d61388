% Conditions of rules: what is known decides at compile time, the rest at run time in the order of the rules.
function y = __device__ magnitude(x)
    y = sqrt(x*x) + 100
endfunction
reduction (x : scalar) -> magnitude(x) = x where x >= 0
reduction (x : scalar) -> magnitude(x) = -x where x < 0

function y = __device__ step(x)
    y = 0
endfunction
reduction (x : int) -> step(x) = 1 + step(x - 1) where x > 0

function y = __device__ where_am_i()
    y = 1
endfunction
reduction () -> where_am_i() = 2 where $ftype("__device__")

reduction (x) -> halved(x) = x/2 where type(x, "scalar")
reduction (x) -> halved(x) = "no number" where !type(x, "scalar")

function y = open(x : scalar)
    y = magnitude(x)
endfunction

function [] = main()
    print magnitude(4.0), " ", magnitude(-4.0)
    print open(2.0), " ", open(-3.0)
    n = 2.0
    m = open(n)
    if m > 1
        print magnitude(m)
    else
        print magnitude(m)
    endif
    print step(3), " ", step(0)
    z = zeros(4)
    parallel_do(4, z, __kernel__ (z : vec, pos : int) -> z[pos] = magnitude(pos - 1.5) + where_am_i())
    print z, " ", where_am_i()
    total = 0.0
    for i = 0..3
        total += magnitude(i - 1.5)
    endfor
    print total
    print halved(5.0), " ", halved("a")
endfunction
