% Macros of functions, seen to the end of their block, and macros with any number of arguments.
macro [] = show(...values)
    print numel(values), " values: ", strcat(...values), "|"
endmacro
macro [] = tell(title, first=1, ...rest)
    n = numel(rest)
    print title, " ", first, " ", n, " ", [0, ...rest, 9]
    if n > 1
        print "the second of the rest is ", rest[1]
    endif
    cells = {...rest}
    for k = 0..numel(rest)-1
        print "  ", rest[k], " ", cells[k]
    endfor
endmacro
macro [] = scale(x)
    x *= 2
endmacro
function y = sum3(a, b, c)
    y = a + 10*b + 100*c
endfunction
function [] = main()
    n = 5
    !show "a", "b"
    {!show}
    {!tell "first"}
    !tell "second", n, n + 1, 2*n
    macro [] = scale(x)
        x *= n
    endmacro
    macro [] = pass(...args)
        print sum3(...args), " ", sum3(1, ...args[0..1])
    endmacro
    v = [1, 2]
    {!scale v}
    print v
    if n == 5
        macro [] = scale(x)
            x += 1
        endmacro
        {!scale v}
    endif
    {!scale v}
    print v
    values = 3
    !pass values, n - 2, 1
    !show "x", "values"
endfunction
