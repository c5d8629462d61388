% products and decompositions of matrices, as their formulas are written first

function y : mat = two_mm(alpha : scalar, beta : scalar, a : mat, b : mat, c : mat, d : mat)
    y = alpha*(a*b)*c + beta*d
endfunction

function y : mat = two_mm_loops(alpha : scalar, beta : scalar, a : mat, b : mat, c : mat, d : mat)
    t = zeros(size(a,0), size(b,1))
    y = uninit(size(d))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            for k = 0..size(a,1)-1
                t[i,j] += alpha*a[i,k]*b[k,j]
            endfor
        endfor
    endfor
    for i = 0..size(d,0)-1
        for j = 0..size(d,1)-1
            y[i,j] = beta*d[i,j]
            for k = 0..size(c,0)-1
                y[i,j] += t[i,k]*c[k,j]
            endfor
        endfor
    endfor
endfunction

function y : mat = three_mm(a : mat, b : mat, c : mat, d : mat)
    y = (a*b)*(c*d)
endfunction

function y : vec = atax(a : mat, x : vec)
    y = transpose(a)*(a*x)
endfunction

function y : vec = atax_loops(a : mat, x : vec)
    y = zeros(size(a,1))
    for i = 0..size(a,0)-1
        t = 0.0
        for j = 0..size(a,1)-1
            t += a[i,j]*x[j]
        endfor
        for j = 0..size(a,1)-1
            y[j] += a[i,j]*t
        endfor
    endfor
endfunction

function [s : vec, q : vec] = bicg(a : mat, p : vec, r : vec)
    s = r*a
    q = a*p
endfunction

function [s : vec, q : vec] = bicg_loops(a : mat, p : vec, r : vec)
    s = zeros(size(a,1))
    q = zeros(size(a,0))
    for i = 0..size(a,0)-1
        for j = 0..size(a,1)-1
            s[j] += r[i]*a[i,j]
            q[i] += a[i,j]*p[j]
        endfor
    endfor
endfunction

function [x1 : vec, x2 : vec] = mvt(a : mat, u : vec, v : vec, y1 : vec, y2 : vec)
    x1 = u + a*y1
    x2 = v + y2*a
endfunction

function [x1 : vec, x2 : vec] = mvt_loops(a : mat, u : vec, v : vec, y1 : vec, y2 : vec)
    n = size(a,0)
    x1 = copy(u)
    x2 = copy(v)
    for i = 0..n-1
        for j = 0..n-1
            x1[i] += a[i,j]*y1[j]
        endfor
    endfor
    for i = 0..n-1
        for j = 0..n-1
            x2[i] += a[j,i]*y2[j]
        endfor
    endfor
endfunction

function [w : vec, x : vec] = gemver(alpha : scalar, beta : scalar, a0 : mat, u1 : vec, v1 : vec, u2 : vec, v2 : vec, y : vec, z : vec)
    a = a0 + transpose(u1)*v1 + transpose(u2)*v2
    x = beta*(y*a) + z
    w = alpha*(a*x)
endfunction

function [w : vec, x : vec] = gemver_loops(alpha : scalar, beta : scalar, a0 : mat, u1 : vec, v1 : vec, u2 : vec, v2 : vec, y : vec, z : vec)
    n = size(a0,0)
    a = uninit(n, n)
    x = copy(z)
    w = zeros(n)
    for i = 0..n-1
        for j = 0..n-1
            a[i,j] = a0[i,j] + u1[i]*v1[j] + u2[i]*v2[j]
        endfor
    endfor
    for i = 0..n-1
        for j = 0..n-1
            x[i] += beta*a[j,i]*y[j]
        endfor
    endfor
    for i = 0..n-1
        for j = 0..n-1
            w[i] += alpha*a[i,j]*x[j]
        endfor
    endfor
endfunction

function y : vec = gesummv(alpha : scalar, beta : scalar, a : mat, b : mat, x : vec)
    y = alpha*(a*x) + beta*(b*x)
endfunction

function y : vec = gesummv_loops(alpha : scalar, beta : scalar, a : mat, b : mat, x : vec)
    y = uninit(size(a,0))
    for i = 0..size(a,0)-1
        s = 0.0
        t = 0.0
        for j = 0..size(a,1)-1
            s += a[i,j]*x[j]
            t += b[i,j]*x[j]
        endfor
        y[i] = alpha*s + beta*t
    endfor
endfunction

