% Loops whose iterations have small arrays of their own become kernels; those with arrays of any size stay as they are.
function [] = own_arrays(n : int, x : vec)
    y = zeros(4)
    for i = 0..3
        w = zeros(3)
        w[mod(i,3)] = x[i]
        o = ones(2,2)
        o[1,0] += i
        e = eye(2)
        u = uninit(2)
        u[0] = o[1,0]
        u[1] = e[1,1] + e[0,1]
        y[i] = sum(w) + 10*u[0] + 100*u[1]
    endfor
    print y
    for i = 0..3
        q = zeros(n)
        q[0] = i
        y[i] = sum(q)
    endfor
    print y
    {!parallel for}
    for i = 0..3
        c = czeros(2)
        v = zeros[int](2)
        v[1] = i
        y[i] = v[1] + 1
    endfor
    print y
endfunction
own_arrays(5, [1.0,2,3,4])
