function y : uint8 = stored(x : int)
    y = x
endfunction
print stored(255)
try
    print stored(256)
    print "not reached"
catch ex
    print "refused"
endtry
