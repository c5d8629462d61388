try
    try
        error("inner")
    catch ex
        print "caught ", ex.message
        error("outer of ", ex.message)
    endtry
    print "never"
catch ex
    print "caught ", ex.message
endtry
for k = 0..2
    try
        if k == 1
            error("at ", k)
        endif
        print k
    catch ex
        print ex.message
    endtry
endfor
