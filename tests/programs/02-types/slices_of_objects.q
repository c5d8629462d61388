% Slices of arrays of objects: reading makes copies, writing copies into what lies in the array.
type point : mutable class
    x : scalar
    y : vec(2)
endtype
type polygon : mutable class
    corners : vec[point]
endtype
function [] = move(self : point, dx : scalar)
    self.x += dx
endfunction
function s = xs(a : vec[point])
    s = ""
    for p = a
        s = s + string(p.x) + " "
    endfor
endfunction
function [] = main()
    a = vec[point](5)
    for k = 0..4
        a[k].x = k
        a[k].y[1] = 10*k
    endfor
    b = a[1..3]
    b[0].move(100)
    print numel(b), ": ", xs(b), "; ", xs(a)
    first = a[0]
    a[0..1] = a[2..3]
    print xs(a), "; ", first, " ", a[2] == a[0]
    a[1..4] = a[0..3]
    print xs(a)
    a[2..3] = {point(7, [8, 9]), a[3]}
    a[2].x = 1
    print xs(a), "; ", a[3]
    c = {point(1, [1,1]), point(2, [2,2])}
    a[[4, 0]] = c
    c[0].x = -1
    print xs(a), "; ", xs(a[0..2..4])
    m = mat[point](2, 3)
    m[1, 2].x = 5
    m[0, :] = m[1, :]
    m[1, 2].x = 6
    print m[0, 2].x, " ", m[:, 2], " ", size(m[:, 1..2])
    g = polygon(a[0..1])
    g.corners[0].x = 50
    print a[0].x, " ", g.corners[0].x
    try
        a[0..2] = c
    catch e
        print "refused"
    endtry
    r = vec[^point](3)
    r[1] = a[4]
    s = r[1..2]
    s[0].x = 33
    print a[4].x, " ", s[1] == nullptr
endfunction
