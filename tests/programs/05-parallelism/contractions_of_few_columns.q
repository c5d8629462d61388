% layers and products whose rows have fewer positions than a tile has lanes
function y : cube{4} = layer(x : cube{4}, w : cube{4})
    k = size(w,0)
    h = size(x,1) - k + 1
    v = size(x,2) - k + 1
    y = zeros(size(x,0), h, v, size(w,3))
    for n = 0..size(x,0)-1
        for i = 0..h-1
            for j = 0..v-1
                for o = 0..size(w,3)-1
                    s = 0.0
                    for p = 0..k-1
                        for q = 0..k-1
                            for c = 0..size(x,3)-1
                                s += x[n,i+p,j+q,c]*w[p,q,c,o]
                            endfor
                        endfor
                    endfor
                    y[n,i,j,o] = s
                endfor
            endfor
        endfor
    endfor
endfunction

% only some columns of the result: the others keep what they had
function [] = some_columns(a : mat, b : mat, c : mat, first : int, last : int)
    for i = 0..size(a,0)-1
        for j = first..last
            s = 1.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : mat = by_transpose(a : mat, b : mat)
    c = zeros(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[j,k]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

% rows of the tile that a table chooses
function c : mat = of_chosen(a : mat, b : mat, rows : ivec)
    c = zeros(numel(rows), size(b,1))
    for i = 0..numel(rows)-1
        for j = 0..size(b,1)-1
            s = 0.0
            for k = 0..size(a,1)-1
                s += a[rows[i],k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

function c : imat = whole(a : imat, b : imat)
    c = imat(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            s = 0
            for k = 0..size(a,1)-1
                s += a[i,k]*b[k,j]
            endfor
            c[i,j] = s
        endfor
    endfor
endfunction

% upside down, by steps of two, beside the border
function y : mat = strided(x : mat'mirror, w : mat, outputs : int)
    y = zeros(int(size(x,0)/2), outputs)
    for m = 0..size(y,0)-1
        for o = 0..outputs-1
            s = 0.0
            for c = 0..size(w,0)-1
                s += x[2*(size(y,0)-m) - 1,c-1]*w[c,o]
            endfor
            y[m,o] = s
        endfor
    endfor
endfunction

function x : vec = ramp(n : int)
    x = zeros(n)
    for k = 0..n-1
        x[k] = mod(7*mod(k, 1000)*mod(k, 13) + 3*k, 9) - 4
    endfor
endfunction

function [] = show(x : vec)
    s = 0
    for k = 0..numel(x)-1
        s += int(x[k])*(mod(k, 7) + 1)
    endfor
    print numel(x), " ", s
endfunction

function [] = main()
    for outputs = [1, 3, 6, 10, 16, 21, 40]
        x = reshape(ramp(3*12*17), [3, 12, 17, 1])
        w = reshape(ramp(9*outputs), [3, 3, 1, outputs])
        y = layer(x, w)
        show(reshape(y, [numel(y)]))
        x = reshape(ramp(3*12*11*5), [3, 12, 11, 5])
        w = reshape(ramp(20*outputs), [2, 2, 5, outputs])
        y = layer(x, w)
        show(reshape(y, [numel(y)]))
        a = reshape(ramp(67*19), [67, 19])
        b = reshape(ramp(19*outputs), [19, outputs])
        c = zeros(67, outputs)
        some_columns(a, b, c, 0, outputs-1)
        show(reshape(c, [numel(c)]))
        c = -ones(67, outputs)
        some_columns(a, b, c, min(1, outputs-1), max(0, outputs-2))
        show(reshape(c, [numel(c)]))
        d = by_transpose(a, reshape(ramp(19*outputs), [outputs, 19]))
        show(reshape(d, [numel(d)]))
        rows = ivec(40)
        for k = 0..39
            rows[k] = mod(k*k, 67)
        endfor
        e = of_chosen(a, b, rows)
        show(reshape(e, [numel(e)]))
        f = whole(int(a), int(b))
        show(reshape(float(f), [numel(f)]))
        g = strided(a, b, outputs)
        show(reshape(g, [numel(g)]))
    endfor
    y = layer(reshape(ramp(2*9*4*3), [2, 9, 4, 3]), reshape(ramp(4*3*5), [2, 2, 3, 5]))
    show(reshape(y, [numel(y)]))
endfunction
