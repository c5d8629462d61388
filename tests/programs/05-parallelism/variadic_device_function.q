function s : scalar = __device__ total(...x : vec[scalar])
    s = 0.0
    for k = 0..numel(x)-1
        s += x[k]
    endfor
endfunction
y = zeros(3)
parallel_do(3, __kernel__ (pos) -> y[pos] = total(pos, 10, 100.0))
print y, total(1, 2)
