% A loop that reads its neighbours by indices in variables is no launch with what writes them.
function y : mat = behind(x : mat)
    [M, N] = size(x)
    t = 2 * x + 1
    y = zeros(M, N)
    for m = 0..M-1
        for n = 0..N-1
            p = mod(m+2, M)
            q = max(n-2, 0)
            y[m, n] = t[p, q] - x[p, n] + t[m, n]
        endfor
    endfor
endfunction

function y : mat = above(x : mat)
    [M, N] = size(x)
    t = 3 * x
    y = zeros(M, N)
    for m = 1..M-1
        for n = 0..N-1
            up = m - 1
            own = n
            y[m, n] = t[up, own] + x[m, own]
        endfor
    endfor
endfunction

x = zeros(5, 4)
for m = 0..4
    for n = 0..3
        x[m, n] = 10 * m + n * n
    endfor
endfor
print behind(x)
print above(x)
