% solvers and statistics of matrices

function y : vec = durbin(r : vec)
    n = numel(r)
    y = zeros(n)
    z = zeros(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k = 1..n-1
        beta = (1 - alpha*alpha)*beta
        s = 0.0
        for i = 0..k-1
            s += r[k-i-1]*y[i]
        endfor
        alpha = -(r[k] + s)/beta
        for i = 0..k-1
            z[i] = y[i] + alpha*y[k-i-1]
        endfor
        for i = 0..k-1
            y[i] = z[i]
        endfor
        y[k] = alpha
    endfor
endfunction

function y : vec = durbin_slices(r : vec)
    n = numel(r)
    y = zeros(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k = 1..n-1
        beta *= 1 - alpha^2
        alpha = -(r[k] + dotprod(r[k-1..-1..0], y[0..k-1]))/beta
        y[0..k-1] = y[0..k-1] + alpha*y[k-1..-1..0]
        y[k] = alpha
    endfor
endfunction

function [q : mat, r : mat] = gramschmidt(a0 : mat)
    m = size(a0,0)
    n = size(a0,1)
    a = copy(a0)
    q = zeros(m, n)
    r = zeros(n, n)
    for k = 0..n-1
        s = 0.0
        for i = 0..m-1
            s += a[i,k]*a[i,k]
        endfor
        r[k,k] = sqrt(s)
        for i = 0..m-1
            q[i,k] = a[i,k]/r[k,k]
        endfor
        for j = k+1..n-1
            t = 0.0
            for i = 0..m-1
                t += q[i,k]*a[i,j]
            endfor
            r[k,j] = t
            for i = 0..m-1
                a[i,j] -= q[i,k]*t
            endfor
        endfor
    endfor
endfunction

function [q : mat, r : mat] = gramschmidt_slices(a0 : mat)
    n = size(a0,1)
    a = copy(a0)
    q = zeros(size(a0))
    r = zeros(n, n)
    for k = 0..n-1
        r[k,k] = sqrt(sum(a[:,k].^2))
        q[:,k] = a[:,k]/r[k,k]
        for j = k+1..n-1
            r[k,j] = sum(q[:,k] .* a[:,j])
            a[:,j] = a[:,j] - q[:,k]*r[k,j]
        endfor
    endfor
endfunction

function c : mat = covariance(x : mat)
    n = size(x,0)
    m = size(x,1)
    centred = x - repmat(mean(x, 0), [n, 1])
    c = transpose(centred)*centred/(n-1)
endfunction

function c : mat = covariance_loops(x : mat)
    n = size(x,0)
    m = size(x,1)
    average = zeros(m)
    c = zeros(m, m)
    d = uninit(n, m)
    for j = 0..m-1
        for i = 0..n-1
            average[j] += x[i,j]/n
        endfor
    endfor
    for i = 0..n-1
        for j = 0..m-1
            d[i,j] = x[i,j] - average[j]
        endfor
    endfor
    for i = 0..m-1
        for j = i..m-1
            s = 0.0
            for k = 0..n-1
                s += d[k,i]*d[k,j]
            endfor
            c[i,j] = s/(n-1)
            c[j,i] = c[i,j]
        endfor
    endfor
endfunction

function c : mat = correlation(x : mat)
    n = size(x,0)
    d = x - repmat(mean(x, 0), [n, 1])
    s = sqrt(sum(d.^2, 0)/n)
    d = d ./ repmat(s*sqrt(n), [n, 1])
    c = transpose(d)*d
endfunction

function c : mat = correlation_loops(x : mat)
    n = size(x,0)
    m = size(x,1)
    d = uninit(n, m)
    for j = 0..m-1
        s = 0.0
        q = 0.0
        for i = 0..n-1
            s += x[i,j]
        endfor
        s /= n
        for i = 0..n-1
            q += (x[i,j] - s)^2
        endfor
        q = sqrt(q)
        for i = 0..n-1
            d[i,j] = (x[i,j] - s)/q
        endfor
    endfor
    c = eye(m)
    for i = 0..m-2
        for j = i+1..m-1
            s = 0.0
            for k = 0..n-1
                s += d[k,i]*d[k,j]
            endfor
            c[i,j] = s
            c[j,i] = s
        endfor
    endfor
endfunction

% back substitution with an upper triangle
function x : vec = backward(u : mat, b : vec)
    n = numel(b)
    x = copy(b)
    for i = n-1..-1..0
        x[i] = (b[i] - sum(u[i,i+1..n-1] .* x[i+1..n-1]))/u[i,i]
    endfor
endfunction
