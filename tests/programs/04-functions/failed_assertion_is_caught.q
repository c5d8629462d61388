function [] = need(x)
    assert(x > 0, "x must be positive")
    print "fine"
endfunction
try
    need(1)
    need(-1)
catch ex
    print "caught"
endtry
