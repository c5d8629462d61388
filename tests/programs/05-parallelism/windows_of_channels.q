% Weighted sums over windows whose size is that of another array, over several channels.
function y : cube = convolve(x : cube'safe, w : cube{4})
    up = int(size(w,2)/2)
    left = int(size(w,3)/2)
    y = uninit(size(w,0), size(x,1), size(x,2))
    for o = 0..size(w,0)-1
        for m = 0..size(x,1)-1
            for n = 0..size(x,2)-1
                total = 0.0
                for i = 0..size(w,1)-1
                    for p = 0..size(w,2)-1
                        for q = 0..size(w,3)-1
                            total += w[o,i,p,q]*x[i,m+p-up,n+q-left]
                        endfor
                    endfor
                endfor
                y[o,m,n] = total + o
            endfor
        endfor
    endfor
endfunction

function y : cube = step_by_step(x : cube'safe, w : cube{4})
    y = uninit(size(w,0), size(x,1), size(x,2))
    {!interpreted for}
    for o = 0..size(w,0)-1
        {!interpreted for}
        for m = 0..size(x,1)-1
            {!interpreted for}
            for n = 0..size(x,2)-1
                y[o,m,n] = o
                {!interpreted for}
                for i = 0..size(w,1)-1
                    {!interpreted for}
                    for p = 0..size(w,2)-1
                        {!interpreted for}
                        for q = 0..size(w,3)-1
                            y[o,m,n] = y[o,m,n] + w[o,i,p,q]*x[i,m+p-int(size(w,2)/2),n+q-int(size(w,3)/2)]
                        endfor
                    endfor
                endfor
            endfor
        endfor
    endfor
endfunction

function y : mat = inner(x : mat, w : mat)
    y = zeros(size(x,0), size(x,1))
    for m = 1..size(x,0)-1
        for n = 1..size(x,1)-2
            total = 0.0
            for p = 0..size(w,0)-1
                for q = 0..size(w,1)-1
                    total += w[p,q]*x[m+p-1,n+q-1]
                endfor
            endfor
            y[m,n] = total
        endfor
    endfor
endfunction

% The number of taps is the number of elements of an array.
function y : vec = smooth(x : vec'mirror, w : vec)
    y = zeros(numel(x))
    for n = 0..numel(x)-1
        total = 0.0
        for k = 0..numel(w)-1
            total += w[k]*x[n+k]
        endfor
        y[n] = total
    endfor
endfunction

function [] = main()
    for columns = [5, 40, 100, 150]
        x : cube = uninit(3, 6, columns)
        for i = 0..2
            for m = 0..5
                for n = 0..columns-1
                    x[i,m,n] = mod(i + 7*m*n + n*n, 11) - 5
                endfor
            endfor
        endfor
        w : cube{4} = uninit(2, 3, 3, 5)
        for o = 0..1
            for i = 0..2
                for p = 0..2
                    for q = 0..4
                        w[o,i,p,q] = mod(o + 2*i + 3*p*q, 7) - 3
                    endfor
                endfor
            endfor
        endfor
        print columns, " ", max(abs(convolve(x, w) - step_by_step(x, w))), " ", sum(convolve(x, w))
    endfor
    print inner([[1.0,2,3,4],[5,6,7,8],[9,10,11,12]], [[1.0,0,-1],[0,2,0]])
    try
        print inner([[1.0,2,3,4],[5,6,7,8],[9,10,11,12]], [[1.0,0,-1],[0,2,0],[1,1,1]])
    catch e
        print "outside"
    endtry
    print smooth([1.0,2,3,4], [1.0,10])
endfunction
