% race y 6
function y = gather(x : vec)
    y = zeros(4)
    {!parallel for}
    for k = 0..15
        y[mod(k, 4)] = x[k]
    endfor
endfunction
print gather(float(0..15))
