% Positions with a few elements, as users write them: loops along elements whose number the compiler does not know, small vectors and
% products of them, bytes, every second column, and results whose elements have another type than what makes them.

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

function y : mat = energy(x : cube)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for c = 0..size(x,2)-1
                s += x[m,n,c]^2
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

function y : mat = weighted(x : cube, w : vec)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 1.0
            for c = 0..size(x,2)-1
                s += w[c]*x[m,n,c]
            endfor
            y[m,n] = s*size(x,2)
        endfor
    endfor
endfunction

function y : mat = summed(x : cube)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = sum(x[m,n,:]) - max(x[m,n,:])
        endfor
    endfor
endfunction

% the place of the element that is greatest, of equal ones the first
function y : mat = greatest(x : cube)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            best = x[m,n,0]
            at = 0
            for c = 1..size(x,2)-1
                if x[m,n,c] > best
                    best = x[m,n,c]
                    at = c
                endif
            endfor
            y[m,n] = at
        endfor
    endfor
endfunction

function y : cube = saturated(x : cube)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n,0..2]
            g = sum(v)
            y[m,n,0..2] = g + 2*(v - g)
        endfor
    endfor
endfunction

function y : cube = turned(x : cube, r : mat(3,3))
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n,:] = r * x[m,n,0..2]
        endfor
    endfor
endfunction

function y : mat = spread(x : cube)
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = max(x[m,n,0..2]) - min(x[m,n,0..2]) + dotprod(x[m,n,0..1], [2, 3])
        endfor
    endfor
endfunction

function y : cube = across(a : cube, b : cube)
    y = uninit(size(a))
    for m = 0..size(a,0)-1
        for n = 0..size(a,1)-1
            p : vec3 = a[m,n,0..2]
            q : vec3 = b[m,n,0..2]
            y[m,n,0..2] = cross(p, q) + transpose([p,q,p])*q
        endfor
    endfor
endfunction

% elements that change by what the position has
function [] = changed(x : cube)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = x[m,n,0] + 2*x[m,n,1] + x[m,n,2]
            x[m,n,0] += s
            x[m,n,1] *= 2
            x[m,n,2] -= s - x[m,n,0]
        endfor
    endfor
endfunction

% points that attract each other
function [] = moved(p : mat(:,3), v : mat(:,3))
    for i = 0..size(p,0)-1
        s = 0.0
        t = 0.0
        for j = 0..size(p,0)-1
            s += (p[j,0] - p[i,0])*(p[j,1] - p[i,2])
            t += abs(p[j,2] - p[i,1])
        endfor
        v[i,0] += s
        v[i,1] -= t
        v[i,2] += s - t
    endfor
endfunction

% bytes from numbers: what is too large is an error
function y : mat[uint8] = gray(x : cube[uint8])
    y = uninit(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = uint8(2*x[m,n,0] + 0.5*x[m,n,1] + 0.25*x[m,n,2])
        endfor
    endfor
endfunction

function [] = swapped(x : cube[uint8])
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            t = x[m,n,0]
            x[m,n,0] = x[m,n,2]
            x[m,n,2] = t
        endfor
    endfor
endfunction

function y : mat = halves(x : mat)
    h = int(size(x,1)/2)
    y = uninit(size(x))
    y[:,:] = 0
    for m = 0..size(x,0)-1
        for n = 0..h-1
            y[m,n] = x[m,2*n] + x[m,2*n+1]
            y[m,n+h] = x[m,2*n] - x[m,2*n+1]
        endfor
    endfor
endfunction

function y : mat = doubled(x : mat)
    y = uninit(size(x,0), 3*size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,3*n] = x[m,n]
            y[m,3*n+1] = 2*x[m,n]
            y[m,3*n+2] = -x[m,n]
        endfor
    endfor
endfunction

function y : mat[uint8] = ones_of_bytes(m : int)
    y = ones(m, 3)
endfunction

function y : cmat = zeros_of_complex(x : mat)
    y = zeros(size(x))
endfunction

function y : mat(2,3) = two_rows(m : int)
    y = zeros(m, 3)
endfunction

function [] = main()
    for N = [0, 1, 17, 40, 100]
        for M = [1, 3]
            for C = 1..5
                x = numbers(M, N, C)
                print M, "x", N, "x", C, ": ", digest(energy(x)), " ", digest(weighted(x, [1, 2, 3, 4, 5])), " ", digest(summed(x)), " ", digest(greatest(x))
            endfor
            x = numbers(M, N, 3)
            print "  ", digest(saturated(x)), " ", digest(turned(x, [[1, 2, 3], [0, 1, -1], [2, 0, 1]])), " ", digest(spread(x)), " ", digest(across(x, 2*x + 1))
            b = uint8(x + 5)
            y = gray(b)
            swapped(b)
            g = energy(x)
            changed(x)
            p : mat(:,3) = x[0,:,:]
            v = p + 1
            moved(p, v)
            print "  ", digest(x), " ", digest(v)
            print "  ", digest(float(y)), " ", digest(float(b)), " ", digest(halves(g)), " ", digest(doubled(g))
        endfor
    endfor
    try
        print gray(uint8(200*ones(2, 40, 3)))
    catch e
        print "caught"
    endtry
    try
        print weighted(numbers(2, 40, 3), [1, 2])
    catch e
        print "caught"
    endtry
    print ones_of_bytes(2), type(ones_of_bytes(1), "mat[uint8]"), zeros_of_complex([[1, 2]]), two_rows(2)
    try
        print two_rows(3)
    catch e
        print "caught"
    endtry
endfunction
