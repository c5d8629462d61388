% Objects are spread onto optional parameters: by name, and what has no parameter is ignored.
type options : class
    sigma : scalar
    size : int
    unused : string
endtype
type settings : dynamic class
    size : int
endtype
function y = blur(x : scalar, sigma : scalar = 1, size : int = 3, mode = "mirror")
    y = sprintf("%g %g %d %s", x, sigma, size, mode)
endfunction
function n = count_of(text : string)
    print "evaluated ", text
    n = 7
endfunction
function y = lazy(a : int = count_of("a"), b : int = a + 1)
    y = [a, b]
endfunction
function y = pair(a : vec, ...rest)
    y = sum(a) + numel(rest)
endfunction
function y = spread(x : ??)
    y = blur(1, ...x)
endfunction
function [] = main()
    o = options(sigma := 2.5, size := 5, unused := "x")
    print blur(10, ...o)
    print blur(10, 4, ...o)
    print blur(10, ...o, size := 9)
    print blur(10, ...{mode := "zero", other := 3})
    d = {size := 11, mode := "wrap", other := eye(2)}
    print blur(10, ...d)
    print blur(10, ...d, mode := "own")
    print blur(10, ...o, ...d), "; ", blur(10, ...d, ...o)
    s = settings(size := 2)
    print blur(1, ...s)
    s.mode = "further"
    print blur(1, ...s)
    print lazy(...{a := 1}), " ", lazy(...{b := 1}), " ", lazy()
    e = object()
    print lazy(...e)
    e.a = 5
    print lazy(...e)
    print blur(1, ...object())
    try
        print spread({sigma := "wrong"})
    catch ex
        print "refused"
    endtry
    try
        c = cell(2)
        c[0] = "text"
        print blur(1, ...c[0])
    catch ex
        print ex.message
    endtry
endfunction
