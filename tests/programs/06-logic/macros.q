% Macros: arguments stand for themselves, variables of a macro are its own, conditions are decided where it is used.
macro [] = time(op, times=2)
    total = 0
    for k = 1..times
        total += op()
    endfor
    print "total ", total
endmacro
macro [] = swap(a, b)
    t = a
    a = b
    b = t
endmacro
macro [] = profile(r, c)
    if $target("gpu")
        {!parallel for}
    else
        {!serial for}
    endif
    {!unroll times=(2*r+1)^2*c - 8}
endmacro
macro [] = only(kind)
    if kind == "fast"
        print "fast"
    elseif kind == "slow"
        print "slow"
    endif
endmacro
macro [] = local_rule(k)
    reduction (x : scalar) -> sin(x) = x + k
endmacro
macro [] = outer(x)
    print "outer"
    {!inner x}
endmacro
macro [] = inner(x)
    x += 1
    print x
endmacro
function [] = main()
    total = 7
    k = 3
    {!time () -> total*k}
    !time () -> 1, 5
    print total, " ", k
    a = 1
    b = 2
    t = 5
    !swap a, b
    print a, " ", b, " ", t
    x = zeros(10)
    {!profile 1, 1}
    for i = 0..9
        x[i] = i*i
    endfor
    print x
    !only "slow"
    {!only kind="fast"}
    print sin(0.0)
    {!local_rule 10}
    print sin(1.5)
    !outer a
    v = [1, 2]
    !inner v[1]
    print v
endfunction
% A profile chosen by a string, also in a device function.
macro [] = accuracy(kind)
    if kind == "exact"
        reduction (u : scalar) -> root(u) = sqrt(u)
    else
        reduction (u : scalar) -> root(u) = (u + 1.0)/2.0
    endif
endmacro
function y = __device__ exact_root(x : scalar)
    !accuracy "exact"
    y = root(x)
endfunction
function y = __device__ fast_root(x : scalar)
    !accuracy "fast"
    y = root(x)
endfunction
print exact_root(1.44), " ", fast_root(1.44)
