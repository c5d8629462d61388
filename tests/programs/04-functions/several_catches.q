% The first clause whose class an error belongs to takes it; what none takes goes on to the next `try`.
function [] = act(k : int, other : int)
    x = zeros(4)
    if k == 0
        error("stop")
    elseif k == 1
        assert(other > 9, "other is ", other)
    elseif k == 2
        x[k + 5] = 1
    elseif k == 3
        y = zeros(2, 3) + zeros(k, 3)
        print y
    elseif k == 4
        small : uint8 = 300 * k
        print small
    else
        print "nothing"
    endif
endfunction
function [] = guarded(k : int)
    try
        act(k, 3)
    catch e : quserexception
        print "user: ", e.message
    catch e : qindexexception
        print "index: ", e.message
    catch wrong : qassertexception
        print "assertion: ", wrong.message
    endtry
endfunction
for k = 0..5
    try
        guarded(k)
    catch e : qsizeexception
        print "outside, size: ", e.message
    catch e : qexception
        print "outside: ", e.message
    endtry
endfor
% An error in a handler is not for the clauses beside it.
try
    try
        error("first")
    catch e : quserexception
        x = zeros(3)
        x[7] = 1
    catch e : qindexexception
        print "never"
    endtry
catch e : qindexexception
    print "from the handler: ", e.message
endtry
% Jumps, and variables that the clauses set.
function n : int = f(k : int)
    n = 0
    for i = 0..9
        try
            if i == k
                break
            endif
            if i == 3
                error("three")
            endif
            n += i
        catch e : quserexception
            n += 100
            continue
        catch
            n = -1
        endtry
        n += 10
    endfor
endfunction
print f(2), " ", f(9)
% Errors of kernels have classes too.
function [] = __kernel__ fill(y : vec, pos : int)
    if pos == 2
        error("position ", pos)
    endif
    y[pos] = pos
endfunction
try
    parallel_do(4, zeros(4), fill)
catch e : qindexexception
    print "index ", e.message
catch e : quserexception
    print "kernel: ", e.message
endtry
