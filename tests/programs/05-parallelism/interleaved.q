% Arrays whose positions have a few elements side by side, such as colours, of which neighbouring positions are fetched and written
% together: for all widths, in all modes, and with other numbers of elements than expected. Numbers are small integers, so that sums are exact.

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

function s : scalar = digest(x : mat)
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s += x[m,n]*(mod(5*m + n, 13) + 1)
        endfor
    endfor
endfunction

function y : mat = gray(x : cube)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = 3*x[m,n,0] + 6*x[m,n,1] + x[m,n,2]
        endfor
    endfor
endfunction

function y : mat = gray_by_slices(x : cube)
    y = 3*x[:,:,0] + 6*x[:,:,1] + x[:,:,2]
endfunction

function y : cube(:,:,3) = colours(x : cube(:,:,3))
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            l = x[m,n,0] + 2*x[m,n,1] + x[m,n,2]
            y[m,n,0] = l
            y[m,n,1] = 2*(x[m,n,2] - l) + 1
            y[m,n,2] = 3*(x[m,n,0] - l) - 1
        endfor
    endfor
endfunction

% neighbours of each column, in every mode, and a row outside of the array
function y : mat = reflected(x : cube'mirror)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m-1,n-2,0] + 2*x[m,n+1,1] - x[m+1,n,1]
        endfor
    endfor
endfunction

function y : mat = zero_outside(x : cube'safe)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m-1,n-2,0] + 2*x[m,n+1,1] - x[m+1,n,1]
        endfor
    endfor
endfunction

function y : mat = periodic(x : cube'circular)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m-1,n-2,0] + 2*x[m,n+1,3] - x[m+1,n,2]
        endfor
    endfor
endfunction

function y : mat = nearest(x : cube'clamped, r : int)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for d = -r..r
                s += (d + 2)*x[m+d,n+d,2] + x[m,n-d,0]*x[m,n,1]
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% in place, and some elements only
function [] = exchanged(x : cube)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            t = x[m,n,0]
            x[m,n,0] = x[m,n,2]
            x[m,n,2] = t
        endfor
    endfor
endfunction

function [] = chosen(x : mat, y : cube(:,:,4))
    assert(size(x,0) == size(y,0) && size(x,1) == size(y,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] > 0
                y[m,n,1] = 2*x[m,n]
            else
                y[m,n,3] += x[m,n]
            endif
        endfor
    endfor
endfunction

function y : mat[int] = bytes(x : cube[uint8])
    y = uninit[int](size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = int(x[m,n,0]) - int(x[m,n,1])
        endfor
    endfor
endfunction

function n : int = not_numbers(x : mat)
    n = 0
    for k = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            if x[k,j] != x[k,j]
                n += 1
            endif
        endfor
    endfor
endfunction

function [] = main()
    for N = [0, 1, 2, 3, 17, 40, 100]
        for M = [0, 1, 3]
            x = numbers(M, N, 3)
            print M, "x", N, ": ", digest(gray(x)), " ", digest(gray(numbers(M, N, 4))), " ", digest(gray_by_slices(x)), " ", digest(colours(x))
            if M*N > 0
                z = numbers(M, N, 2)
                print "  ", digest(reflected(z)), " ", digest(zero_outside(z)), " ", digest(periodic(numbers(M, N, 4))), " ", digest(nearest(x, 2))
            endif
            exchanged(x)
            y = numbers(M, N, 4)
            chosen(gray(x), y)
            print "  ", digest(x), " ", digest(y), " ", digest(float(bytes(uint8(numbers(M, N, 2) + 5))))
        endfor
    endfor
    x = numbers(3, 50, 3)
    x[1,20,1] = 0.0/0.0
    x[2,49,0] = 0.0/0.0
    print not_numbers(gray(x)), " ", not_numbers(nearest(x, 1))
    try
        print digest(gray(numbers(2, 5, 2)))
    catch e
        print "too few elements"
    endtry
endfunction
