% single: integers of 24 bits and more are rounded before they are divided.
% In loops in order `int(a/b)` is a quotient of integers, with what rounding makes of large ones.
function s = digits(n : int)
    s = 0
    while n != 0
        s += abs(rem(n, 10))
        n = int(n/10)
    end
end

function c = halvings(n : int)
    c = 0
    while n > 1 || n < -1
        n = int(n/2)
        c += 1
    end
end

function k = place(a, v)
    low = 0
    high = numel(a)
    while low < high
        middle = int((low+high)/2)
        if a[middle] < v
            low = middle+1
        else
            high = middle
        endif
    end
    k = low
end

function [] = quotients(x : vec[int], y : mat[int])
    i = 0
    while i < numel(x)
        y[i,0] = int(x[i]/3)
        y[i,1] = int(x[i]/-7)
        y[i,2] = int(x[i]/2)
        y[i,3] = int(x[i]/1000000)
        i += 1
    end
end

function [] = main()
    x : vec[int] = [0, 1, -1, 7, -7, 8388607, 8388608, -8388608, 16777217, 33554435, 2147483647, -2147483647, 123456789]
    y : mat[int] = int(zeros(numel(x), 4))
    quotients(x, y)
    print y
    z : vec[int] = int(zeros(numel(x)))
    for i=0..numel(x)-1
        z[i] = digits(x[i])
    end
    print z
    for i=0..numel(x)-1
        z[i] = halvings(x[i])
    end
    print z
    a = (0..999)*0.5
    for i=0..numel(x)-1
        z[i] = place(a, i*37.25)
    end
    print z
end
