function [] = __kernel__ median3(x : vec'clamped, y : vec, pos : int)
    w = [x[pos-1], x[pos], x[pos+1]]
    for i = 0..1
        for j = 0..1-i
            if w[j] > w[j+1]
                [w[j], w[j+1]] = [w[j+1], w[j]]
            endif
        endfor
    endfor
    y[pos] = w[1]
endfunction
x = [1.0,9,2,3,8,3]
y = zeros(6)
parallel_do(6, x, y, median3)
print y
