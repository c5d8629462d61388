% Sorting arrays of integers of known and of unknown sizes in kernels leaves them as they were.
function [] = __kernel__ known(y : imat, pos : int)
    v = [3, pos, 1, 2]
    [s, at] = sort(v)
    y[pos,0] = s[0] + 10*s[1] + 100*s[2] + 1000*s[3]
    y[pos,1] = at[0] + 10*at[1] + 100*at[2] + 1000*at[3]
    y[pos,2] = v[0] + 10*v[1] + 100*v[2] + 1000*v[3]
    m = [[3, 1], [pos, 2]]
    [t, from] = sort(m, 0)
    y[pos,3] = t[0,0] + 10*t[0,1] + 100*t[1,0] + 1000*t[1,1]
    y[pos,4] = from[0,0] + 10*from[0,1] + 100*m[1,0] + 1000*m[1,1]
endfunction
function [] = __kernel__ unknown(y : imat, n : int, pos : int)
    v = zeros[int](n)
    for k = 0..n-1
        v[k] = mod(7*k + pos, 5)
    endfor
    [s, at] = sort(v)
    y[pos,0] = s[0] + 10*s[n-1]
    y[pos,1] = at[0] + 10*at[n-1]
    y[pos,2] = v[0] + 10*v[1] + 100*v[2]
    [t, from] = sort(reshape(v, [1, n]))
    y[pos,3] = t[0,1] + 10*from[0,1]
    y[pos,4] = v[0] + 10*v[1] + 100*v[2]
endfunction
y = zeros[int](5, 5)
parallel_do(5, y, known)
print y
parallel_do(5, y, 3, unknown)
print y
