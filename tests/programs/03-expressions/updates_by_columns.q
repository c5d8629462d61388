% A column where a vector is meant, also where a part of an array grows by it.
function [] = grow(y : mat, x : mat)
    for i = 0..size(y,0)-1
        for k = 0..size(x,1)-1
            y[i,:] += (k + 1) * x[:,k]
        endfor
    endfor
endfunction

function [] = main()
    x = [[1,2,3],[4,5,6]]
    y = zeros(3, 2)
    y[0,:] += x[:,1]
    y[1,:] -= 2 * x[:,0]
    y[2,0..1] = y[2,:] + x[:,2]
    print y
    v = [10, 20]
    v += x[:,1]
    print v
    v -= x[:,0] + x[:,1]
    print v
    z = ones(2, 2)
    z[1,:] = z[1,:] .* x[:,2]
    print z
    w = ones[int](2, 2)
    w[0,:] += int(x[:,2])
    print w
    grow(y, x)
    print y
    try
        grow(zeros(2, 3), x)
        print "no error"
    catch ex
        print "other sizes"
    endtry
endfunction
