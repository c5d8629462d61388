% Products of matrices in loops whose iterations are independent: small ones are loops of a kernel, others calls of the library.

function y : cube = batched(a : cube, b : cube)
    y = zeros(size(a,0), size(a,1), size(b,2))
    for k = 0..size(a,0)-1
        y[k,:,:] = squeeze(a[k,:,:])*squeeze(b[k,:,:])
    endfor
endfunction

function y : mat = transformed(a : mat, x : mat)
    y = zeros(size(x,0), size(a,0))
    for k = 0..size(x,0)-1
        y[k,:] = transpose(a*transpose(x[k,:]))
    endfor
endfunction

% sums of products, by a table of other matrices
function y : cube = gathered(g : cube, d : cube, neighbour : mat[int])
    y = zeros(size(neighbour,0), size(g,1), size(d,2))
    for k = 0..size(neighbour,0)-1
        for b = 0..size(neighbour,1)-1
            y[k,:,:] += 2*squeeze(g[neighbour[k,b],:,:])*squeeze(d[b,:,:])
        endfor
    endfor
endfunction

% a product that is used twice is kept
function y : cube = squared(a : cube, b : mat)
    y = zeros(size(a,0), size(a,1), size(b,1))
    for k = 0..size(a,0)-1
        p = squeeze(a[k,:,:])*b
        y[k,:,:] = p*p + p
    endfor
endfunction

% factors of known sizes, made for each iteration
function y : mat = turned(p : mat)
    y = zeros(size(p))
    for k = 0..size(p,0)-1
        r = [[mod(k,3), -1],[1, mod(k,5)]]
        y[k,:] = transpose(r*transpose(p[k,:]))
    endfor
endfunction

% blocks whose places depend on the iteration
function y : cube = by_blocks(x : mat, d : mat)
    n = size(d,0)
    c = int(size(x,1)/n)
    y = zeros(int(size(x,0)/n)*c, n, n)
    for k = 0..size(y,0)-1
        i = int(k/c)
        j = mod(k, c)
        b = x[i*n..i*n+n-1, j*n..j*n+n-1]
        y[k,:,:] = d*b*transpose(d)
    endfor
endfunction

function y : mat = triangle(a : mat, c : mat)
    y = copy(c)
    for i = 0..size(a,0)-1
        y[i,0..i] = 2*y[i,0..i]
        for k = 0..size(a,1)-1
            y[i,0..i] += 3*a[i,k]*transpose(a[0..i,k])
        endfor
    endfor
endfunction

function y : cube = numbers(k : int, m : int, n : int)
    y = zeros(k, m, n)
    for p = 0..k-1
        for i = 0..m-1
            for j = 0..n-1
                y[p,i,j] = mod(p + 3*i + 5*j, 7) - 3
            endfor
        endfor
    endfor
endfunction

function s : scalar = digest(y : cube)
    s = 0.0
    for p = 0..size(y,0)-1
        for i = 0..size(y,1)-1
            for j = 0..size(y,2)-1
                s += y[p,i,j]*mod(p + 2*i + 3*j, 5)
            endfor
        endfor
    endfor
endfunction

function [] = main()
    print(digest(batched(numbers(100,4,6), numbers(100,6,5))))
    print(digest(batched(numbers(3,4,6), numbers(3,6,5))))
    % sides of one element, which `squeeze` keeps in a matrix
    print(digest(batched(numbers(100,1,6), numbers(100,6,1))))
    % larger than threads multiply by themselves
    print(digest(batched(numbers(70,30,31), numbers(70,31,29))))
    print(digest(batched(numbers(70,0,6), numbers(70,6,5))))
    print(digest(batched(numbers(70,4,0), numbers(70,0,5))))
    try
        print(digest(batched(numbers(100,4,6), numbers(100,5,5))))
    catch ex
        print("caught")
    endtry
    x = reshape(numbers(1,200,5), [200,5])
    a = reshape(numbers(1,7,5), [7,5])
    print(digest(reshape(transformed(a, x), [1,200,7])))
    table = mat[int](100, 3)
    for k = 0..99
        for b = 0..2
            table[k,b] = mod(7*k + b, 10)
        endfor
    endfor
    print(digest(gathered(numbers(10,4,6), numbers(3,6,5), table)))
    table[50,1] = 10
    try
        print(digest(gathered(numbers(10,4,6), numbers(3,6,5), table)))
    catch ex
        print("caught")
    endtry
    print(digest(reshape(turned(reshape(numbers(1,150,2), [150,2])), [1,150,2])))
    print(digest(by_blocks(reshape(numbers(1,32,48), [32,48]), reshape(numbers(1,4,4), [4,4]))))
    print(digest(by_blocks(reshape(numbers(1,6,9), [6,9]), reshape(numbers(1,3,3), [3,3]))))
    print(digest(squared(numbers(100,4,6), reshape(numbers(1,6,4), [6,4]))))
    print(digest(reshape(triangle(reshape(numbers(1,40,9), [40,9]), reshape(numbers(1,40,40), [40,40])), [1,40,40])))
endfunction
