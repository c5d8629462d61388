function s = total(x : vec)
    s = 0.0
    for k = 0..numel(x)-1
        s += (k+1)*x[k]
    endfor
endfunction
print total([[1.0,2,3]]), " ", total([[1.0],[2.0]])
