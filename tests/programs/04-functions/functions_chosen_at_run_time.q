function y = next(x : scalar)
    y = x + 1
endfunction
function y = twice(x : scalar)
    y = x * 2
endfunction
function y = choose(x : scalar)
    f : [scalar -> scalar] = next
    if x > 0
        f = twice
    endif
    y = f(3)
endfunction
print choose(1), " ", choose(-1)
% A cell of functions, by an index that is known at run time.
ops = {next, twice, x -> x^2}
for k = 0..2
    print ops[k](10)
endfor
% A loop over functions.
for f = {next, twice}
    print f(5)
endfor
% What functions captured comes with them; arrays are shared, numbers are copied.
n = numel(ops)
list = [1, 2, 3]
g = n > 2 ? (x -> x + n) : next
print g(1)
h = n > 3 ? (x -> x .* list) : (x -> [x, x, x])
print h(3)
shared = n > 2 ? (x -> x .* list) : (x -> [x, x, x])
list[0] = 10
n = 100
print shared(2), " ", g(1)
% A choice of choices, as an argument and as a result.
function y = apply(f : [scalar -> scalar], x : scalar)
    y = f(x)
endfunction
function f = pick(k : int)
    match k with
    | 0 ->
        f = next
    | 1 ->
        f = twice
    | _ ->
        f = x -> -x
    endmatch
endfunction
for k = 0..2
    print apply(pick(k), 7), " ", apply(k > 0 ? pick(k) : g, 7)
endfor
% The arguments are evaluated once, and what they change is seen.
count = 0
f = n > 1 ? twice : next
y = f((count += 1; count))
print y, " ", count
% Several results.
[a, b] = (n > 1 ? (x -> {x, 2*x}) : (x -> {2*x, x}))(4)
print a, " ", b
% A function that changes in a loop.
function y = alternate(n : int)
    f = x -> x
    for j = 1..n
        f = mod(j, 2) == 0 ? f : (x -> 10 * x)
    endfor
    y = f(7)
endfunction
print alternate(0), " ", alternate(3)
% An index that names no function.
function y = at(k : int)
    fs = {next, twice}
    y = fs[k](1)
endfunction
try
    print at(1)
    print at(2)
catch ex
    print "no such function"
endtry
