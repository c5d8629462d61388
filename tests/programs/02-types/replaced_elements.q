% Elements of cells with mixed types are replaced, also by values of other types; cells are references.
t = {1, "x", [1,2]}
u = t
t[0] = 2.5
t[1] += "y"
t[2][1] = 7
print t, u
t[2] = {"inner", 3}
t[2][0] = [4,5]
print t[2], " ", u[2][1] + 1
function [] = rename(c : cell, name)
    c[1] = name
endfunction
rename(t, "z")
print u[1], " ", numel(u)
% A nested one.
function total = nested(n : int)
    pair = {n, {"count", 0}}
    for i = 0..n-1
        pair[1][1] += i
        pair[0] -= 1
    endfor
    print pair
    total = pair[1][1]
endfunction
print nested(4)
% Without replacements the types of the elements stay known.
fixed = {1, "a"}
print type(fixed[0]), " ", type(fixed[1])
try
    t[7] = 1
catch e : qindexexception
    print e.message
endtry
