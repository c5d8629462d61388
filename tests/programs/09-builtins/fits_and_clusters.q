% statistics of columns, regression, kmeans, histogram equalisation
function [a, b] = linfit(x, y)
    mx = mean(x)
    my = mean(y)
    b = sum((x - mx) .* (y - my)) / sum((x - mx).^2)
    a = my - b * mx
endfunction
function [c, label] = kmeans(x : mat, k : int, rounds : int)
    n = size(x,0)
    c = copy(x[0..k-1,:])
    label = zeros[int](n)
    for r = 1..rounds
        for i = 0..n-1
            best = inf
            for j = 0..k-1
                d = sum((x[i,:] - c[j,:]).^2)
                if d < best
                    best = d
                    label[i] = j
                endif
            endfor
        endfor
        for j = 0..k-1
            s = zeros(size(x,1))
            m = 0
            for i = 0..n-1
                if label[i] == j
                    s += x[i,:]
                    m += 1
                endif
            endfor
            if m > 0
                c[j,:] = s / m
            endif
        endfor
    endfor
endfunction
function y = equalise(x, levels)
    h = zeros(levels)
    for i = 0..numel(x)-1
        h[int(x[i])] += 1
    endfor
    c = cumsum(h) / numel(x)
    y = zeros(size(x))
    for i = 0..numel(x)-1
        y[i] = round(c[int(x[i])] * (levels - 1))
    endfor
endfunction
function C = cov(X)
    n = size(X,0)
    m = mean(X, 0)
    Z = X - repmat(m, [n,1])
    C = transpose(Z) * Z / (n - 1)
endfunction
function [] = main()
    x = float(0..9)
    [a, b] = linfit(x, 2*x + 1)
    print a, " ", b
    pts = [[0.0,0],[10.0,10],[0.0,1],[1.0,0],[9.0,10],[10.0,9]]
    [c, l] = kmeans(pts, 2, 5)
    print c
    print l
    print equalise([0.0,0,1,2,2,2,3,7], 8)
    print cov([[1.0,2],[3.0,4],[5.0,9]])
    print median([5,3,1,4]), median([[1,2],[3,4],[5,9]])
    print var([1.0,2,3,4]), std([[1.0,2],[3.0,4]], 0)
    p = [0.2,0.5,0.3]
    print -sum(p .* log2(p))
    q = cumsum(p)
    print find(q > 0.6)[0,1]
endfunction
