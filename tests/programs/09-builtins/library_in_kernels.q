% Library functions on small arrays in kernels and device functions.
function y : scalar = __device__ robust(v : vec(5))
    y = median(v) + 10*var(v) + 100*norm(v, 1)
endfunction
function [] = __kernel__ statistics(x : mat(:,5), y : mat, pos : int)
    v = x[pos,:]
    y[pos,0] = mean(v)
    y[pos,1] = var(v)
    y[pos,2] = std(v)
    y[pos,3] = median(v)
    y[pos,4] = norm(v, 1)
    y[pos,5] = argmin(v) + 10*argmax(v)
    y[pos,6] = any(v) + 2*all(v) + 4*any(v - v)
    y[pos,7] = robust(v)
    y[pos,8] = median(v[0..3])
endfunction
function [] = __kernel__ lines(x : mat(:,6), sums : mat, scans : mat, pos : int)
    m = reshape(x[pos,:], [2,3])
    sums[pos,0..2] = sum(m, 0)
    sums[pos,3..4] = transpose(sum(m, 1))
    sums[pos,5..7] = prod(m, 0)
    sums[pos,8..10] = mindim(m, 0)
    sums[pos,11..12] = transpose(maxdim(m, 1))
    sums[pos,13..15] = mean(m, 0)
    sums[pos,16..17] = transpose(std(m, 1))
    scans[pos,0..5] = cumsum(x[pos,:])
    scans[pos,6..11] = cumprod(x[pos,:])
    scans[pos,12..17] = cummin(x[pos,:])
    scans[pos,18..23] = cummax(x[pos,:])
    c = cumsum(m)
    d = cumsum(m, 0)
    scans[pos,24..26] = c[1,:]
    scans[pos,27..29] = d[1,:]
    scans[pos,30..35] = sort(x[pos,:])
endfunction
function [] = __kernel__ shapes(x : mat(:,4), y : mat, pos : int)
    v = x[pos,:]
    m = reshape(v, [2,2])
    y[pos,0..1] = diag(m)
    d = diagm([v[0], v[1]])
    e = eye(2)
    y[pos,2] = d[0,0] + 10*d[0,1] + 100*d[1,1]
    y[pos,3] = sum(e) + e[1,1]
    t = shuffledims(m, [1,0])
    y[pos,4..5] = t[0,:]
    r = repmat([v[0], v[1]], [2,2])
    y[pos,6..9] = r[1,:]
    p = m^3
    y[pos,10..11] = p[1,:]
    y[pos,12] = pos2ind([3,4], [1,pos])
    k = copy(v)
    k[0] = 7
    y[pos,13] = k[0] + v[0]
    n : ivec3 = [3, pos, 2]
    y[pos,14] = sum(sort(n)) + 10*median(n) + 100*mean(n)
    y[pos,15] = v[0] > 1 ? mean(v) : median(v)
    total = 0.0
    while mean([total, 0.5]) < 1
        total += 1
    endwhile
    y[pos,16] = total
endfunction
x = [[3.0,1,4,1,5],[9,2,6,5,3],[0,0,-2,0,0]]
y = zeros(3,9)
parallel_do(3, x, y, statistics)
print int(round(1000*y))
x = [[3.0,1,4,1,5,9],[2,-7,1,8,2,8]]
sums = zeros(2,18)
scans = zeros(2,36)
parallel_do(2, x, sums, scans, lines)
print int(round(1000*sums))
print scans
x = [[1.0,2,3,4],[0.5,-1,2,0]]
y = zeros(2,17)
parallel_do(2, x, y, shapes)
print int(round(1000*y))
