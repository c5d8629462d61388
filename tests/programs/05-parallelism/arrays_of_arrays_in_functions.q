% Device functions that get arrays of arrays: called by kernels, by each other and by the host, to read and to change.
function s = __device__ sum_of(c : vec[vec], i : int)
    s = 0.0
    for k = 0..numel(c[i])-1
        s += c[i][k]
    endfor
endfunction
function s = __device__ sum_until(c : vec[vec], i : int)
    s = sum_of(c, i)
    if i > 0
        s += sum_until(c, i-1)
    endif
endfunction
function s = __device__ ends(c : vec[vec], m : vec[mat], i : int)
    last = c[numel(c)-1]
    s = last[numel(last)-1] + 100*m[i][0,1] + 1000*size(m[i], 1) + 10000*numel(m)
endfunction
function [] = __device__ shift(c : vec[vec], i : int, by : scalar)
    for k = 0..numel(c[i])-1
        c[i][k] += by * sum_of(c, i)
    endfor
endfunction
function [] = __kernel__ read(c : vec[vec], m : vec[mat], y : mat, pos : int)
    y[pos,0] = sum_of(c, pos)
    y[pos,1] = ends(c, m, mod(pos, 2))
endfunction
function [] = __kernel__ deep(c : vec[vec], y : mat, pos : int)
    y[pos,0] = sum_until(c, pos)
endfunction
function [] = __kernel__ change(c : vec[vec], pos : int)
    shift(c, pos, pos + 1)
endfunction
function [] = main()
    c = vec[vec](3)
    for k = 0..2
        c[k] = linspace(1, k+1, k+1)
    endfor
    m = {[[1,2],[3,4]], [[5,6,7]]}
    y = zeros(3,2)
    parallel_do(3, c, m, y, read)
    print y
    parallel_do(3, c, change)
    print c
    parallel_do(3, c, y, deep)
    print y
    print sum_of(c, 1), " ", ends(c, m, 1)
    shift(c, 0, 10)
    print c[0]
endfunction
