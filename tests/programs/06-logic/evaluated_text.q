% eval: texts that are known at compile time are programs. They see the names of the place where they stand.
OP = "x -> x^2 + "
function y = apply(f, x)
    y = f(x)
endfunction
function s = total(v : vec)
    f = eval("(a, b) -> a + 2*b")
    s = 0.0
    for k = 0..numel(v)-1
        s = f(s, v[k])
    endfor
endfunction
function y = chosen(fast : int)
    formula = "k + 1"
    k = 10
    if fast
        k = 20
    endif
    y = eval(formula)
endfunction
function [] = __kernel__ fill(out : vec, f, pos : int)
    out[pos] = f(pos)
endfunction
function [] = main()
    print eval("1 + 2*3")
    f = eval("x -> x + 1")
    print f(4), " ", apply(eval("t -> [t, 2*t]"), 3)
    n = 5
    g = eval(OP + "n")
    print g(3), " ", eval("sum(zeros(n) + " + 3 + ")")
    print total([1, 2, 3]), " ", chosen(0), " ", chosen(1)
    out = zeros(4)
    parallel_do(4, out, eval("__device__ (p) -> 10*p"), fill)
    print out
    print eval("eval(""n*"" + ""n"")")
    h = eval("""text""")
    print h
    for k = 0..2
        out[k] = eval("k*n")
    endfor
    print out
endfunction
count = 3
count = count + 1
function y = read()
    y = eval("count*2")
endfunction
macro [] = show(text)
    print text, " = ", eval(text)
endmacro
function [] = literals()
    n = 7
    h = x -> eval("x*n")
    function y = inner(x)
        y = eval("x + n")
    endfunction
    print h(2), " ", inner(1), " ", read()
    x = zeros(3)
    parallel_do(3, __kernel__ (pos) -> x[pos] = eval("pos + n"))
    print x
    eval("n = 8")
    !show "n + 1"
endfunction
literals()
