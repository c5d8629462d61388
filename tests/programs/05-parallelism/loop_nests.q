% Loop nests whose positions are visited several at a time, in all the ways in which rows may end. Numbers are small integers, so that
% sums are exact.

function x : mat = numbers(M : int, N : int)
    x = uninit(M, N)
    for m = 0..M-1
        for n = 0..N-1
            x[m,n] = mod(7*m + 3*n + m*n, 11) - 5
        endfor
    endfor
endfunction

% one number that changes when any element moves
function s : scalar = digest(x : mat)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]*(mod(5*m + n, 13) + 1)
        endfor
    endfor
endfunction

% the accumulator is an element, and the indices have halves
function y : mat = filtered(x : mat'clamped, k : mat)
    y = zeros(size(x))
    [a, b] = size(k)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for i = 0..a-1
                for j = 0..b-1
                    y[m,n] += k[i,j]*x[m+i-int(a/2),n+j-int(b/2)]
                endfor
            endfor
        endfor
    endfor
endfunction

% added to what is there, from above and with a gap
function [] = add_box(x : mat'safe, y : mat, r : int)
    assert(size(x) == size(y))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            for d = r..-2..-r
                at = n + d
                y[m,n] -= 2*x[m,at]
            endfor
        endfor
    endfor
endfunction

% several sums, branches by loop variable and by position
function y : mat = two_sums(x : mat'mirror, r : int, odd : int)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            t = 1.0
            for d = -r..r
                v = x[m,n+d]
                if v > 0
                    s += v
                endif
                if mod(d, 2) == odd
                    t += v*v
                endif
            endfor
            y[m,n] = n > 3 ? s - t : t
        endfor
    endfor
endfunction

% every second and third element of a row
function y : mat = thinned(x : mat'circular)
    N = int(size(x,1)/2)
    y = uninit(size(x,0), N)
    for m = 0..size(x,0)-1
        for n = 0..N-1
            y[m,n] = x[m,2*n-1] + 10*x[m,2*n] + 100*x[m,3*n+1]
        endfor
    endfor
endfunction

% a loop over all elements for each of them
function y : vec = pairs(x : vec, w : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        s = 0.0
        for j = 0..numel(w)-1
            d = x[j] - x[i]
            s += w[j]*d*d
        endfor
        y[i] += s
    endfor
endfunction

% the order of loops that goes along rows
function c : mat = product(a : mat, b : mat)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            for j = 0..size(b,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

% the same for columns behind the first ones
function c : mat = product_from(a : mat, b : mat, first : int)
    c = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for k = 0..size(a,1)-1
            for j = first..size(b,1)-1
                c[i,j] += a[i,k]*b[k,j]
            endfor
        endfor
    endfor
endfunction

% interior loops in place of a copy
function [] = smooth(a : mat, b : mat, steps : int)
    for t = 1..steps
        for i = 1..size(b,0)-2
            for j = 2..size(b,1)-2
                b[i,j] = a[i,j-2] + a[i,j+1] - a[i-1,j] + b[i,j]
            endfor
        endfor
    endfor
endfunction

% the sum of each row, which lies along the inner loop
function y : vec = row_sums(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m] += x[m,n]
        endfor
    endfor
endfunction

% integers, and a loop without iterations for some
function y : vec[int] = counted(x : mat, most : int)
    y = int(zeros(size(x,1)))
    for n = 0..size(x,1)-1
        for k = 2..most
            if x[k,n] > 0
                y[n] += k
            endif
        endfor
    endfor
endfunction

function [] = main()
    for N = [1, 7, 8, 9, 31, 33, 40, 71, 100]
        x = numbers(5, N)
        k = numbers(3, 4)
        print N, " filtered ", digest(filtered(x, k))
        y = numbers(5, N)
        add_box(x, y, 3)
        add_box(x, y, -1)
        print N, " added ", digest(y)
        print N, " sums ", digest(two_sums(x, 2, 0)), " ", digest(two_sums(x, 40, 1))
        print N, " thinned ", digest(thinned(x))
        v = reshape(numbers(1, N), N)
        print N, " pairs ", sum(pairs(v, v[0..N-1]))
        print N, " product ", digest(product(numbers(6, 5), x)), " ", digest(product_from(numbers(6, 5), x, 4))
        b = numbers(5, N)
        smooth(x, b, 2)
        print N, " smooth ", digest(b)
        print N, " rows ", sum(row_sums(x)), " ", sum(counted(x, 4)), " ", sum(counted(x, 1))
    endfor
    try
        % the last iteration reads behind the end
        print sum(pairs([1, 2, 3], [1, 2, 3, 4]))
    catch e
        print "an error of the kernel"
    endtry
    x = numbers(9, 40)
    y = x
    filtered(x, numbers(3, 3))
    smooth(x, y, 1)
    print digest(x)
endfunction
