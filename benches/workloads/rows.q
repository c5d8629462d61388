% sums along one dimension, and what is made of them

function y : vec = row_sums(x : mat)
    y = zeros(size(x,0))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m] += x[m,n]
        endfor
    endfor
endfunction

function y : vec = column_sums(x : mat)
    y = uninit(size(x,1))
    for n = 0..size(x,1)-1
        s = 0.0
        for m = 0..size(x,0)-1
            s += x[m,n]
        endfor
        y[n] = s
    endfor
endfunction

% the product of a matrix and a vector
function y : vec = gemv(a : mat, x : vec)
    y = uninit(size(a,0))
    for m = 0..size(a,0)-1
        s = 0.0
        for n = 0..size(a,1)-1
            s += a[m,n]*x[n]
        endfor
        y[m] = s
    endfor
endfunction

function y : vec = sorted(x : vec)
    y = sort(x)
endfunction
