% Wishes for vectors change nothing but the time that it takes.
function [] = __kernel__ own(x : mat, y : mat, pos : ivec2)
    {!auto_vectorize width=2}
    y[pos] = 2 * x[pos] + 1
endfunction
function [] = __kernel__ beside(x : mat, y : mat, pos : ivec2)
    {!auto_vectorize}
    y[pos] = x[pos] + x[pos[0], pos[1] + 1]
endfunction
x = reshape(0..34, [5, 7])
y = zeros(5, 7)
parallel_do(size(x), x, y, own)
print y
parallel_do(size(x), x, y, beside)
print y
{!auto_vectorize width=3}
for m = 0..4
    for n = 0..6
        y[m,n] += x[m,n] * n
    endfor
endfor
print sum(y)
