% Powers at the edges, and sequences whose step is nothing.
print 0^0, " ", 0.0^0, " ", (-8)^0.5, " ", 2^-1, " ", 10^-2
print [0, 2].^0, " ", (-1).^[0, 1, 2]
function v = stepped(s : scalar)
    v = 0.0..s..1.0
endfunction
print numel(stepped(0.5)), " ", numel(stepped(-1))
try
    print stepped(0)
catch e
    print "refused"
endtry
