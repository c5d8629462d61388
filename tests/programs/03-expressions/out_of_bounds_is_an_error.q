function y = at(v : vec, k : int)
    y = v[k]
endfunction
a = [1.0,2,3]
try
    print at(a, 2)
    print at(a, 3)
catch ex
    print "caught: ", ex.message
endtry
print "after"
