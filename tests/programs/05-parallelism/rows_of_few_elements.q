% Positions that compute elements at their own place, over arrays whose rows have few elements, or more than the launch has; and columns.
function [] = main()
    for n = 1..4
        x = zeros(5,n)
        y = zeros(7,n)
        w = zeros(5,n+1)
        for i = 0..4
            for j = 0..n-1
                x[i,j] = i*10 + j
            endfor
        endfor
        y[0..4,:] = 2*x
        s = 0.0
        for i = 0..3
            for j = 0..n-1
                y[i,j] = y[i,j] + x[i,j]
                s += x[i,j]*y[i,j]
            endfor
        endfor
        for i = 0..4
            for j = 0..n-1
                w[i,j] = y[i,j] + x[i,j]
            endfor
        endfor
        print s
        print sum(x.*y[0..4,:])
        print max(x.*y[0..4,:])
        print w
        print y
        c = complex(x, x)
        c = c .* c
        print sum(c)
        u = ones(2,3,n)
        u[:,0..1,:] += 1
        u = 3*u
        print sum(u)
        print mean(u)
    endfor
    e = zeros(0,3)
    e = 2*e
    print size(e)
    print sum(e)
    p = ones(3,4)
    q = zeros(3,4)
    q[0..2,0] = p[:,1]
    p[:,2] = p[:,2] + q[:,0] * 4
    p[1..2,3] += 7
    print p
    print q
    print sum(p[:,2].*q[:,0])
    print dotprod(p[:,2], q[:,0])
    print int(1000*norm(p))
endfunction
