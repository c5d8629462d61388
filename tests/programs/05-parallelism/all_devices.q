% One launch over all GPUs: positions, blocks and results are those of the whole launch.
function [] = __kernel__ scale(x : mat, y : mat, factor : scalar, pos : ivec2)
    y[pos] = factor * x[pos]
endfunction
function [] = __kernel__ blur(x : mat, y : mat, pos : ivec2)
    sum = 0.0
    for dy = -1..1
        for dx = -1..1
            sum += x[pos[0] + dy, pos[1] + dx]
        endfor
    endfor
    y[pos] = sum
endfunction
function [] = __kernel__ where(y : cube, pos : ivec2, blkidx : ivec2, blkdim : ivec2, blkcnt : ivec2, blkpos : ivec2)
    [a, b] = pos
    y[a, b, 0] = blkidx[0] * blkdim[0] + blkpos[0] - a
    y[a, b, 1] = blkidx[0]
    y[a, b, 2] = blkcnt[0] * 100 + blkcnt[1]
endfunction
function [] = __kernel__ own(y : vec, pos : int)
    y[pos] += pos
    y[pos] = 2 * y[pos]
endfunction
function [] = __kernel__ rows(x : mat, y : vec, pos : int)
    % Few positions share a long loop.
    sum = 0.0
    for n = 0..size(x, 1) - 1
        sum += x[pos, n]
    endfor
    y[pos] = sum
endfunction
function [] = __kernel__ far(y, pos : ivec4)
    y[pos] += pos[0] * 1000 + pos[1] * 100 + pos[2] * 10 + pos[3]
endfunction
function [] = main()
    x = zeros(7, 5)
    for m = 0..6
        for n = 0..4
            x[m, n] = 10 * m + n
        endfor
    endfor
    y = zeros(7, 5)
    multi_parallel_do(size(x), x, y, 3, scale)
    print y[0, :], y[6, :]
    z = zeros(7, 5)
    multi_parallel_do(size(x), y, z, blur)
    print z[0, :], z[3, :], z[6, :]
    % Fewer rows than the array has.
    multi_parallel_do([4, 5], x, z, -1, scale)
    print z[3, :], z[4, :]
    places = zeros(7, 5, 3)
    multi_parallel_do([[7, 5], [2, 4]], places, where)
    print sum(places[:, :, 0]), " ", places[1, 0, 1], places[2, 0, 1], places[6, 4, 1], " ", places[6, 4, 2]
    v = ones(1000)
    multi_parallel_do(1000, v, own)
    multi_parallel_do(1000, v, own)
    print v[0], " ", v[1], " ", v[999], " ", sum(v)
    w = ones(3, 2, 2, 2)
    multi_parallel_do(size(w), w, far)
    print w[0, 0, 0, 0], " ", w[1, 0, 1, 1], " ", w[2, 1, 0, 1], " ", sum(w)
    [long, sums] = [ones(3, 5000), zeros(3)]
    long[2, 7] = 11
    multi_parallel_do(3, long, sums, rows)
    print sums
    long[0, 4999] = 3
    parallel_do(3, long, sums, rows)
    print sums
    % Nothing to do.
    multi_parallel_do([0, 5], x, z, 7, scale)
    print z[0, 1]
    lengths = zeros(7)
    factor = 2.0
    multi_parallel_do(7, x, lengths, __kernel__ (x : mat, y : vec, pos : int) -> y[pos] = factor * x[pos, 1] + x[mod(pos + 1, 7), 0])
    print lengths
endfunction
