% What loops set before an error stays set when the error is caught.
function [] = main()
    x = zeros(int(str2num("3")))
    s = -1
    t = 0.0
    try
        for k = 0..5
            s = k
            t = x[k] + 2*t + 1
            x[k] = t
        endfor
    catch ex
        print ex.message
    endtry
    print s, " ", t, " ", x
    n = 0
    try
        while n < 10
            n += 1
            x[n] = x[n-1] + n
        endwhile
    catch ex
        print n, " ", x
    endtry
    last = 0.0
    for m = 0..2
        try
            for k = 0..4
                last += x[k+m]
                x[k] = last
            endfor
        catch ex
            print m, " ", last
        endtry
    endfor
endfunction
