% Loop variables that had another type before, in `try`: the handler sees the last value.
function [] = f(n : int, c : int)
    for i = 0..1
        x = 2.5
        try
            for x = 0..n
                print x
                if i == 1 && x == 1
                    error "inside"
                endif
            endfor
            error "a"
        catch e
            print e.message, " ", x
        endtry
    endfor
    y = "text"
    try
        for y = 3..-1..1
            if y == 2
                break
            endif
        endfor
        print y
        if c > 0
            for y = [1.5, 2.5]
                y = y + 1
                print y
            endfor
        endif
        error "b"
    catch e
        print y
    endtry
    z = 0.5
    try
        if c > 0
            for z = 5..6
            endfor
        endif
        error "c"
    catch e
        print z
    endtry
    print z
    k = 3
    try
        for k = 0..-1
        endfor
        for k = {"a", "b"}
            print k
        endfor
        error "d"
    catch e
        print k
    endtry
    print k
endfunction
f(2, 1)
f(-1, 0)
