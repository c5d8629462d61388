% slices, transposes, sequences and assignments to slices in array expressions
function y : mat = gray(x : cube)
    y = 0.25*x[:,:,0] + 0.5*x[:,:,1] + 0.25*x[:,:,2]
endfunction
function y : vec = difference(x : vec, k : int, w : vec)
    y = w[1]*x[k..-1..0] - x[1..k+1]
endfunction
function y : mat = near(x : mat'mirror, k : int)
    y = 2*x[-1..k,2..2..6]
endfunction
function y : mat = zeros_around(x : mat'safe)
    y = x[-1..size(x,0),-1..size(x,1)] + 0
endfunction
function y : mat = symmetric(x : mat)
    y = x - transpose(x)
endfunction
function y : mat = turned(x : mat)
    y = fliplr(x) + 10*flipud(x)
endfunction
function s : scalar = product(x : mat, v : vec, i : int)
    s = sum(x[i,:] .* v)
endfunction
function s : scalar = largest(x : mat, k : int)
    s = max(x[0..k,:])
endfunction
function y : vec = ramp(v : vec)
    y = v .* (0..numel(v)-1)
endfunction
function [] = smooth(a : mat, b : mat)
    M = size(a,0)
    N = size(a,1)
    b[1..M-2,1..N-2] = 0.25*(a[0..M-3,1..N-2] + a[2..M-1,1..N-2] + a[1..M-2,0..N-3] + a[1..M-2,2..N-1])
endfunction
function [] = shift(x : mat, n : int)
    x[1..n,:] = x[0..n-1,:] + 1
endfunction
function [] = inner(x : mat, n : int)
    x[1..n,0..2..n] *= 2
    x[1..n,0] += x[1..n,0]
    x[:,:] = x - 3
endfunction
function [] = fill(x : cube, k : int, v : scalar)
    x[:,k,1..2] = v
endfunction
function [] = turn(x : mat)
    x[:,:] = transpose(x)
endfunction
function [] = back(x : mat[int])
    x[size(x,0)-1..-1..0,:] = x - 1
    x[:,:] = x[:,size(x,1)-1..-1..0]
endfunction
function y : mat[cscalar] = complex_part(x : mat[cscalar], k : int)
    y = x[0..k,:] .* x[k..-1..0,:]
endfunction
function y : cube{4} = four(x : cube{4}, k : int)
    y = x[:,k,:,0..1] + x[:,0,:,1..2]
endfunction
function y : vec = row(x : mat, i : vec[int])
    y = x[i[1],:] + x[i[0],:]
endfunction
function [] = order(x : mat, v : vec, k : int)
    try
        x[0..k,:] = x[0..k,:] + v[k]
        print "stored ", x
    catch e
        print e, x
    endtry
endfunction
function x : mat = numbers(m : int, n : int)
    x = reshape(0..m*n-1, [m, n]) + 0.0
endfunction
function [] = attempt(x : mat, n : int)
    try
        shift(x, n)
        inner(x, n)
        turn(x)
        print x
    catch e
        print e, x
    endtry
endfunction
function [] = report(x : vec, k : int)
    try
        print difference(x, k, [3, 2])
    catch e
        print e
    endtry
endfunction
function [] = main()
    x = numbers(3, 4)
    c = reshape(0..23, [2, 4, 3]) + 0.0
    print gray(c), near(x, 1), zeros_around(x), symmetric(numbers(3, 3)), turned(x)
    print product(x, [1,2,3,4], 2), largest(x, 1), ramp([5, 6, 7])
    v = [1, 4, 9, 16, 25]
    for k = -1..4
        report(v, k)
        attempt(numbers(4, 4), k)
        order(numbers(3, 2), [1, 2, 3], k)
    endfor
    report([2], 0)
    report(zeros(0), 0)
    attempt(numbers(3, 4), 2)
    try
        print product(x, [1,2,3], 1)
    catch e
        print e
    endtry
    try
        print largest(x, -1)
    catch e
        print e
    endtry
    try
        print symmetric(x)
    catch e
        print e
    endtry
    a = numbers(4, 4)
    b = zeros(4, 4)
    smooth(a, b)
    print b
    smooth(a, a)
    print a
    d = zeros(2, 2, 3)
    fill(d, 1, 5)
    print d
    e = reshape(0..5, [2, 3])
    back(e)
    print e
    z = complex(numbers(2, 2)) + 1j
    print complex_part(z, 1)
    f = four(reshape(0..35, [2, 3, 2, 3]) + 0.0, 2)
    print size(f), sum(f), row(x, [2, 0])
endfunction
