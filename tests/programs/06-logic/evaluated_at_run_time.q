% eval of texts that only the running program knows: numbers, arrays, strings, functions; typed by what takes them.
GAIN = 10
half = x -> x / 2
count = 0
count = count + 1
function y = doubled(x)
    y = 2*x
endfunction
function y = concealed_one(x : scalar) concealed
    y = x + 0.5
endfunction
function s : string = joined(...parts)
    s = ""
    for k = 0..numel(parts)-1
        s = strcat(s, parts[k])
    endfor
endfunction
function y = counted(x)
    y = x + count
endfunction
function y = recursive(n)
    y = 0
    if n > 0
        y = int(eval(joined("1 + recursive(", n - 1, ")")))
    endif
endfunction
function y = apply(f, x)
    y = f(x)
endfunction
function y : scalar = applied(f : [scalar -> scalar], x : scalar)
    y = f(x)
endfunction
function [] = __kernel__ add(out : vec, v : vec, pos : int)
    out[pos] += v[pos]
endfunction
function v : vec = summed(a : vec, b : vec)
    v = copy(a)
    parallel_do(numel(a), v, b, add)
endfunction
function [] = tried(text : string)
    try
        print eval(text)
    catch e
        print "refused: ", e
    endtry
endfunction
function [] = main()
    plus = " + "
    n = 5
    sum_text = joined("1", plus, "2*", n)
    print eval(sum_text)
    x : scalar = eval(joined(n, "/2"))
    k : int = eval(joined(n, plus, n))
    m : mat = eval(joined("[[1,2],[3,", n, "]]"))
    s : string = eval(joined("""a"" + """, n, """"))
    print x, " ", k, " ", m, " ", s
    print (eval(joined("[", n, ",6]")) : vec) + 1
    f : [scalar -> scalar] = eval(joined("x -> x^2", plus, n))
    print f(3), " ", apply(f, 4), " ", applied(f, 5)
    g = eval(joined("(a, b) -> a .* b", plus, "sum(b)"))
    print g([1,2], [3,4]), " ", g(2, 3)
    two = eval(joined("(x) -> [x, ", n, "*x]"))
    print two(2), " ", g
    % Functions and constants of the module, and functions that the text is given.
    print eval(joined("doubled(", n, ")")), " ", eval(joined("GAIN", plus, "half(", n, ")"))
    print eval(joined("concealed_one(", n, ")"))
    print eval(joined("summed([1,2,3],[", n, ",6,7])"))
    later = eval(joined("(f, x) -> f(f(x)) + ", n))
    print later(doubled, 3), " ", later(f, 1), " ", later(x -> x + n, 1)
    print apply(eval(joined("eval(""x -> x", plus, n, """)")), 1)
    nested = "eval(""1"" + tostring(GAIN))"
    print eval(joined(nested, ""))
    % The same text again, in a loop; numbers of all types.
    total = 0.0
    for j = 0..9
        h = eval(joined("x -> x*", n))
        total += h(j)
    endfor
    print total, " ", recursive(3)
    print eval(joined("uint8(", n, ")")), " ", eval(joined("complex(1,", n, ")")), " ", eval(joined(n, "==5"))
    print eval(joined("(x : int) -> x + ", n))(3)
    % What is wrong is an error that a program can catch.
    tried(joined("1", plus))
    tried(joined("n", plus, "1"))
    tried(joined("total_of(", n, ")"))
    tried(joined("count", plus, n))
    tried(joined("y = ", n))
    tried(joined("print", plus))
    tried(joined("[1,2][", n, "]"))
    tried(joined("error(""no ", n, """)"))
    try
        k = eval(joined("""text""", ""))
    catch e : qtypeexception
        print "type: ", e
    endtry
    try
        table : mat[int] = eval(joined("x -> ", n))
    catch e
        print "type: ", e
    endtry
    try
        number : [int -> int] = eval(joined(n, ""))
    catch e
        print "type: ", e
    endtry
    try
        print g(1, 2, 3)
    catch e
        print "called: ", e
    endtry
    any : ?? = n
    try
        print eval(any)
    catch e
        print "type: ", e
    endtry
    h = eval(joined("v -> v[", n, "]"))
    try
        print h([1,2])
    catch e : qindexexception
        print "index: ", e
    endtry
endfunction
