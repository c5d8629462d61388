% Arrays of arrays in kernels: elements of the inner ones are read and written, and they have extents, names and values.
function s = __device__ weighted(m : mat, w : vec)
    s = 0.0
    for i = 0..size(m,0)-1
        s += m[i,0] * w[mod(i, numel(w))]
    endfor
endfunction

function [] = __kernel__ read(x : vec[mat], w : vec[vec], y : mat, pos : int)
    r = x[mod(pos, numel(x))]
    y[pos,0] = x[0][mod(pos, 2),0] + 10*r[1,1] + 100*numel(w[pos])
    y[pos,1] = numel(x) + 10*size(r,0) + 100*size(r,1) + 1000*numel(r)
    y[pos,2] = sum(w[pos]) + max(x[1])
    y[pos,3] = weighted(r, w[pos])
    y[pos,4] = r[-1,5] + w[pos][100]
    if pos > 1
        r = x[0]
    endif
    y[pos,5] = r[0,0]
endfunction

function [] = __kernel__ write(x : vec[vec[int]], pos : int)
    for k = 1..numel(x[pos])-1
        x[pos][k] = 10*pos + k
    endfor
    x[0][0] += 100
    x[pos][50] = 7
endfunction

function [] = __kernel__ around(x : vec[vec], m : vec[mat], y : vec, pos : int)
    y[pos] = m[0][pos,pos] + x[1][mod(pos, 2)]
    m[1][pos,0] = pos
endfunction

function [] = main()
    x = vec[mat](2)
    x[0] = [[1,2],[3,4]]
    x[1] = [[5,6,7],[8,9,10],[11,12,13]]
    w = vec[vec](3)
    w[0] = [1,2,3]
    w[1] = [4,5]
    w[2] = [6]
    y = zeros(3,6)
    parallel_do(3, x, w, y, read)
    print y
    z = vec[vec[int]](3)
    for k = 0..2
        z[k] = int(zeros(k+2))
    endfor
    parallel_do(3, z, write)
    print z
    u = zeros(2)
    parallel_do(2, w, x, u, around)
    print u
    print x
endfunction
