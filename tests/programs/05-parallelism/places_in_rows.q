% Places of extremes and rows backwards in loops over rows.
function [] = g(x : mat)
    y = ivec(size(x,0))
    z = zeros(size(x,0))
    for m = 0..size(x,0)-1
        y[m] = argmin(x[m,:])
    endfor
    for m = 0..size(x,0)-1
        z[m] = sum(abs(x[m,:] - fliplr(x[m,:]))) + argmax(x[m,:]+x[0,:])
    endfor
    print sum(y), " ", y[0..5], " ", sum(z)
endfunction
function [] = main()
    x = mod(reshape(0..70*33-1,[70,33])*71, 113)
    g(x)
    x[3,:] = 0.0/0.0
    x[4,2] = 0.0/0.0
    g(x[0..66,:])
    try
        g(x[:,0..-1])
    catch e
        print "empty ", e
    endtry
endfunction
