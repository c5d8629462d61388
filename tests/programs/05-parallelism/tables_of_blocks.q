% Sums in small arrays, which blocks of devices keep in tables of their own.
function [] = counts(x : mat[uint8], h : vec)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            h[x[m,n]] += 1
        end
    end
end
function [] = amounts(x : ivec, w : vec, h : vec)
    for m = 0..numel(x)-1
        h[x[m]] += w[m]
    end
end
function [] = joint(a : ivec, b : ivec, h : imat, t : ivec)
    for m = 0..numel(a)-1
        h[a[m],b[m]] += 1
        t[a[m]+b[m]] += b[m]
    end
end
function [] = some(a : ivec, h : ivec'safe)
    for m = 0..numel(a)-1
        h[a[m]] += 2
    end
end
function [] = main()
    x = zeros[uint8](37, 41)
    for m = 0..36
        for n = 0..40
            x[m,n] = mod(m * m + 3 * n, 251)
        end
    end
    h = zeros(256)
    h[3] = 0.5
    counts(x, h)
    print h[0..9], sum(h)
    short = zeros(251)
    counts(x, short)
    print short[0..9], sum(short)
    large = zeros(300)
    counts(x[0..0,0..0], large)
    print sum(large), large[0]
    a = zeros[int](3001)
    b = zeros[int](3001)
    w = zeros(3001)
    for k = 0..3000
        a[k] = mod(k * 7, 13)
        b[k] = mod(k * 5, 11)
        w[k] = 0.25 * mod(k, 8)
    end
    f = zeros(13)
    amounts(a, w, f)
    print f
    j = zeros[int](13, 11)
    t = zeros[int](23)
    joint(a, b, j, t)
    print sum(j), j[0..2,:], t
    s = zeros[int](5)
    some(a, s)
    print s
    huge = zeros(100000)
    for k = 0..3000
        a[k] = mod(k * 7919, 100000)
    end
    amounts(a, w, huge)
    print sum(huge), huge[7919], huge[15838]
    a[77] = 13
    try
        amounts(a, w, f)
    catch e
        print "failed"
    end
end
