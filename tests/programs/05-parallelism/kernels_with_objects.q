% Kernels with arrays of objects, single objects, methods, and objects of their own.
type kind : enum
    Heavy = 2
    Light
endtype
type vector : mutable class
    x : scalar
    y : scalar
endtype
type particle : mutable class
    at    : vector
    place : vec2
    mass  : scalar
    kind  : kind
    hits  : int
endtype
type settings : class
    step : scalar
    wind : vec3
endtype
type counter : mutable class
    n : int
    total : scalar
endtype

function r = __device__ norm2(self : vector)
    r = self.x^2 + self.y^2
endfunction
function [] = __device__ push(self : particle, by : scalar)
    self.mass += by
    self.at.x += by
    self.place[1] = by
endfunction
function r : vector = __device__ scaled(self : vector, f : scalar)
    r = vector(self.x*f, self.y*f)
endfunction

function [] = __kernel__ fill(ps : vec[particle], pos : int)
    ps[pos].mass = pos
    ps[pos].at.x = 2*pos
    ps[pos].place[0] = pos + 0.5
    ps[pos].kind = pos > 1 ? kind.Heavy : kind.Light
endfunction

function [] = __kernel__ move(ps : vec[particle], s : settings, c : counter, pos : int)
    p = ps[pos]
    p.at.y += s.step * p.mass
    p.place += 1
    p.place[1] -= s.wind[2]
    c.n += 1
    c.total += p.mass
    if p.at.norm2() > 20
        p.hits += 1
    endif
    p.push(0.5)
    v = p.at.scaled(2)
    v.x += 100
    p.at = v
    q = vector(1, 2)
    q.x = q.y + q.x
    p.mass += q.x
endfunction

function [] = __kernel__ neighbours(ps : vec[particle], out : vec, pos : int)
    best = ps[pos]
    for k = 0..numel(ps)-1
        if ps[k].mass > best.mass
            best = ps[k]
        endif
    endfor
    out[pos] = best.mass + ps[pos-1].mass + size(ps, 0)
endfunction

function [] = __kernel__ grid(m : mat[vector], pos : ivec2)
    m[pos].x = pos[0] * 10 + pos[1]
    m[pos[0], pos[1]].y = m[pos].norm2()
endfunction

function [] = main()
    ps = vec[particle](4)
    parallel_do(numel(ps), ps, fill)
    print ps
    s = settings(0.5, [1, 2, 3])
    c = counter()
    parallel_do(numel(ps), ps, s, c, move)
    print ps
    print c
    out = zeros(4)
    parallel_do(4, ps, out, neighbours)
    print out
    m = mat[vector](2, 3)
    parallel_do([2, 3], m, grid)
    print m[1,2], m[0,1], m[0,0]
    v = vector(3, 4)
    print v.norm2(), v.scaled(2)
    sum = zeros(1)
    parallel_do(4, __kernel__ (pos : int) -> sum[0] += ps[pos].mass * s.step)
    print sum
    parallel_do(4, __kernel__ (pos : int) -> ps[pos].hits = pos)
    print ps[3].hits, ps[0].hits
    p = ps[2]
    p.push(3)
    print ps[2].mass
endfunction
