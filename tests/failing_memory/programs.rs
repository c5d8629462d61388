//! Programs that need memory in many ways. None prints more than a few lines: what is printed waits in memory of its own.

pub(crate) const ALL: &[(&str, &str)] = &[
    ("arrays", ARRAYS),
    ("sorting", SORTING),
    ("matrices", MATRICES),
    ("cells", CELLS),
    ("indices", INDICES),
    ("kernels", KERNELS),
    ("catching", CATCHING),
];

const ARRAYS: &str = "
function [] = main()
    a = ones(120, 100)
    b = repmat([1, 2, 3], [80, 60])
    c = linspace(0, 1, 9000)
    d = cat(0, a, a)
    print size(b), sum(a), numel(c), size(d)
    print sum(a + a .* 2), sum(transpose(a) * a), sum(fliplr(a)), sum(eye(130))
    print sum(cumsum(c)) > 0, sum(reshape(a, [100, 120])), sum(circshift(a, [1, 2]))
    [p, q] = ndgrid(0..119, 0..99)
    print sum(p), sum(q), sum((0..9000)), mean(c)
endfunction";

const SORTING: &str = "
function [] = main()
    x = mod((0..8999) * 919, 9001)
    [y, places] = sort(x)
    print y[0], y[8999], places[0], sum(unique(x)), sum(find(x > 1500)), median(x)
    print sum(hist(x, 20)), sum(histc(x, [0, 10, 4000]))
endfunction";

const MATRICES: &str = "
function [] = main()
    a = eye(64) .* 3 + ones(64, 64)
    b = inv(a)
    [l, u, p] = lu(a)
    [q, r] = qr(a)
    print det(eye(64)), sum(abs(a * b - eye(64))) < 0.001, size(l), size(u), size(p), size(q), size(r)
    print size(kron(a, ones(2, 2))), sum(diagm(ones(90))), sum(solve(a, ones(64, 1))) > 0
    [s, t, v] = svd(a)
    print size(s), size(t), size(v), sum(a ^ 2) > 0
endfunction";

const CELLS: &str = "
function [] = main()
    c = cell(1000)
    for k = 0..999
        c[k] = k
    endfor
    d = copy(c)
    e = c + 1
    print numel(d), e[999], c == d, numel(lincell(c))
    n = 0
    for item = d
        n += int(item)
    endfor
    print n, sum(int(c))
endfunction";

const INDICES: &str = "
function [] = main()
    a = ones(120, 100)
    a[10..19, :] = 2
    a[a > 1] = 3
    b = a[[1, 12, 13], :]
    c = a[:, 0..2..98]
    v = (0..8999)
    w = v[v > 100]
    print sum(a), sum(b), size(c), numel(w)
endfunction";

const KERNELS: &str = "
function [] = __kernel__ turned(x : mat, y : mat, pos : ivec2, blkpos : ivec2, blkdim : ivec2)
    s = shared(blkdim[0], blkdim[1])
    s[blkpos] = x[pos]
    syncthreads
    y[pos] = s[blkdim[0] - 1 - blkpos[0], blkpos[1]]
endfunction
function [] = main()
    x = ones(96, 96)
    y = zeros(96, 96)
    parallel_do(size(x), x, y, turned)
    for m = 0..95
        for n = 0..95
            y[m, n] += x[m, n] * m
        endfor
    endfor
    print sum(y)
endfunction";

const CATCHING: &str = "
function [] = main()
    for k = 0..2
        try
            a = repmat(ones(120, 100), [2, 2])
            print sum(a)
        catch ex : qmemoryexception
            print \"caught\"
        endtry
    endfor
endfunction";
