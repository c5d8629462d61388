% Indices that are provably in range need no test; the others are tested as ever.
function s = inside(x : mat, z : mat)
    assert(size(x) == size(z))
    [h, w] = size(x)
    y = zeros(size(x))
    for m = 0..h-1
        for n = 0..w-1
            y[m,n] = x[m,n] + z[h-1-m, n]
        endfor
    endfor
    s = 0.0
    for m = 1..2..h-2
        s += y[m-1,0] - y[m+1,0]
    endfor
    for n = w-1..-1..0
        s += y[0,n] * n
    endfor
endfunction
function s = outside(x : vec, last : int)
    s = 0.0
    for k = 0..last
        s += x[k]
    endfor
endfunction
function s = shrinking(x : vec)
    s = 0.0
    for k = 0..numel(x)-1
        s += x[k]
        if k == 1
            x = [7.0]
        endif
    endfor
endfunction
function s = shifted(x : vec)
    s = 0.0
    for k = 0..numel(x)-1
        s += x[k] + x[k + 1]
    endfor
endfunction
function s = wrapped(x : vec, n : int)
    s = 0.0
    if n + 1 > numel(x)
        s = 1.0
    else
        s = x[min(n + 1, numel(x) - 1)]
    endif
endfunction
print inside([[1,2,3],[4,5,6],[7,8,9]], ones(3,3))
print outside([1,2,3], 2)
for attempt = 0..4
    try
        match attempt with
        | 0 -> print outside([1,2,3], 3)
        | 1 -> print shrinking([1,2,3])
        | 2 -> print shifted([1,2,3])
        | 3 -> print inside(ones(3,3), ones(2,3))
        | 4 -> print wrapped([1,2,3], 2147483647)
        endmatch
    catch ex
        print "caught"
    endtry
endfor
