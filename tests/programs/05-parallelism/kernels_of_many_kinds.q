% nested kernels, serial and parallel, several dims, kernels that fill by position, 3-d grids
function [] = __kernel__ fill3(x : cube, pos : ivec3)
    x[pos] = pos[0]*100 + pos[1]*10 + pos[2]
endfunction
function [] = __kernel__ rows(x : mat, y : vec, pos : int)
    s = 0.0
    for k = 0..size(x,1)-1
        if x[pos,k] < 0
            continue
        endif
        if x[pos,k] > 50
            break
        endif
        s += x[pos,k]
    endfor
    y[pos] = s
endfunction
function [] = __kernel__ local(x : mat, y : mat, pos : ivec2)
    w = zeros(3,3)
    for i = 0..2
        for j = 0..2
            w[i,j] = x[pos[0]+i-1, pos[1]+j-1]
        endfor
    endfor
    v = [w[0,0], w[1,1], w[2,2], w[0,2], w[2,0]]
    for a = 0..3
        for b = 0..3-a
            if v[b] > v[b+1]
                t = v[b]
                v[b] = v[b+1]
                v[b+1] = t
            endif
        endfor
    endfor
    y[pos] = v[2] + sum(w[1,:]) - max(w)
endfunction
function [] = __kernel__ polynomial(x : vec, c : vec'hwconst, y : vec, pos : int)
    s = 0.0
    for k = numel(c)-1..-1..0
        s = s*x[pos] + c[k]
    endfor
    y[pos] = s
endfunction
function [] = __kernel__ complexes(z : cvec, y : vec, pos : int)
    w = z[pos] * z[pos] + 1j
    y[pos] = abs(w) > 2 ? real(w) : imag(w)
endfunction
function [] = main()
    c = zeros(2,3,4)
    parallel_do(size(c), c, fill3)
    print c[1,2,3], sum(c), c[:,1,2]
    x = reshape((0..23)*3.0 - 5, [4,6])
    y = zeros(4)
    parallel_do(4, x, y, rows)
    print y
    z = zeros(4,6)
    parallel_do(size(x), x, z, local)
    print z
    p = zeros(5)
    parallel_do(5, (0..4)*1.0, [1,0,2]*1.0, p, polynomial)
    print p
    q = zeros(3)
    parallel_do(3, [1+1j, 2-1j, 0j], q, complexes)
    print q
    serial_do(5, p, __kernel__ (p, pos) -> p[pos] = pos == 0 ? p[0] : p[pos-1] + p[pos])
    print p
    u : vec[int] = zeros[int](8)
    {!parallel for}
    for k = 0..7
        u[7-k] = k^2
    endfor
    print u
    for i = 0..2
        for j = i..2
            c[0,i,j] = -1
        endfor
    endfor
    print c[0,:,:]
endfunction
