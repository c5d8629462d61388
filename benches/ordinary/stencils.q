% steps of differential equations and of recurrences over grids

function a : vec = jacobi1d(a0 : vec, steps : int)
    a = copy(a0)
    b = copy(a0)
    n = numel(a)
    for t = 1..steps
        for i = 1..n-2
            b[i] = (a[i-1] + a[i] + a[i+1])/3
        endfor
        for i = 1..n-2
            a[i] = (b[i-1] + b[i] + b[i+1])/3
        endfor
    endfor
endfunction

function a : vec = jacobi1d_slices(a0 : vec, steps : int)
    a = copy(a0)
    b = copy(a0)
    n = numel(a)
    for t = 1..steps
        b[1..n-2] = (a[0..n-3] + a[1..n-2] + a[2..n-1])/3
        a[1..n-2] = (b[0..n-3] + b[1..n-2] + b[2..n-1])/3
    endfor
endfunction

function a : mat = jacobi2d(a0 : mat, steps : int)
    a = copy(a0)
    b = copy(a0)
    [M, N] = size(a)
    for t = 1..steps
        for i = 1..M-2
            for j = 1..N-2
                b[i,j] = 0.2*(a[i,j] + a[i,j-1] + a[i,j+1] + a[i+1,j] + a[i-1,j])
            endfor
        endfor
        for i = 1..M-2
            for j = 1..N-2
                a[i,j] = 0.2*(b[i,j] + b[i,j-1] + b[i,j+1] + b[i+1,j] + b[i-1,j])
            endfor
        endfor
    endfor
endfunction

function a : cube = heat3d(a0 : cube, steps : int)
    a = copy(a0)
    b = copy(a0)
    [L, M, N] = size(a)
    for t = 1..steps
        for i = 1..L-2
            for j = 1..M-2
                for k = 1..N-2
                    b[i,j,k] = 0.125*(a[i+1,j,k] - 2*a[i,j,k] + a[i-1,j,k]) + 0.125*(a[i,j+1,k] - 2*a[i,j,k] + a[i,j-1,k]) + 0.125*(a[i,j,k+1] - 2*a[i,j,k] + a[i,j,k-1]) + a[i,j,k]
                endfor
            endfor
        endfor
        for i = 1..L-2
            for j = 1..M-2
                for k = 1..N-2
                    a[i,j,k] = 0.125*(b[i+1,j,k] - 2*b[i,j,k] + b[i-1,j,k]) + 0.125*(b[i,j+1,k] - 2*b[i,j,k] + b[i,j-1,k]) + 0.125*(b[i,j,k+1] - 2*b[i,j,k] + b[i,j,k-1]) + b[i,j,k]
                endfor
            endfor
        endfor
    endfor
endfunction

function a : cube = heat3d_slices(a0 : cube, steps : int)
    a = copy(a0)
    n = size(a,0)
    for t = 1..2*steps
        c = a[1..n-2,1..n-2,1..n-2]
        a[1..n-2,1..n-2,1..n-2] = 0.125*(a[2..n-1,1..n-2,1..n-2] - 2*c + a[0..n-3,1..n-2,1..n-2]) + 0.125*(a[1..n-2,2..n-1,1..n-2] - 2*c + a[1..n-2,0..n-3,1..n-2]) + 0.125*(a[1..n-2,1..n-2,2..n-1] - 2*c + a[1..n-2,1..n-2,0..n-3]) + c
    endfor
endfunction

function [ex : mat, ey : mat, hz : mat] = fdtd2d(ex0 : mat, ey0 : mat, hz0 : mat, source : vec)
    ex = copy(ex0)
    ey = copy(ey0)
    hz = copy(hz0)
    [M, N] = size(ex)
    for t = 0..numel(source)-1
        for j = 0..N-1
            ey[0,j] = source[t]
        endfor
        for i = 1..M-1
            for j = 0..N-1
                ey[i,j] -= 0.5*(hz[i,j] - hz[i-1,j])
            endfor
        endfor
        for i = 0..M-1
            for j = 1..N-1
                ex[i,j] -= 0.5*(hz[i,j] - hz[i,j-1])
            endfor
        endfor
        for i = 0..M-2
            for j = 0..N-2
                hz[i,j] -= 0.7*(ex[i,j+1] - ex[i,j] + ey[i+1,j] - ey[i,j])
            endfor
        endfor
    endfor
endfunction

