% What nested launches are given: slices and literals, arrays that the nested kernel replaces, numbers of rows from a function.
function [] = __kernel__ weigh(part : vec, weights : vec, total : vec, k : int, pos : int)
    total[k] += part[pos]*weights[pos]
endfunction
function [] = __kernel__ shifted(x : vec, y : mat, k : int, pos : int)
    x = x + 1
    y[k,pos] = x[pos]
endfunction
function [] = __device__ both(x : mat, total : vec, k : int)
    parallel_do(size(x,1), x[k,:], [1.0,10,100], total, k, weigh)
    serial_do(size(x,1), 2*x[k,:], [0,0,0.5], total, k, weigh)
endfunction
function [] = __kernel__ rows(x : mat(:,3), y : mat, total : vec, pos : int)
    both(x, total, pos)
    v = x[pos,:]
    parallel_do(3, v, y, pos, shifted)
    y[pos,0] += v[0]
endfunction
x = [[1.0,2,3],[4,5,6]]
total = zeros(2)
y = zeros(2,3)
parallel_do(2, x, y, total, rows)
print total
print y
