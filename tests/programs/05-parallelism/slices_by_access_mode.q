% Slices in kernels read what lies outside as their parameters say, whether their sizes are known or not.
function [] = __kernel__ k(x : vec'mirror, u : vec, c : vec'clamped, ci : vec'circular, y : mat, n : int, pos : int)
    a = x[pos-n..pos+n]
    b = u[pos-n..pos+n]
    d = c[pos-n..pos+n]
    e = ci[pos-n..pos+n]
    y[pos,0] = a[0] + 10*a[1] + 100*a[2]
    y[pos,1] = b[0] + 10*b[1] + 100*b[2]
    y[pos,2] = d[0] + 10*d[1] + 100*d[2]
    y[pos,3] = e[0] + 10*e[1] + 100*e[2]
    f = x[pos-1..pos+1]
    y[pos,4] = f[0] + 10*f[1] + 100*f[2]
endfunction
y = zeros(3,5)
x = [1.0,2,3]
parallel_do(3, x, x, x, x, y, 1, k)
print y
function [] = __kernel__ ch(u : vec'checked, y : vec, n : int, pos : int)
    b = u[pos-n..pos+n]
    y[pos] = b[0]
endfunction
try
    parallel_do(3, x, y[:,0], 1, ch)
catch e
    print e.message
endtry
