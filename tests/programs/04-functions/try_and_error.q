function [] = check(x)
    if x < 0
        error("negative: ", x)
    endif
    print "fine ", x
endfunction
try
    check(1)
    check(-2)
    check(3)
catch ex
    print "caught ", ex.message
endtry