function [ex : mat, ey : mat, hz : mat] = fdtd2d_slices(ex0 : mat, ey0 : mat, hz0 : mat, source : vec)
    ex = copy(ex0)
    ey = copy(ey0)
    hz = copy(hz0)
    [M, N] = size(ex)
    for t = 0..numel(source)-1
        ey[0,:] = source[t]
        ey[1..M-1,:] -= 0.5*(hz[1..M-1,:] - hz[0..M-2,:])
        ex[:,1..N-1] -= 0.5*(hz[:,1..N-1] - hz[:,0..N-2])
        hz[0..M-2,0..N-2] -= 0.7*(ex[0..M-2,1..N-1] - ex[0..M-2,0..N-2] + ey[1..M-1,0..N-2] - ey[0..M-2,0..N-2])
    endfor
endfunction

function a : mat = seidel2d(a0 : mat, steps : int)
    a = copy(a0)
    [M, N] = size(a)
    for t = 1..steps
        for i = 1..M-2
            for j = 1..N-2
                a[i,j] = (a[i-1,j-1] + a[i-1,j] + a[i-1,j+1] + a[i,j-1] + a[i,j] + a[i,j+1] + a[i+1,j-1] + a[i+1,j] + a[i+1,j+1])/9
            endfor
        endfor
    endfor
endfunction

% directions in turn: a tridiagonal system for each column, then for each row
function u : mat = adi(u0 : mat, steps : int, r : scalar)
    u = copy(u0)
    n = size(u,0)
    v = zeros(n, n)
    p = zeros(n, n)
    q = zeros(n, n)
    for t = 1..steps
        for i = 1..n-2
            v[0,i] = 1
            p[i,0] = 0
            q[i,0] = 1
            for j = 1..n-2
                d = 1 + r - 0.5*r*p[i,j-1]
                p[i,j] = 0.5*r/d
                q[i,j] = (0.5*r*u[j,i-1] + (1 - r)*u[j,i] + 0.5*r*u[j,i+1] + 0.5*r*q[i,j-1])/d
            endfor
            v[n-1,i] = 1
            for j = n-2..-1..1
                v[j,i] = p[i,j]*v[j+1,i] + q[i,j]
            endfor
        endfor
        for i = 1..n-2
            u[i,0] = 1
            p[i,0] = 0
            q[i,0] = 1
            for j = 1..n-2
                d = 1 + r - 0.5*r*p[i,j-1]
                p[i,j] = 0.5*r/d
                q[i,j] = (0.5*r*v[i-1,j] + (1 - r)*v[i,j] + 0.5*r*v[i+1,j] + 0.5*r*q[i,j-1])/d
            endfor
            u[i,n-1] = 1
            for j = n-2..-1..1
                u[i,j] = p[i,j]*u[i,j+1] + q[i,j]
            endfor
        endfor
    endfor
endfunction

% a recursive smoothing filter, forth and back along rows and along columns
function y : mat = deriche(x : mat, alpha : scalar)
    [M, N] = size(x)
    k = (1 - exp(-alpha))^2/(1 + 2*alpha*exp(-alpha) - exp(2*alpha))
    a1 = k
    a2 = k*exp(-alpha)*(alpha - 1)
    a3 = k*exp(-alpha)*(alpha + 1)
    a4 = -k*exp(-2*alpha)
    b1 = 2^(-alpha)
    b2 = -exp(-2*alpha)
    t = uninit(M, N)
    s = uninit(M, N)
    y = uninit(M, N)
    for i = 0..M-1
        x1 = 0.0
        y1 = 0.0
        y2 = 0.0
        for j = 0..N-1
            t[i,j] = a1*x[i,j] + a2*x1 + b1*y1 + b2*y2
            x1 = x[i,j]
            y2 = y1
            y1 = t[i,j]
        endfor
    endfor
    for i = 0..M-1
        x1 = 0.0
        x2 = 0.0
        y1 = 0.0
        y2 = 0.0
        for j = N-1..-1..0
            s[i,j] = a3*x1 + a4*x2 + b1*y1 + b2*y2
            x2 = x1
            x1 = x[i,j]
            y2 = y1
            y1 = s[i,j]
        endfor
    endfor
    s = s + t
    for j = 0..N-1
        x1 = 0.0
        y1 = 0.0
        y2 = 0.0
        for i = 0..M-1
            t[i,j] = a1*s[i,j] + a2*x1 + b1*y1 + b2*y2
            x1 = s[i,j]
            y2 = y1
            y1 = t[i,j]
        endfor
    endfor
    for j = 0..N-1
        x1 = 0.0
        x2 = 0.0
        y1 = 0.0
        y2 = 0.0
        for i = M-1..-1..0
            y[i,j] = a3*x1 + a4*x2 + b1*y1 + b2*y2
            x2 = x1
            x1 = s[i,j]
            y2 = y1
            y1 = y[i,j]
        endfor
    endfor
    y = y + t
endfunction
