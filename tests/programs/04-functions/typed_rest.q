function s = weighted(w : scalar, ...x : vec[scalar])
    s = 0.0
    for k = 0..numel(x)-1
        s += w*x[k]
    endfor
endfunction
print weighted(2), " ", weighted(2, 1.5, 4)
