% single: roots and large numbers are printed with the digits of single precision.
% Slices whose length follows from a `vec3` that they are passed as or meet, arrays where they are longer, and products of small
% vectors in loops.
function d = distances(points : mat, to : vec3)
    d = zeros(size(points, 0))
    for k = 0..size(points, 0)-1
        away = to - points[k,:]
        d[k] = sqrt(dotprod(away, away))
    end
end
function s : scalar = weighted(a : vec3, b : vec3)
    s = a[0]*b[0] + 2*a[1]*b[1] + 3*a[2]*b[2]
end
function d = sums(points : mat, with : vec3)
    d = zeros(size(points, 0))
    for k = 0..size(points, 0)-1
        d[k] = weighted(points[k,:], with)
    end
end
function y = turned(points : mat)
    y = zeros(size(points, 0), 3)
    axis = [0.0, 0, 2]
    for k = 0..size(points, 0)-1
        p : vec3 = points[k,:]
        y[k,:] = cross(axis, p) + p
    end
end
function y = stored(y : cube, r : mat)
    for m = 0..size(r, 0)-1
        for n = 0..size(r, 1)-1
            y[m,n,:] = [r[m,n], 2*r[m,n]]
        end
    end
end
function r = products(n : int)
    r = zeros(n, 4)
    v = [3.0, 4, 0]
    for i = 0..n-1
        w = v * 10.0^(i*8 - 24)
        r[i,0] = norm(w)
        c = cross(w, [1.0, 2, 3])
        r[i,1] = c[2]
        m = [[i + 1.0, 2], [3, 4]]
        r[i,2] = trace(m)
        r[i,3] = dotprod(v, [1, 2, i])
    end
end
p = [[1.0,2,3],[4,5,6],[1,2,9]]
print distances(p, [1.0,1,2]), sums(p, [1.0,1,2])
print turned(p)
print products(7)
print stored(zeros(2,2,2), [[1,2],[3,4]])
q = [[1.0,2],[3,4]]
try
    print sums(q, [1.0,1,2])
catch e
    print "vectors of two"
end
try
    print distances(q, [1.0,1,2])
catch e
    print "points of two"
end
try
    print stored(zeros(2,2,3), [[1,2],[3,4]])
catch e
    print "pixels of three"
end
