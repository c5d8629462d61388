% Every way in which threads of a kernel make arrays of sizes that are known at run time only, and numbers from them.
function [] = __kernel__ made(x : mat, y : mat, n : int, pos : int)
    w = zeros(n)
    u = w + 2
    u[1..n-1] = x[pos,1..n-1] .* 3
    t = [u, w]
    z = transpose(t)
    e = eye(n)
    c = e * z
    d = c * [1.0, 2.0]
    r = repmat(u, [2,2])
    h = shuffledims(t, [1,0])
    g = n-1..-1..0
    q = seq(0, n, 2)
    l = linspace(0, 1, n)
    a = x[0..2..n-1, :]
    y[pos,0] = sum(u) + 10*sum(z) + 100*sum(c)
    y[pos,1] = sum(d)
    y[pos,2] = sum(r[3,:]) + size(r,0) + size(r,1)
    y[pos,3] = h[n-1,0] + size(h,0)
    y[pos,4] = sum(q) + numel(q)
    y[pos,5] = sum(l)
    y[pos,6] = sum(a) + size(a,0)
    v = u[g]
    y[pos,7] = v[0] + 10*v[n-1]
    y[pos,8] = sum(abs(-u)) + sum(max(u, w + 4))
    s = sum(t, 0)
    m = sum(t, 1)
    y[pos,9] = s[1] + 100*numel(s) + m[0] + 1000*numel(m)
endfunction

function [] = __kernel__ numbers(x : mat, y : mat, n : int, pos : int)
    u = x[pos, 0..n-1]
    s = sort(u)
    f = cumsum(u)
    p = cumprod(u + 1)
    y[pos,0] = s[0] + 10*s[n-1]
    y[pos,1] = f[n-1]
    y[pos,2] = p[n-1]
    y[pos,3] = mean(u)
    y[pos,4] = median(u)
    y[pos,5] = var(u)
    y[pos,6] = norm(u)
    y[pos,7] = dotprod(u, u)
    y[pos,8] = any(u > 11) + 2*all(u > -1)
    y[pos,9] = min(u) + 10*max(u) + 1000*prod(u + 1)
endfunction

% Slices that are written, other names for one array, and choices.
function [] = __kernel__ written(x : mat, y : mat, n : int, pos : int)
    w = zeros(n, n)
    w[pos,:] = x[pos,0..n-1]
    w[:,1] += 1
    w[0..n-1,0] = x[0..n-1,pos]
    o = w
    o[2,2] = 100
    k = [n-1, 0]
    w[k,1] = 7
    b = reshape(w, [n*n])
    b[n*n-1] += 1000
    c = pos > 0 ? b : zeros(2)
    i = seq(0, n-1)
    j = x[pos, i] + i
    y[pos,0] = sum(w)
    y[pos,1] = w[2,2]
    y[pos,2] = sum(c)
    y[pos,3] = sum(j)
    w = w .* 2
    y[pos,4] = sum(w) - sum(o)
    y[pos,0..n-1] += w[0,:]
    u = x[pos,0..n-1]
    u[1..n-1] = u[0..n-2]
    y[pos,5] = u[0] + 10*u[1] + 100*u[n-1]
    total = 0.0
    for v = u
        total += v
    endfor
    y[pos,6] = total
endfunction

% What a round makes is given back: all rounds together would need more memory than there is.
function [] = __kernel__ rounds(y : vec, n : int, pos : int)
    total = 0.0
    k = 0
    while k < 40
        a = ones(n) .* k
        k += 1
        if mod(k, 4) == 0
            continue
        endif
        for j = 0..9
            b = a[j..n-1] + j
            if j > 6
                break
            endif
            total += b[0]
        endfor
    endwhile
    kept = zeros(1)
    for j = 0..3
        kept = [1.0, 2.0, 3.0]
        kept = kept + sum(ones(n))
    endfor
    y[pos] = total + sum(kept)
endfunction

function [] = main()
    x = zeros(5,5)
    for i = 0..4
        for j = 0..4
            x[i,j] = mod(i*7 + j*5, 12)
        endfor
    endfor
    y = zeros(5,10)
    parallel_do(5, x, y, 4, made)
    print y
    parallel_do(5, x, y, 5, numbers)
    print y
    y = zeros(5,10)
    parallel_do(5, x, y, 5, written)
    print y
    r = zeros(300)
    parallel_do(300, r, 1000, rounds)
    print r[0], " ", r[299]
    z = zeros(3)
    try
        parallel_do(3, x, zeros(3,10), -1, made)
    catch
        print "no size"
    endtry
endfunction
