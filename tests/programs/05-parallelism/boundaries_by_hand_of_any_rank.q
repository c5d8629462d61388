% Boundaries by hand in vectors, channels, bytes and kernels.
function y : vec = a1(x : vec)
    y = zeros(numel(x))
    for n = 0..numel(x)-1
        y[n] = x[max(0,n-1)] + x[min(n+2,numel(x)-1)] - x[mod(n-1,numel(x))]
    endfor
endfunction
function y : cube = a3(x : cube)
    [M, N, C] = size(x)
    y = zeros(M, N, C)
    for m = 0..M-1
        for n = 0..N-1
            for c = 0..C-1
                s = 0.0
                for i = -1..1
                    for j = -1..1
                        s += x[clamp(m+i,M-1), clamp(n+j,N-1), c]
                    endfor
                endfor
                y[m,n,c] = s
            endfor
        endfor
    endfor
endfunction
function y : cube = ac(x : cube)
    [C, M, N] = size(x)
    y = zeros(C, M, N)
    for c = 0..C-1
        for m = 0..M-1
            for n = 0..N-1
                y[c,m,n] = x[c,mod(m+1,M),mod(n+1,N)] + x[c,mod(m-1,M),n] + x[mod(c+1,C),m,n]
            endfor
        endfor
    endfor
endfunction
function [] = __kernel__ kern(x : mat, y : mat, pos : ivec2)
    M = size(x,0)
    N = size(x,1)
    y[pos] = x[max(0,min(pos[0]-1,M-1)), pos[1]] + x[pos[0], mod(pos[1]+1, N)]
endfunction
function [] = __kernel__ kernc(x : mat'checked, y : mat'checked, pos : ivec2)
    M = size(x,0)
    N = size(x,1)
    y[pos] = x[max(0,min(pos[0]-1,M-1)), pos[1]] + x[pos[0], mod(pos[1]+1, N)]
endfunction
function y : mat[uint8] = bytes(x : mat[uint8])
    y = zeros[uint8](size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = max(x[max(m-1,0),n], x[m,min(n+1,size(x,1)-1)])
        endfor
    endfor
endfunction
% what nobody reads takes its memory nevertheless
function y : vec = with_memory(x : vec, n : int)
    y = zeros(numel(x))
    for k = 0..numel(x)-1
        p = min(k+1, numel(x)-1)
        y[k] = x[p]
    endfor
    huge = zeros(n, n)
endfunction
function [] = main()
    try
        print with_memory([1.0,2.0], 10000000)
    catch ex
        print "no memory"
    endtry
    v = zeros(37)
    for n = 0..36
        v[n] = mod(n*n,11)
    endfor
    print a1(v), a1(v[0..0])
    x = reshape(mod(1..240, 17), 8, 10, 3)
    print sum(a3(x)), a3(x)[0,0,:], a3(x)[7,9,:], sum(ac(x)), ac(x)[7,9,:]
    a = reshape(mod(1..70, 13), 7, 10)
    y = zeros(7,10)
    parallel_do(size(a), a, y, kern)
    print y
    parallel_do(size(a), a, y, kernc)
    print y
    b = zeros[uint8](7,10)
    for m = 0..6
        for n = 0..9
            b[m,n] = 20*m+n
        endfor
    endfor
    print bytes(b)
endfunction
