% A rule in a function applies from where it stands to the end of the function, also in lambdas and inner functions.
function y = before(x)
    y = x
endfunction
function y = local_one(x : scalar)
    k = 10
    y = before(x)
    reduction (v : scalar) -> before(v) = v + k
    y = 100*y + before(x)
    k = 20
    f = (t : scalar) -> before(t)*2
    function r = inner(t)
        r = before(t)*3
    endfunction
    y = [y, before(x), f(x), inner(x)]
endfunction
function y = other(x : scalar)
    y = before(x)
endfunction
% A local rule goes before one of the module.
reduction (v : vec) -> before(v) = 1
function y = local_first(v : vec)
    reduction (v : vec) -> before(v) = 2
    y = before(v)
endfunction
function y = in_loop(n : int)
    y = 0
    for i = 1..n
        y = 10*y + before(1.0)
        reduction (v : scalar) -> before(v) = v + i
        y = 10*y + before(1.0)
    endfor
endfunction
function y = counted(x : scalar)
    count = 0
    reduction (v : scalar) -> before(v) = (count = count + 1; v)
    y = before(x) + before(x) + count
endfunction
function [] = main()
    print local_one(1.0)
    print other(1.0)
    print local_first([1.0, 2.0]), " ", before([1.0, 2.0])
    print in_loop(2)
    print counted(5.0)
endfunction
