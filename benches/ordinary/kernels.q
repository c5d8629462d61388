% programs written as kernels of positions, as users of CUDA write first

function [] = __kernel__ jacobi_step(a : mat, b : mat, pos : ivec2)
    m = pos[0]
    n = pos[1]
    if m > 0 && n > 0 && m < size(a,0)-1 && n < size(a,1)-1
        b[m,n] = 0.2*(a[m,n] + a[m,n-1] + a[m,n+1] + a[m+1,n] + a[m-1,n])
    endif
endfunction

function a : mat = jacobi(a0 : mat, steps : int)
    a = copy(a0)
    b = copy(a0)
    for t = 1..steps
        parallel_do(size(a), a, b, jacobi_step)
        parallel_do(size(a), b, a, jacobi_step)
    endfor
endfunction

function [] = __kernel__ histogram_step(x : mat[uint8], h : ivec, pos : ivec2)
    h[x[pos]] += 1
endfunction

function h : ivec = histogram(x : mat[uint8])
    h = zeros[int](256)
    parallel_do(size(x), x, h, histogram_step)
endfunction

function [] = __kernel__ nearest_step(x : mat, y : mat, d : vec, at : ivec, pos : int)
    best = 1e30
    k = 0
    for j = 0..size(y,0)-1
        s = 0.0
        for i = 0..size(x,1)-1
            s += (x[pos,i] - y[j,i])^2
        endfor
        if s < best
            best = s
            k = j
        endif
    endfor
    d[pos] = sqrt(best)
    at[pos] = k
endfunction

function [d : vec, at : ivec] = nearest(x : mat, y : mat)
    d = uninit(size(x,0))
    at = uninit[int](size(x,0))
    parallel_do(size(x,0), x, y, d, at, nearest_step)
endfunction

function [] = __kernel__ median_step(x : mat'mirror, y : mat, pos : ivec2)
    v = uninit(9)
    for i = 0..8
        v[i] = x[pos[0] + int(i/3) - 1, pos[1] + mod(i, 3) - 1]
    endfor
    for i = 1..8
        t = v[i]
        j = i - 1
        while j >= 0 && v[j] > t
            v[j+1] = v[j]
            j -= 1
        endwhile
        v[j+1] = t
    endfor
    y[pos] = v[4]
endfunction

function y : mat = median(x : mat)
    y = uninit(size(x))
    parallel_do(size(x), x, y, median_step)
endfunction

function [] = __kernel__ bilateral_step(x : mat'mirror, y : mat, r : int, near : scalar, alike : scalar, pos : ivec2)
    c = x[pos]
    s = 0.0
    w = 0.0
    for i = -r..r
        for j = -r..r
            v = x[pos + [i, j]]
            k = exp(-(i^2 + j^2)/(2*near^2) - (v - c)^2/(2*alike^2))
            s += k*v
            w += k
        endfor
    endfor
    y[pos] = s/w
endfunction

function y : mat = bilateral(x : mat, r : int, near : scalar, alike : scalar)
    y = uninit(size(x))
    parallel_do(size(x), x, y, r, near, alike, bilateral_step)
endfunction

function y : mat = rotated(x : mat'clamped, angle : scalar)
    [M, N] = size(x)
    y = uninit(M, N)
    c = cos(angle)
    s = sin(angle)
    parallel_do(size(y), __kernel__ (pos : ivec2) -> y[pos] = x[int(round(c*(pos[0] - M/2) - s*(pos[1] - N/2) + M/2)), int(round(s*(pos[0] - M/2) + c*(pos[1] - N/2) + N/2))])
endfunction

function [] = __kernel__ cells_step(x : mat'clamped, h : cube, pos : ivec2)
    gx = x[pos[0],pos[1]+1] - x[pos[0],pos[1]-1]
    gy = x[pos[0]+1,pos[1]] - x[pos[0]-1,pos[1]]
    a = atan2(gy, gx)
    if a < 0
        a += pi
    endif
    h[int(pos[0]/8),int(pos[1]/8),min(int(a*9/pi), 8)] += sqrt(gx^2 + gy^2)
endfunction

function h : cube = cells(x : mat)
    h = zeros(int(size(x,0)/8), int(size(x,1)/8), 9)
    parallel_do(size(x), x, h, cells_step)
endfunction

function [] = __kernel__ product_step(a : mat, b : mat, c : mat, blkpos : ivec2, blkidx : ivec2, blkdim : ivec2)
    s = 0.0
    u = shared(16, 16)
    v = shared(16, 16)
    for k = 0..16..size(a,1)-1
        u[blkpos[0],blkpos[1]] = a[16*blkidx[0]+blkpos[0],k+blkpos[1]]
        v[blkpos[0],blkpos[1]] = b[k+blkpos[0],16*blkidx[1]+blkpos[1]]
        syncthreads
        for i = 0..15
            s += u[blkpos[0],i]*v[i,blkpos[1]]
        endfor
        syncthreads
    endfor
    c[16*blkidx[0]+blkpos[0],16*blkidx[1]+blkpos[1]] = s
endfunction

function c : mat = product(a : mat, b : mat)
    c = uninit(size(a,0), size(b,1))
    parallel_do([size(c), [16, 16]], a, b, c, product_step)
endfunction
