% Loops whose iterations make arrays and hold nests with much work: the launches of the nests share it, the iterations do not.

function y : cube = blurred_planes(x : cube)
    y = uninit(size(x))
    for c = 0..size(x,2)-1
        t = zeros(size(x,0), size(x,1))
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                s = 0.0
                for k = -2..2
                    s += x[m, min(max(n+k, 0), size(x,1)-1), c]
                endfor
                t[m,n] = s
            endfor
        endfor
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                s = 0.0
                for k = -2..2
                    s += t[min(max(m+k, 0), size(x,0)-1), n]
                endfor
                y[m,n,c] = s
            endfor
        endfor
    endfor
endfunction

function s : scalar = sum_of_products(a : mat, b : mat, count : int)
    s = 0.0
    n = size(a,0)
    for r = 1..count
        z = zeros(n, n)
        for i = 0..n-1
            for j = 0..n-1
                for k = 0..n-1
                    z[i,j] += a[i,k]*b[k,j]
                endfor
            endfor
        endfor
        s += z[0,n-1] + r*z[n-1,0]
    endfor
endfunction

function last : vec = ends_of_steps(x : vec, count : int)
    last = zeros(count)
    for r = 0..count-1
        t = zeros(numel(x))
        for k = 0..numel(x)-1
            t[k] = mod(x[k]*(r+1), 17)
        endfor
        u = zeros(numel(x))
        for k = 0..numel(x)-1
            u[k] = t[k] + t[numel(x)-1-k]
        endfor
        last[r] = u[numel(x)-1] + 2*u[0]
    endfor
endfunction

function x : cube = numbers(a : int, b : int, c : int)
    x = zeros(a, b, c)
    for i = 0..a-1
        for j = 0..b-1
            for k = 0..c-1
                x[i,j,k] = mod(7*i + 3*j + 5*k + i*j, 11)
            endfor
        endfor
    endfor
endfunction

function [] = main()
    % Few iterations with little work, with much, and none.
    for size_of_planes = [3, 200]
        y = blurred_planes(numbers(size_of_planes, size_of_planes + 1, 3))
        print sum(y[0,:,0]), " ", sum(y[:,1,1]), " ", y[0,0,0], " ", y[2,1,2]
    endfor
    print size(blurred_planes(numbers(4, 5, 0)))
    % Few and many iterations that add to a number.
    a = reshape(numbers(1, 48, 48), [48, 48])
    b = transpose(a) + 1
    small = reshape(numbers(1, 3, 3), [3, 3])
    print sum_of_products(a, b, 3), " ", sum_of_products(small, small, 3)
    print sum_of_products(a, b, 70), " ", sum_of_products(small, small, 70), " ", sum_of_products(a, b, 0)
    x = reshape(numbers(1, 1, 30000), [30000])
    short = reshape(numbers(1, 1, 5), [5])
    print ends_of_steps(x, 3), " ", ends_of_steps(short, 3)
    print sum(ends_of_steps(x, 70)), " ", sum(ends_of_steps(short, 70))
endfunction
