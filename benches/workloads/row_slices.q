% rows and columns as slices, in loops

function y : mat = softmax(x : mat)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        e = exp(x[m,:] - max(x[m,:]))
        y[m,:] = e / sum(e)
    endfor
endfunction

function y : mat = standardised(x : mat)
    y = uninit(size(x))
    for n = 0..size(x,1)-1
        c = x[:,n]
        y[:,n] = (c - mean(c)) / std(c)
    endfor
endfunction

function d : mat = distances(a : mat, b : mat)
    d = uninit(size(a,0), size(b,0))
    for i = 0..size(a,0)-1
        for j = 0..size(b,0)-1
            t = a[i,:] - b[j,:]
            d[i,j] = sqrt(sum(t .* t))
        endfor
    endfor
endfunction

% the same by array functions
function y : mat = standardised_arrays(x : mat)
    y = (x - repmat(mean(x, 0), [size(x,0), 1])) ./ repmat(std(x, 0), [size(x,0), 1])
endfunction

function y : vec = chosen(x : vec)
    y = x[x > 0.5]
endfunction

function y : mat = joined(x : mat)
    y = horzcat(x, transpose(x))
endfunction
