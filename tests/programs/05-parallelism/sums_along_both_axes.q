% Sums and extremes down columns and along rows, of sizes that no vector divides; all numbers are exact.

% Indices that are mapped, beside ones that are not, in loops along rows
function y : mat = mapped(x : mat'mirror, z : mat'circular, w : mat'safe)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        for n = 0..size(x,1)-1
            s += x[m,n]
        endfor
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n-3] + s + z[m,n+5] + 2*w[m,n+2] + w[m,0]
        endfor
    endfor
endfunction

% Several accumulators of a row, and what is made of them
function y : mat = centred(x : mat)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        low = x[m,0]
        high = x[m,0]
        for n = 0..size(x,1)-1
            s += x[m,n]
            low = min(low, x[m,n])
            high = max(high, x[m,n])
        endfor
        for n = 0..size(x,1)-1
            y[m,n] = 2*x[m,n] - s + low - 3*high
        endfor
    endfor
endfunction

function y : vec = column_sums(x : mat)
    y = uninit(size(x,1))
    for n = 0..size(x,1)-1
        s = 0.0
        for m = 0..size(x,0)-1
            s += x[m,n]
        endfor
        y[n] = s
    endfor
endfunction

% Two loops down each column
function y : vec = spread(x : mat)
    y = uninit(size(x,1))
    for n = 0..size(x,1)-1
        s = 0.0
        high = x[0,n]
        for m = 0..size(x,0)-1
            s += x[m,n]
        endfor
        for m = 1..size(x,0)-1
            high = max(high, x[m,n])
        endfor
        y[n] = high*size(x,0) - s
    endfor
endfunction

% Of each plane
function y : mat = column_products(x : cube, w : vec)
    y = zeros(size(x,0), size(x,2))
    for c = 0..size(x,0)-1
        for n = 0..size(x,2)-1
            for m = 0..size(x,1)-1
                y[c,n] += x[c,m,n]*w[m]
            endfor
        endfor
    endfor
endfunction

function y : vec = transposed_product(a : mat, x : vec)
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

% All elements of a position, of one that has no loops
function y : cube = side_by_side(x : mat)
    y = uninit(size(x,0), size(x,1), 3)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n,0] = x[m,n]
            y[m,n,1] = 1 - x[m,n]
            y[m,n,2] = 2*x[m,n]
        endfor
    endfor
endfunction

function y : cube = pixels(x : mat)
    y = uninit(size(x,0), size(x,1), 2)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n,:] = [x[m,n] - 7, 3*x[m,n]]
        endfor
    endfor
endfunction

function [] = show(name : string, y)
    k = reshape(mod(0..numel(y)-1, 3) - 1, size(y))
    print name, ": ", sum(y), " ", sum(y .* k)
endfunction

for n = [1, 5, 31, 63, 64, 65, 97, 300]
    x = mod(reshape((0..19*n-1)*37, 19, n), 3)
    print n
    show("mapped", mapped(x, x, x))
    show("centred", centred(x))
    show("column sums", column_sums(x))
    show("spread", spread(x))
    show("column products", column_products(reshape(x, 1, 19, n), mod(0..18, 3)))
    show("transposed product", transposed_product(x, mod(0..n-1, 2)))
    show("side by side", side_by_side(x))
    show("pixels", pixels(x))
endfor
