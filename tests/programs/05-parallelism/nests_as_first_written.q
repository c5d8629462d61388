% nests as users write them first: sizes in a vector, iterations that end early, sizes that only the program's arrays together imply

function y : mat = by_size_vector(x : mat)
    sz = size(x)
    y = uninit(sz)
    for m = 0..sz[0]-1
        for n = 0..sz[1]-1
            y[m,n] = 2*x[m,n] + m
        endfor
    endfor
endfunction

function y : mat = of_dims(x : mat, dims : ivec2)
    y = uninit(dims)
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            y[m,n] = x[m,n] - n
        endfor
    endfor
endfunction

% the bounds change while the loop runs: each row sees those of its time
function y : mat = with_changing_bounds(x : mat)
    y = zeros(size(x))
    ends = [size(x,0)-1, 0]
    for m = 0..size(x,0)-1
        for n = 0..ends[1]
            y[m,n] = x[m,n]
        endfor
        ends[1] = min(ends[1]+1, size(x,1)-1)
    endfor
endfunction

function y : mat = ends_early(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] < 3
                y[m,n] = -1
                continue
            endif
            if x[m,n] > 8
                continue
            else
                y[m,n] = x[m,n]
            endif
            y[m,n] *= 2
        endfor
    endfor
endfunction

function s : scalar = sum_without(x : mat, t : scalar)
    s = 0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] == t
                continue
            endif
            s += x[m,n]
        endfor
    endfor
endfunction

function y : mat = weighted(x : mat, w : mat)
    y = zeros(size(x))
    for m = 1..size(x,0)-2
        for n = 1..size(x,1)-2
            y[m,n] = sum(w .* x[m-1..m+1, n-1..n+1])
        endfor
    endfor
endfunction

function [s : vec, q : vec] = two_sums(a : mat, p : vec, r : vec)
    s = zeros(size(a,1))
    q = zeros(size(a,0))
    for i = 0..size(a,0)-1
        for j = 0..size(a,1)-1
            s[j] += r[i]*a[i,j]
            q[i] += a[i,j]*p[j]
        endfor
    endfor
endfunction

% each uses what the other has so far
function [s : vec, q : vec] = entangled(a : mat)
    s = zeros(size(a,1))
    q = zeros(size(a,0))
    for i = 0..size(a,0)-1
        for j = 0..size(a,1)-1
            s[j] += a[i,j] + q[i]
            q[i] += s[j]
        endfor
    endfor
endfunction

function [] = one_array(a : mat, v : vec, w : vec)
    for i = 0..size(a,0)-1
        for j = 0..size(a,1)-1
            v[j] += a[i,j]
            w[i] += 2*a[i,j]
        endfor
    endfor
endfunction

function y : mat = triangular(a : mat, b : mat)
    y = copy(b)
    for i = 0..size(b,0)-1
        for j = 0..size(b,1)-1
            for k = i+1..size(b,0)-1
                y[i,j] += a[k,i]*y[k,j]
            endfor
            y[i,j] *= 0.5
        endfor
    endfor
endfunction

function y : mat = largest_sums(a : mat, b : mat, n : int)
    y = zeros(size(a,0), size(b,1))
    for i = 0..size(a,0)-1
        for j = 0..size(b,1)-1
            m = -1000
            for k = 0..n-1
                m = max(m, a[i,k] + b[k,j])
            endfor
            y[i,j] = m
        endfor
    endfor
endfunction

function y : vec = heights(a : mat, n : int)
    y = zeros(size(a,1))
    for j = 0..size(a,1)-1
        for k = 0..n
            if a[k,j] < 4
                continue
            endif
            y[j] += a[k,j]
        endfor
    endfor
endfunction

function [] = outside(what : string, f : [() -> ??])
    try
        y = f()
        print what, ": no error"
    catch e
        print what, ": an error"
    endtry
endfunction

a = mod(reshape(0..63, [8,8])*7, 11)
b = mod(reshape(0..79, [8,10])*5, 13)
print by_size_vector(a[0..1,:])
print of_dims(a, [2,3])
print with_changing_bounds(a[0..2,0..3])
print ends_early(a[0..1,:])
print sum_without(a, 7)
print weighted(b[0..3,:], [[1,0,-1],[2,0,-2],[1,0,-1]])
[s, q] = two_sums(b, 0..9, 0..7)
print s, q
[s, q] = entangled(a[0..2,0..2])
print s, q
v = zeros(8)
one_array(a, v, v)
print v
print triangular(a, b)[0..1,:]
print largest_sums(a, b, 8)[6..7,:]
print heights(a, 7)
outside("a window of another size", () -> weighted(b, ones(3,4)))
outside("sums that are too long", () -> largest_sums(a, b, 9))
outside("heights of nine rows", () -> heights(a, 8))
outside("a triangle of other rows", () -> triangular(a[0..6,:], b))
