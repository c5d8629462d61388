% Batches whose positions have short rows, which are visited one by one.
function y : cube = products(a : cube, b : cube)
    [n,R,K] = size(a)
    y = zeros(n, R, size(b,2))
    for i=0..n-1
        for r=0..R-1
            for c=0..size(b,2)-1
                for k=0..K-1
                    y[i,r,c] += a[i,r,k]*b[i,k,c]
                endfor
            endfor
        endfor
    endfor
endfunction
function y : cube = products3(a : cube, b : cube)
    n = size(a,0)
    y = zeros(n,3,3)
    for i=0..n-1
        for r=0..2
            for c=0..2
                for k=0..2
                    y[i,r,c] += a[i,r,k]*b[i,k,c]
                endfor
            endfor
        endfor
    endfor
endfunction
function y : mat[int] = turned(p : mat[int], k : int)
    [n,m] = size(p)
    y = zeros[int](n,m)
    for i=0..n-1
        for c=0..m-1
            y[i,c] = p[i,mod(c+k,m)] - p[i,c]
        endfor
    endfor
endfunction
function y : cube = pooled(x : cube)
    [C,H,W] = size(x)
    y = zeros(C, int(H/2), int(W/2))
    for c=0..C-1
        for i=0..int(H/2)-1
            for j=0..int(W/2)-1
                y[c,i,j] = max(max(x[c,2*i,2*j], x[c,2*i,2*j+1]), max(x[c,2*i+1,2*j], x[c,2*i+1,2*j+1]))
            endfor
        endfor
    endfor
endfunction
function y : mat = moved(p : mat, m : mat)
    y = zeros(size(p,0), 3)
    for i=0..size(p,0)-1
        for c=0..2
            y[i,c] = p[i,0]*m[0,c] + p[i,1]*m[1,c] + p[i,2]*m[2,c]
        endfor
    endfor
endfunction
% An index that is outside for some positions only.
function y : cube = outside(x : cube, d : int)
    y = zeros(size(x))
    for i=0..size(x,0)-1
        for r=0..size(x,1)-1
            for c=0..size(x,2)-1
                y[i,r,c] = x[i+d,r,size(x,2)-1-c]
            endfor
        endfor
    endfor
endfunction
function [] = main()
    a = reshape(mod(0..(5000*9-1), 7), [5000,3,3])
    b = reshape(mod(0..(5000*9-1), 5), [5000,3,3])
    y = products(a, b)
    z = products3(a, b)
    print sum(y), " ", sum(abs(y - z)), " ", y[4999,2,1], " ", z[17,0,2]
    p = int(reshape(mod(0..(6000*4-1), 11), [6000,4]))
    t = turned(p, 3)
    print sum(abs(t)), " ", t[5999,0], " ", t[5999,3]
    x = reshape(mod(0..(700*64-1), 13), [700,8,8])
    w = pooled(x)
    print sum(w), " ", w[699,3,3], " ", w[0,0,0]
    q = moved(reshape(0..(3*4000-1), [4000,3]), [[0,1,0],[0,0,1],[2,0,0]])
    print q[0,:], " ", q[3999,:], " ", max(q[:,1])
    % Some stores under a condition, and halves.
    h = zeros(3000,2,2)
    parallel_do([3000,2,2], h, __kernel__ (h : cube, pos : ivec3) -> (pos[2] > 0) ? (h[pos] = pos[0] + 10*pos[1]) : (h[pos] = -1))
    print sum(h), " ", h[2999,1,1]
    print sum(outside(x, 0) - x)
    try
        u = outside(x, 1)
        print u[0,0,0]
    catch e
        print "outside"
    endtry
endfunction
