function [] = __kernel__ sum3x3(x : mat, y : mat, pos : ivec2)
    s = 0.0
    for dy = -1..1
        for dx = -1..1
            s += x[pos + [dy,dx]]
        endfor
    endfor
    y[pos] = s
endfunction
y = zeros(3,3)
parallel_do(size(y), ones(3,3), y, sum3x3)
print y
