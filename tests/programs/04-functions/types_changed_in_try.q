% A variable may change its type inside of `try`; the handler sees the last value.
function [] = fails(n : int)
    error("failed ", n)
endfunction
function [] = f(n : int)
    x = 1
    try
        x = "text"
        fails(n)
        x = 2
    catch e
        print x, " ", e.message
    endtry
    print x
    x = 2.5
    print x
    y = zeros(3)
    try
        y = ones(n)
        fails(n)
    catch e
        print y
        y = "other"
    endtry
    print y
    z = 1
    try
        z = 2.5
        z += 1
    catch e
    endtry
    print z
    for i = 0..2
        w = i
        try
            w = "round " + i
            if i == 1
                break
            endif
        catch e
        endtry
        print w
    endfor
    print w
endfunction
f(2)
[g, h] = {1, "x"}
try
    [g, h] = {"y", 2}
    error("z")
catch e
    print g, h
endtry
