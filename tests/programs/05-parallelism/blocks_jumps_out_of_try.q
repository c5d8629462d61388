% Leaving a try block by break and continue.
for k = 0..9
    try
        if k == 1
            continue
        endif
        if k == 3
            error("three")
        endif
        if k == 5
            break
        endif
        print k
    catch ex
        print ex
    endtry
endfor
n = 0
repeat
    n += 1
    for j = 0..3
        try
            try
                if j == 2
                    break
                endif
            catch e
                print "never"
            endtry
            print n, j
        catch e
            print "never"
        endtry
    endfor
until n == 2
