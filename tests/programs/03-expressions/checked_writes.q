function [] = put(x, i : int)
    x[i] = 0
endfunction
v = [1,2,3]
put(v, 1)
try
    put(v, 3)
catch ex
    print "caught"
endtry
try
    put(v, -1)
catch ex
    print "caught"
endtry
print v
