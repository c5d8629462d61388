% Parallel loops whose bodies are host code: threads share the iterations.
type pixel : mutable class
    value : scalar
    count : int
endtype
function y : scalar = energy(v : vec)
    y = sum(v.*v)
endfunction
function [] = body(x : mat, M : int, N : int)
    y = zeros(M)
    {!parallel for}
    for m = 0..M-1
        y[m] = energy(sort(x[m,:]))
    endfor
    print sum(y)
    z = zeros(M,N)
    for m = 0..M-1
        z[m,:] = sort(x[m,:])
    endfor
    print sum(z), z[3,5]
    s = 0.0
    {!parallel for}
    for m = 0..M-1
        if mod(m,2) == 0
            continue
        endif
        s += energy(x[m,:])
    endfor
    print s
    o = vec[pixel](M)
    for m = 0..M-1
        o[m].value = x[m,0]
    endfor
    {!parallel for}
    for m = 0..M-1
        o[m].count = int(o[m].value * 10)
    endfor
    print o[3].count, o[M-1].count
    c : vec[mat] = cell(M)
    {!parallel for}
    for m = 0..M-1
        c[m] = x[0..2,0..2] * m
    endfor
    print c[3]
    {!parallel for}
    for m = 0..M-1
        try
            y[m] = x[m,m*2]
        catch ex
            y[m] = -1
        endtry
    endfor
    print sum(y)
    f = (v : vec) -> sum(v) / numel(v)
    {!parallel for}
    for t = 0.0..0.5..10.0
        y[int(2*t)] = f(x[0,:]) * t
    endfor
    print y[20]
    try
        {!parallel for}
        for m = 0..M-1
            assert(m < 17, "row ", m)
            y[m] = sum(x[m,:])
        endfor
    catch ex
        print "a row is missing"
    endtry
    {!parallel for}
    for m = 0..3
        k = sum(x[m,:])
        {!parallel for}
        for n = 0..N-1
            z[m,n] = energy(x[n,:]) + k
        endfor
    endfor
    print sum(z)
    w = zeros(M,N)
    for m = 1..M-2
        for n = 1..N-2
            w[m,n] = median(reshape(x[m-1..m+1,n-1..n+1],[9]))
        endfor
    endfor
    print sum(w)
endfunction
x = zeros(64,64)
for m = 0..63
    for n = 0..63
        x[m,n] = mod(7*m + 3*n + m*n, 16) / 16
    endfor
endfor
body(x, size(x,0), size(x,1))
