% fluids and the atmosphere

% horizontal diffusion with limited fluxes; rows, columns, levels
function y : cube = hdiff(x : cube, c : cube)
    [I, J, K] = size(c)
    lap = 4*x[1..I+2,1..J+2,:] - (x[2..I+3,1..J+2,:] + x[0..I+1,1..J+2,:] + x[1..I+2,2..J+3,:] + x[1..I+2,0..J+1,:])
    fx = lap[1..I+1,1..J,:] - lap[0..I,1..J,:]
    dx = x[2..I+2,2..J+1,:] - x[1..I+1,2..J+1,:]
    fx[fx .* dx > 0] = 0
    fy = lap[1..I,1..J+1,:] - lap[1..I,0..J,:]
    dy = x[2..I+1,2..J+2,:] - x[2..I+1,1..J+1,:]
    fy[fy .* dy > 0] = 0
    y = x[2..I+1,2..J+1,:] - c .* (fx[1..I,:,:] - fx[0..I-1,:,:] + fy[:,1..J,:] - fy[:,0..J-1,:])
endfunction

function y : cube = hdiff_loops(x : cube, c : cube)
    [I, J, K] = size(c)
    lap = uninit(I+2, J+2, K)
    fx = uninit(I+1, J, K)
    fy = uninit(I, J+1, K)
    y = uninit(I, J, K)
    for i = 0..I+1
        for j = 0..J+1
            for k = 0..K-1
                lap[i,j,k] = 4*x[i+1,j+1,k] - (x[i+2,j+1,k] + x[i,j+1,k] + x[i+1,j+2,k] + x[i+1,j,k])
            endfor
        endfor
    endfor
    for i = 0..I
        for j = 0..J-1
            for k = 0..K-1
                f = lap[i+1,j+1,k] - lap[i,j+1,k]
                fx[i,j,k] = f*(x[i+2,j+2,k] - x[i+1,j+2,k]) > 0 ? 0.0 : f
            endfor
        endfor
    endfor
    for i = 0..I-1
        for j = 0..J
            for k = 0..K-1
                f = lap[i+1,j+1,k] - lap[i+1,j,k]
                fy[i,j,k] = f*(x[i+2,j+2,k] - x[i+2,j+1,k]) > 0 ? 0.0 : f
            endfor
        endfor
    endfor
    for i = 0..I-1
        for j = 0..J-1
            for k = 0..K-1
                y[i,j,k] = x[i+2,j+2,k] - c[i,j,k]*(fx[i+1,j,k] - fx[i,j,k] + fy[i,j+1,k] - fy[i,j,k])
            endfor
        endfor
    endfor
endfunction

% vertical advection: a tridiagonal system for each position, levels last
function y : cube = vadv(x : cube, w : cube)
    [I, J, K] = size(x)
    y = uninit(I, J, K)
    c = uninit(I, J, K)
    d = uninit(I, J, K)
    for i = 0..I-1
        for j = 0..J-1
            c[i,j,0] = w[i,j,0]
            d[i,j,0] = x[i,j,0]
            for k = 1..K-1
                a = -w[i,j,k-1]
                m = 1/(1.5 - a*c[i,j,k-1])
                c[i,j,k] = w[i,j,k]*m
                d[i,j,k] = (x[i,j,k] - a*d[i,j,k-1])*m
            endfor
            y[i,j,K-1] = d[i,j,K-1]
            for k = K-2..-1..0
                y[i,j,k] = d[i,j,k] - c[i,j,k]*y[i,j,k+1]
            endfor
        endfor
    endfor
endfunction

function y : cube = vadv_slices(x : cube, w : cube)
    [I, J, K] = size(x)
    c = uninit(I, J, K)
    d = uninit(I, J, K)
    y = uninit(I, J, K)
    c[:,:,0] = w[:,:,0]
    d[:,:,0] = x[:,:,0]
    for k = 1..K-1
        a = -w[:,:,k-1]
        m = 1 ./ (1.5 - a .* c[:,:,k-1])
        c[:,:,k] = w[:,:,k] .* m
        d[:,:,k] = (x[:,:,k] - a .* d[:,:,k-1]) .* m
    endfor
    y[:,:,K-1] = d[:,:,K-1]
    for k = K-2..-1..0
        y[:,:,k] = d[:,:,k] - c[:,:,k] .* y[:,:,k+1]
    endfor
