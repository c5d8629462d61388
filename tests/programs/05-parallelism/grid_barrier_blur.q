% Two passes in one kernel: rows, then columns of what all blocks made of the rows.
function [] = __kernel__ blur(x : mat'mirror, t : mat'mirror, y : mat, pos : ivec2)
    t[pos] = (x[pos[0], pos[1] - 1] + 2 * x[pos] + x[pos[0], pos[1] + 1]) / 4
    syncthreads(grid)
    y[pos] = (t[pos[0] - 1, pos[1]] + 2 * t[pos] + t[pos[0] + 1, pos[1]]) / 4
endfunction
x = zeros(21, 18)
for m = 0..20
    for n = 0..17
        x[m, n] = mod(m * 7 + n * 5, 11)
    endfor
endfor
[t, y] = [zeros(21, 18), zeros(21, 18)]
parallel_do([[21, 18], [8, 4]], x, t, y, blur)
expected = zeros(21, 18)
rows = zeros(21, 18)
function i = at(k : int, n : int)
    i = k < 0 ? -k - 1 : (k >= n ? 2 * n - 1 - k : k)
endfunction
{!serial for}
for m = 0..20
    for n = 0..17
        rows[m, n] = (x[m, at(n - 1, 18)] + 2 * x[m, n] + x[m, at(n + 1, 18)]) / 4
    endfor
endfor
{!serial for}
for m = 0..20
    for n = 0..17
        expected[m, n] = (rows[at(m - 1, 21), n] + 2 * rows[m, n] + rows[at(m + 1, 21), n]) / 4
    endfor
endfor
print max(abs(y - expected)) < 1e-5
print y[0..3, 0..3]
