% Types of sequences and of choices, and comparisons of arrays of different shapes.
print type(0..3), " ", type(0..0.5..1), " ", type(1.0..2)
function y = pick(c : int)
    y = c ? 1 : 2.5
endfunction
print pick(1), " ", pick(0), " ", type(pick(1))
print [1, 2] == [1, 2, 3], " ", [1, 2] != [[1], [2]], " ", size([1, 2]) == size(eye(2))
function z = smaller(a : vec, b : vec)
    z = a < b
endfunction
print smaller([1.0, 5], [2.0, 4])
try
    print smaller([1.0, 2], [1.0, 2, 3])
catch e
    print "refused"
endtry
