% Variables that some paths leave unset: reading them there is an error, with the same words and lines everywhere.
function [] = number(c : int)
    if c > 0
        t = 1
    endif
    print t
endfunction
function [] = computed(c : int)
    if c > 0
        t = c + 5
    endif
    if t == 1
        print "never"
    endif
    print t
endfunction
function [] = array(c : int)
    if c > 0
        t = zeros(c)
    endif
    print t
endfunction
function [] = text(c : int)
    match c with
    | 1 -> t = "one"
    endmatch
    print t + "!"
endfunction
function y = output(x : int)
    if x > 0
        y = 1
    endif
endfunction
function [] = retyped(c : int)
    if c > 0
        t = 1
    endif
    if c > 1
        t = 2.5
    endif
    print t
endfunction
function [] = in_loop(c : int)
    for k = 1..c
        last = 10 * k
    endfor
    print k, " ", last
endfunction
function [] = from_earlier(c : int)
    for k = 1..2
        if k > 1 || c > 0
            print k, " ", t
        endif
        if c == 0
            t = k
        endif
    endfor
endfunction
function [] = condition(c : int)
    n = 0
    if c > 0
        limit = 3
    endif
    while n < limit
        n += 1
    endwhile
    print n
endfunction
function [] = until_loop(c : int)
    n = 0
    repeat
        n += 1
        if n > c
            break
        endif
        if n < 2
            continue
        endif
        done = 1
    until done == 1
    print n
endfunction
function [] = short(c : int)
    if c > 0
        t = 1
    endif
    print c > 0 && t == 1, " ", c > 0 ? t : -1
    print c == 0 || t == 1
    print c == 0 && t == 1
endfunction
function [] = caught(c : int)
    try
        if c == 0
            error "first"
        endif
        t = 1
    catch e
        print e.message
    endtry
    print t
endfunction
function [] = captured(c : int)
    if c > 0
        t = 1
    endif
    f = x -> x + t
    print f(3)
endfunction
function [] = inner(c : int)
    if c > 0
        t = 1
    endif
    function y = add(x : int)
        y = x + t
    endfunction
    print add(4)
endfunction
function [] = attempt(f)
    for c = 2..-1..0
        try
            f(c)
        catch e
            print e.message
        endtry
    endfor
endfunction
attempt(c -> number(c))
attempt(c -> computed(c))
attempt(c -> array(c))
attempt(c -> text(c))
attempt(c -> print(output(c)))
attempt(c -> retyped(c))
attempt(c -> in_loop(c))
attempt(c -> from_earlier(c))
attempt(c -> condition(c))
attempt(c -> until_loop(c))
attempt(c -> short(c))
attempt(c -> caught(c))
attempt(c -> captured(c))
attempt(c -> inner(c))
