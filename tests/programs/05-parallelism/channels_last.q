% Arrays with few elements along the last dimension, whose columns and channels are visited as one row: in all the ways in which rows
% may end, and where arrays differ in their channels. Numbers are small integers, so that sums are exact.

function x : cube = numbers(M : int, N : int, C : int)
    x = uninit(M, N, C)
    for m = 0..M-1
        for n = 0..N-1
            for c = 0..C-1
                x[m,n,c] = mod(7*m + 3*n + m*n + 5*c + c*n, 11) - 5
            endfor
        endfor
    endfor
endfunction

% one number that changes when any element moves
function s : scalar = digest(x : cube)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                s += x[m,n,c]*(mod(5*m + 3*n + c, 13) + 1)
            endfor
        endfor
    endfor
endfunction

% along the columns
function y : cube = blur(x : cube'mirror, w : vec)
    y = uninit(size(x))
    r = int(numel(w)/2)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                s = 0.0
                for d = -r..r
                    s += w[d+r]*x[m,n+d,c]
                endfor
                y[m,n,c] = s
            endfor
        endfor
    endfor
endfunction

% three channels that are known, and a known window
function y : cube(:,:,3) = blur_colours(x : cube(:,:,3)'clamped)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..2
                y[m,n,c] = x[m-1,n-2,c] + 2*x[m,n,c] + 3*x[m+1,n+2,c]
            endfor
        endfor
    endfor
endfunction

% both directions, into the element
function y : cube = filtered(x : cube'safe, k : mat)
    y = zeros(size(x))
    [a, b] = size(k)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                for i = 0..a-1
                    for j = 0..b-1
                        y[m,n,c] += k[i,j]*x[m+i-int(a/2),n+j-int(b/2),c]
                    endfor
                endfor
            endfor
        endfor
    endfor
endfunction

% the own element is read and written, once each
function [] = add_shifted(x : cube'circular, y : cube, by : int)
    assert(size(x) == size(y))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                y[m,n,c] = 2*y[m,n,c] + x[m+1,n+by,c]
            endfor
        endfor
    endfor
endfunction

% a number for each channel, and positions as numbers
function y : cube = levelled(x : cube, gain : vec)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..size(x,2)-1
                v = x[m,n,c]*gain[c] + n - 2*c
                if c == 1 && v > 0
                    v = -v
                endif
                y[m,n,c] = v
            endfor
        endfor
    endfor
endfunction

% positions where nothing is outside
function y : cube = inner(x : cube)
    y = zeros(size(x))
    for m = 1..size(x,0)-2
        for n = 2..size(x,1)-2
            for c = 0..size(x,2)-1
                y[m,n,c] = x[m-1,n-2,c] + x[m+1,n+1,c]
            endfor
        endfor
    endfor
endfunction

% fewer channels than one of the arrays has, and none but the middle ones
function y : cube = some_channels(x : cube'mirror, channels : int)
    y = zeros(size(x,0), size(x,1), channels)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 0..min(size(x,2), channels)-1
                y[m,n,c] = x[m,n-1,c] - 2*x[m,n+1,c]
            endfor
        endfor
    endfor
endfunction

function y : cube = middle_channels(x : cube'mirror)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for c = 1..size(x,2)-2
                y[m,n,c] = x[m,n-1,c] - 2*x[m,n+1,c]
            endfor
        endfor
    endfor
endfunction

% an array with columns of its own, far away
function y : cube = windowed(x : cube'clamped, N : int, at : int)
    y = uninit(size(x,0), N, size(x,2))
    for m = 0..size(x,0)-1
        for n = 0..N-1
            for c = 0..size(x,2)-1
                y[m,n,c] = max(x[m,n+at,c], x[m+1,n+at-1,c])
            endfor
        endfor
    endfor
endfunction

% four dimensions, and a loop that ends where the third says
function y : cube{4} = frames(x : cube{4}'safe)
    y = uninit(size(x))
    for t = 0..size(x,0)-1
        for m = 0..size(x,1)-1
            for n = 0..size(x,2)-1
                for c = 0..size(x,3)-1
                    s = 0.0
                    for d = 0..m
                        s += x[t-1,m-d,n+d,c]
                    endfor
                    y[t,m,n,c] = s
                endfor
            endfor
        endfor
    endfor
endfunction

% numbers that are none stay where they are
function n : int = spread(x : cube'mirror)
    y = blur(x, [1,1,1])
    n = 0
    for k = 0..numel(y)-1
        v = reshape(y, numel(y))[k]
        n += v == v ? 0 : k + 1
    endfor
endfunction

function [] = all_of(M : int, N : int, C : int)
    x = numbers(M, N, C)
    y = numbers(M, N, C)
    add_shifted(x, y, 1)
    add_shifted(x, y, -N-2)
    gain = mod(0..C-1, 3) + 1
    print(M, " ", N, " ", C, ": ", digest(blur(x, [1,2,3,2,1])), " ", digest(blur(x, ones(1))), " ", digest(filtered(x, numbers(3,5,1)[:,:,0])), " ", digest(y), " ", digest(levelled(x, gain)), " ", digest(inner(x)))
    print(digest(some_channels(x, 2)), " ", digest(some_channels(x, 7)), " ", digest(middle_channels(x)), " ", digest(windowed(x, 9, 3)), " ", digest(windowed(x, 3, -20)), " ", digest(windowed(x, 12, 2147483640)))
endfunction

function [] = main()
    for M = [1, 3]
        for N = [1, 2, 3, 17]
            for C = [1, 2, 3, 4]
                all_of(M, N, C)
            endfor
        endfor
    endfor
    all_of(2, 100, 3)
    all_of(2, 5, 40)
    all_of(0, 3, 3)
    all_of(3, 0, 3)
    print(digest(blur_colours(numbers(5, 23, 3))), " ", digest(blur_colours(numbers(1, 1, 3))))
    x = reshape(numbers(3, 8, 9), [2, 4, 9, 3])
    y = frames(x)
    print(digest(y[0,:,:,:]), " ", digest(y[1,:,:,:]))
    z = numbers(2, 30, 3)
    z[0,7,1] = 0/0
    z[1,29,2] = 0/0
    print(spread(z))
endfunction
