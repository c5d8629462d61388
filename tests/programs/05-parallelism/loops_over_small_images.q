% parallel loops over matrices: row sums, argmax per row, softmax, normalisation, distance matrix, convolution with channels
function y = softmax(x)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
        m = max(x[i,:])
        e = exp(x[i,:] - m)
        y[i,:] = e / sum(e)
    endfor
endfunction
function k = rowmax(x : mat)
    k = zeros[int](size(x,0))
    {!parallel for}
    for i = 0..size(x,0)-1
        best = x[i,0]
        for j = 1..size(x,1)-1
            if x[i,j] > best
                best = x[i,j]
                k[i] = j
            endif
        endfor
    endfor
endfunction
function D = distances(X, Y)
    D = zeros(size(X,0), size(Y,0))
    for i = 0..size(X,0)-1
        for j = 0..size(Y,0)-1
            D[i,j] = sqrt(sum((X[i,:] - Y[j,:]).^2))
        endfor
    endfor
endfunction
function y = rgbconv(x : cube(:,:,3)'mirror, w : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            acc = [0.0,0,0]
            for a = 0..2
                for b = 0..2
                    acc += w[a,b] * x[m+a-1,n+b-1,0..2]
                endfor
            endfor
            y[m,n,:] = acc
        endfor
    endfor
endfunction
function s = masked_mean(x, lo)
    s = 0.0
    n = 0
    for i = 0..numel(x)-1
        if x[i] < lo
            continue
        endif
        s += x[i]
        n += 1
    endfor
    s = s / n
endfunction
function [lo, hi] = minmax(x)
    lo = x[0]
    hi = x[0]
    for i = 1..numel(x)-1
        lo = min(lo, x[i])
        hi = max(hi, x[i])
    endfor
endfunction
function [] = main()
    x = [[1.0,2,3],[3.0,1,0],[0.0,5,5]]
    print round(softmax(x) * 1000) / 1000
    print rowmax(x)
    print round(distances(x, x) * 100) / 100
    img = reshape(float(0..26), [3,3,3])
    print rgbconv(img, ones(3,3) / 9)
    print masked_mean([1.0,5,7,2,9], 3)
    [lo, hi] = minmax([3.0,-2,8,1])
    print lo, hi
    h = zeros[int](5)
    for i = 0..99
        h[mod(i*i, 5)] += 1
    endfor
    print h
    c = 0
    for i = 0..9
        for j = 0..9
            if mod(i*j, 3) == 1
                c += 1
            endif
        endfor
    endfor
    print c
    p = 1.0
    for i = 1..10
        p *= 1 + 1/i
    endfor
    print p
    y = zeros(4,4)
    for i = 0..3
        for j = 0..i
            y[i,j] = i * 10 + j
        endfor
    endfor
    print y
endfunction
