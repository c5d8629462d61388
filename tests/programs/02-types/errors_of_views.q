% single: errors name the type
function s = total(v : vec)
    s = sum(v)
endfunction
function s = integers(v : ivec)
    s = sum(v)
endfunction
function s = of_three(v : vec(3))
    s = v[2]
endfunction
function s = matrix(m : mat)
    s = sum(m)
endfunction
function m = made(n : int, k : int)
    m = ones(n, k)
endfunction
function x = anything(n : int)
    x : ?? = ones(n, 2)
    if n == 7
        x = "text"
    endif
    if n == 8
        x = {1, "two"}
    endif
endfunction
function [] = attempt(f)
    try
        print f()
    catch e
        print e.message
    endtry
endfunction
attempt(() -> total(made(1, 4)))
attempt(() -> total(made(4, 1)))
attempt(() -> total(made(2, 2)))
attempt(() -> total(made(0, 2)))
attempt(() -> integers(int(made(2, 3))))
attempt(() -> of_three(made(1, 4)))
attempt(() -> of_three(made(2, 2)))
attempt(() -> matrix(ones(2, 2, 2)[:,:,0]))
attempt(() -> total(anything(1)))
attempt(() -> total(anything(2)))
attempt(() -> total(anything(7)))
attempt(() -> total(anything(8)))
attempt(() -> of_three(anything(2)))
try
    v : vec = made(3, 3)
    print v
catch e : qsizeexception
    print "size: ", e.message
endtry
