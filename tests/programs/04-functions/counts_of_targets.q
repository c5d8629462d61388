% A vector is taken apart into exactly as many targets as it has elements, a cell too.
function [] = two(v : vec)
    [a, b] = v
    print a, " ", b
endfunction
two([1, 2])
try
    two([1, 2, 3])
catch e
    print "refused"
endtry
[x] = {"only"}
[p : int, q : string] = {1, "x"}
print x, " ", p, " ", q
