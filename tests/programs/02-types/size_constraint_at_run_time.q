function y = third(x : vec)
    z : vec(3) = x
    y = z[2]
endfunction
function x : vec = counted(n : int)
    x = float(0..n-1)
endfunction
print third(counted(3))
try
    print third(counted(4))
catch ex
    print "refused"
endtry
