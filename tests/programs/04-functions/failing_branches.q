% A branch of `?:` that always fails has no value: the other one gives the type.
function y = root(x : scalar)
    y = x >= 0 ? sqrt(x) : error("no root of ", x)
endfunction
function [] = attempt(f, x)
    try
        print f(x)
    catch e
        print e.message
    endtry
endfunction
for x = [4.0,-1]
    attempt(root, x)
endfor
small = x -> x > 2 ? error("too large") : [x,x]
for x = [1,3]
    attempt(small, x)
endfor
function name = named(k : int)
    name = k == 0 ? "zero" : (k == 1 ? "one" : error("no name of ", k))
endfunction
for k = 0..2
    attempt(named, k)
endfor
y = 1 > 0 ? 5 : error("never")
print y
