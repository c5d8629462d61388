% Variables that hold a function on one path and something else on another.
function r = picked(n)
    match n with
    | 0 -> r = x -> x + 1
    | 1 -> r = "text"
    | 2 -> r = {x -> 10*x, 3}
    | _ -> r = [1,2]
    endmatch
endfunction
for n = 0..3
    v = picked(n)
    if isfunction(v)
        print n, ": a function gives ", v(5)
    elseif iscell(v)
        print n, ": ", v[0](5), " ", v[1]
    else
        print n, ": ", v
    endif
endfor
% With what they captured, also from an inner function.
function r = scaled(wished, k)
    function y = times(x)
        y = x * k
    endfunction
    r = 0
    if wished
        r = times
    endif
endfunction
print scaled(1, 3)(4), " ", scaled(0, 3)
root = k -> k > 0 ? sqrt : 0
print root(1)(16), " ", root(0)
% In loops, which leave by break or end.
f = 0
for i = 0..3
    if i == 2
        f = x -> x * i
        break
    endif
endfor
g = nullptr
repeat
    g = y -> y - 1
until true
h = "nothing"
n = 0
while n < 3
    if n == 1
        h = x -> x + n
    endif
    n += 1
endwhile
print f(7), " ", g(3), " ", h(100)
% Around errors: what was reached before the error stays.
function f = loaded(well)
    f = "not loaded"
    try
        if !well
            error("missing")
        endif
        f = x -> x / 2
    catch ex
        print ex.message
    endtry
endfunction
print loaded(true)(3), " ", loaded(false)
t = x -> x + 1
try
    t = x -> x * 10
    error("later")
catch ex
    print t(5)
endtry
% Module variables, optional arguments, further arguments and cells with a variable index.
handler = 0
function [] = fire(x)
    print isfunction(handler) ? handler(x) : "no handler"
endfunction
fire(1)
handler = x -> x + 100
fire(1)
function r = through(x, callback = 0)
    r = isfunction(callback) ? callback(x) : x
endfunction
print through(3), " ", through(3, x -> 2*x)
function [] = each(...items)
    for i = 0..numel(items)-1
        print isfunction(items[i]) ? items[i](2) : items[i]
    endfor
endfunction
each(x -> x*x, 3, "end")
m = {x -> 2*x, 3, abs}
for i = 0..2
    print isfunction(m[i]) ? m[i](-5) : m[i]
endfor
function r = chain(n)
    r = n == 0 ? (x -> x) : 0
    if n > 0
        before = chain(n - 1)
        r = x -> before(x) + 1
    endif
endfunction
print chain(3)(10)