endfunction

% the pressure of an incompressible fluid
function p : mat = pressure(p0 : mat, b : mat, dx : scalar, dy : scalar, steps : int)
    p = copy(p0)
    [M, N] = size(p)
    for t = 1..steps
        q = copy(p)
        p[1..M-2,1..N-2] = ((q[1..M-2,2..N-1] + q[1..M-2,0..N-3])*dy^2 + (q[2..M-1,1..N-2] + q[0..M-3,1..N-2])*dx^2)/(2*(dx^2 + dy^2)) - dx^2*dy^2/(2*(dx^2 + dy^2))*b[1..M-2,1..N-2]
        p[:,N-1] = p[:,N-2]
        p[0,:] = p[1,:]
        p[:,0] = p[:,1]
        p[M-1,:] = 0
    endfor
endfunction

% a cavity whose lid moves
function [u : mat, v : mat, p : mat] = cavity(n : int, steps : int, inner : int, dt : scalar, rho : scalar, nu : scalar)
    u = zeros(n, n)
    v = zeros(n, n)
    p = zeros(n, n)
    b = zeros(n, n)
    h = 2/(n-1)
    for t = 1..steps
        ux = (u[1..n-2,2..n-1] - u[1..n-2,0..n-3])/(2*h)
        uy = (u[2..n-1,1..n-2] - u[0..n-3,1..n-2])/(2*h)
        vx = (v[1..n-2,2..n-1] - v[1..n-2,0..n-3])/(2*h)
        vy = (v[2..n-1,1..n-2] - v[0..n-3,1..n-2])/(2*h)
        b[1..n-2,1..n-2] = rho*((ux + vy)/dt - ux.^2 - 2*(uy .* vx) - vy.^2)
        p = pressure(p, b, h, h, inner)
        un = copy(u)
        vn = copy(v)
        uc = un[1..n-2,1..n-2]
        vc = vn[1..n-2,1..n-2]
        u[1..n-2,1..n-2] = uc - dt/h*(uc .* (uc - un[1..n-2,0..n-3])) - dt/h*(vc .* (uc - un[0..n-3,1..n-2])) - dt/(2*rho*h)*(p[1..n-2,2..n-1] - p[1..n-2,0..n-3]) + nu*dt/h^2*(un[1..n-2,2..n-1] + un[1..n-2,0..n-3] + un[2..n-1,1..n-2] + un[0..n-3,1..n-2] - 4*uc)
        v[1..n-2,1..n-2] = vc - dt/h*(uc .* (vc - vn[1..n-2,0..n-3])) - dt/h*(vc .* (vc - vn[0..n-3,1..n-2])) - dt/(2*rho*h)*(p[2..n-1,1..n-2] - p[0..n-3,1..n-2]) + nu*dt/h^2*(vn[1..n-2,2..n-1] + vn[1..n-2,0..n-3] + vn[2..n-1,1..n-2] + vn[0..n-3,1..n-2] - 4*vc)
        u[0,:] = 0
        u[:,0] = 0
        u[:,n-1] = 0
        u[n-1,:] = 1
        v[0,:] = 0
        v[n-1,:] = 0
        v[:,0] = 0
        v[:,n-1] = 0
    endfor
endfunction

% the pressure in a channel whose ends meet, as loops
function p : mat = channel(p0 : mat, b : mat, steps : int)
    p : mat'circular = copy(p0)
    [M, N] = size(p)
    for t = 1..steps
        q = uninit(M, N)
        for i = 1..M-2
            for j = 0..N-1
                q[i,j] = 0.25*(p[i,j+1] + p[i,j-1] + p[i+1,j] + p[i-1,j] - b[i,j])
            endfor
        endfor
        for j = 0..N-1
            q[0,j] = q[1,j]
            q[M-1,j] = q[M-2,j]
        endfor
        p = q
    endfor
endfunction
