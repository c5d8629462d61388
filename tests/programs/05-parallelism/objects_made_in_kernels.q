% What kernels do with objects beside reading and writing fields: objects of derived classes, functions that change or
% make objects, arrays that are given twice, and what lies inside of objects.
type base : mutable class
    a : scalar
endtype
type point : base
    b : scalar
    v : vec3
endtype
type line : mutable class
    from : point
    to   : point
endtype
function r = __device__ first(self : base)
    r = self.a
endfunction
function [] = __device__ bump(self : base, n : int)
    self.a += n
    if n > 0
        bump(self, n-1)
    endif
endfunction
function [] = __device__ set_all(ps : vec[point], k : int)
    ps[k].b = 7
endfunction
function r : point = __device__ mean(x : point, y : point)
    r = point(0.5*(x.a+y.a), 0.5*(x.b+y.b), 0.5*(x.v+y.v))
endfunction
function [] = __kernel__ twice(ps : vec[point], qs : vec[point], pos : int)
    ps[pos].a = qs[pos].b + qs[pos].first() + pos
    ps[pos].bump(2)
    set_all(ps, pos)
endfunction
function [] = __kernel__ made(ps : vec[point], pos : int)
    p = point()
    for i = 0..3
        p = point(i, 2, [1, 2, 3])
        p.a += 1
        if i > 2
            ps[pos].a += p.a + p.v[i-1]
        endif
    endfor
    [p.a, p.b] = [p.b, p.a]
    z : point
    p.b += z.b
    if pos == 1
        ps[pos] = p
    endif
    ps[pos].v = p.v + [1, 1, 1]
    ps[pos].v[0] += 5
endfunction
function [] = __kernel__ lines(ls : mat[line], pos : ivec2)
    l = ls[pos]
    l.from.a = pos[0]
    t = l.to
    t.v[pos[1]] = 1
    t.b = l.from.first()
    l.from = mean(l.from, t)
endfunction
function [] = __kernel__ count(ps : vec[point], total : line, pos : int)
    total.from.a += ps[pos].a
    total.to.b += 1
endfunction
function [] = main()
    ps = vec[point](3)
    ps[1].b = 10
    parallel_do(3, ps, ps, twice)
    print ps
    parallel_do(3, ps, made)
    print ps
    ls = mat[line](2, 3)
    parallel_do([2, 3], ls, lines)
    print ls[1,2], ls[1,0].to.v
    total = line()
    parallel_do(3, ps, total, count)
    print total
    b = vec[base](2)
    parallel_do(2, __kernel__ (pos : int) -> b[pos].a = b[pos].a + pos)
    serial_do(2, __kernel__ (pos : int) -> b[pos].a = b[1-pos].a + 1)
    print b
    none = vec[base](0)
    parallel_do(0, __kernel__ (pos : int) -> none[pos].a = 1)
    print none
endfunction
