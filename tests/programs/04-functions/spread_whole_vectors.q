% A vector or cell of any length is spread into a variadic parameter; a written cell into any.
function n = count(...items)
    n = numel(items)
endfunction
function s = total(first, ...rest : vec[scalar])
    s = first + sum(rest)
endfunction
function v = upto(n : int)
    v = 1..n
endfunction
print count(...upto(5)), count(...upto(0))
print total(10, ...upto(4))
function s = three(a, b, c)
    s = a - b * c
endfunction
print three(...{7,8,9}), three(1, ...{2,3})
function [] = describe(a, b)
    print a, ": ", b
endfunction
describe(...{"name", 5})
% The function has a vector of its own.
function [] = change(...items : vec[scalar])
    items[0] = 100
    print items
endfunction
numbers = linspace(1, 3, 3)
change(...numbers)
print numbers