% a symmetric matrix of which the lower half is stored
function y : mat = symm(alpha : scalar, beta : scalar, a : mat, b : mat, c : mat)
    m = size(c,0)
    n = size(c,1)
    y = beta*c
    for i = 0..m-1
        for j = 0..n-1
            t = 0.0
            for k = 0..i-1
                y[k,j] += alpha*b[i,j]*a[i,k]
                t += b[k,j]*a[i,k]
            endfor
            y[i,j] += alpha*(b[i,j]*a[i,i] + t)
        endfor
    endfor
endfunction

function y : mat = syrk(alpha : scalar, beta : scalar, a : mat, c : mat)
    y = copy(c)
    for i = 0..size(a,0)-1
        for j = 0..i
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*a[j,k]
            endfor
            y[i,j] = beta*c[i,j] + alpha*s
        endfor
    endfor
endfunction

function y : mat = syrk_slices(alpha : scalar, beta : scalar, a : mat, c : mat)
    y = copy(c)
    for i = 0..size(a,0)-1
        y[i,0..i] = beta*y[i,0..i]
        for k = 0..size(a,1)-1
            y[i,0..i] += alpha*a[i,k]*transpose(a[0..i,k])
        endfor
    endfor
endfunction

function y : mat = syr2k(alpha : scalar, beta : scalar, a : mat, b : mat, c : mat)
    y = copy(c)
    for i = 0..size(a,0)-1
        for j = 0..i
            y[i,j] *= beta
            for k = 0..size(a,1)-1
                y[i,j] += alpha*(a[j,k]*b[i,k] + b[j,k]*a[i,k])
            endfor
        endfor
    endfor
endfunction

function y : mat = trmm(alpha : scalar, a : mat, b : mat)
    m = size(b,0)
    n = size(b,1)
    y = copy(b)
    for i = 0..m-1
        for j = 0..n-1
            for k = i+1..m-1
                y[i,j] += a[k,i]*y[k,j]
            endfor
            y[i,j] *= alpha
        endfor
    endfor
endfunction

function y : cube = doitgen(a : cube, c4 : mat)
    y = uninit(size(a))
    for r = 0..size(a,0)-1
        for q = 0..size(a,1)-1
            for p = 0..size(a,2)-1
                s = 0.0
                for k = 0..size(a,2)-1
                    s += a[r,q,k]*c4[k,p]
                endfor
                y[r,q,p] = s
            endfor
        endfor
    endfor
endfunction

function y : cube = doitgen_slices(a : cube, c4 : mat)
    y = uninit(size(a))
    for r = 0..size(a,0)-1
        y[r,:,:] = a[r,:,:]*c4
    endfor
endfunction

function l : mat = cholesky_loops(a : mat)
    n = size(a,0)
    l = copy(a)
    for i = 0..n-1
        for j = 0..i-1
            for k = 0..j-1
                l[i,j] -= l[i,k]*l[j,k]
            endfor
            l[i,j] /= l[j,j]
        endfor
        for k = 0..i-1
            l[i,i] -= l[i,k]*l[i,k]
        endfor
        l[i,i] = sqrt(l[i,i])
    endfor
    for i = 0..n-1
        for j = i+1..n-1
            l[i,j] = 0
        endfor
    endfor
endfunction

function l : mat = cholesky_slices(a : mat)
    n = size(a,0)
    l = zeros(n, n)
    for j = 0..n-1
        l[j,j] = sqrt(a[j,j] - sum(l[j,0..j-1].^2))
        for i = j+1..n-1
            l[i,j] = (a[i,j] - sum(l[i,0..j-1] .* l[j,0..j-1]))/l[j,j]
        endfor
    endfor
endfunction

function l : mat = cholesky_library(a : mat)
    l = cholesky(a)
endfunction

function y : mat = lu_loops(a : mat)
    n = size(a,0)
    y = copy(a)
    for i = 0..n-1
        for j = 0..i-1
            for k = 0..j-1
                y[i,j] -= y[i,k]*y[k,j]
            endfor
            y[i,j] /= y[j,j]
        endfor
        for j = i..n-1
            for k = 0..i-1
                y[i,j] -= y[i,k]*y[k,j]
            endfor
        endfor
    endfor
endfunction

% by steps of elimination
function y : mat = lu_steps(a : mat)
    n = size(a,0)
    y = copy(a)
    for k = 0..n-2
        for i = k+1..n-1
            y[i,k] /= y[k,k]
            for j = k+1..n-1
                y[i,j] -= y[i,k]*y[k,j]
            endfor
        endfor
    endfor
endfunction

function y : mat = lu_slices(a : mat)
    n = size(a,0)
    y = copy(a)
    for k = 0..n-2
        y[k+1..n-1,k] = y[k+1..n-1,k]/y[k,k]
        y[k+1..n-1,k+1..n-1] -= y[k+1..n-1,k]*y[k,k+1..n-1]
    endfor
endfunction
