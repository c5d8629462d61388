% Classes of every kind: how objects are made, copied, inherited, called, and what fields start with.
type particle : mutable class
    place : vec2
    mass  : scalar
    next  : ^particle
endtype
p = particle(place:=[0.,1.], mass:=2.0, next:=nullptr)
print p
q = p
q.mass = 3
print p.mass
r = particle([1,2], 4, p)
print r.next.mass, particle(mass:=1)
e = copy(r)
e.place[0] = 50
e.next.mass = 77
print r.place, p.mass
type frozen : class
    a : int
endtype
z = frozen(3)
print z, frozen()
type veh : class
    wheels : int
endtype
type car : veh
    doors : int
endtype
print car(4, 5), car(doors:=2)
function y = describe(self : veh)
    y = "vehicle"
endfunction
function y = describe(self : car)
    y = "car"
endfunction
c : veh = car(4,5)
print c.describe(), " ", describe(c), " ", car(1,2).describe()
function y = __device__ total(self : car)
    y = self.wheels + self.doors
endfunction
print car(4,5).total()
w = [0.0]
parallel_do(1, w, car(4,5), __kernel__ (w : vec, c : car, pos : int) -> w[pos] = c.total())
print w
function y : ^frozen = frozen(a : string)
    if a == ""
        y = nullptr
    else
        y = frozen(numel(a))
    endif
endfunction
print frozen("abc"), frozen("") == nullptr
type pair[A,B] : class
    a : A
    b : B
endtype
print pair[int,scalar](1,2.5), type(pair[int,scalar](1,2))
type particles : vec[particle]
ps = particles(3)
print numel(ps), ps[0]
print numel(vec[particle](2))
pp = vec[^particle](2)
print pp
function y = ff(a : scalar)
    y = a * 2
endfunction
print (2.5).ff(), ff(2.5)
type dyn : dynamic class
    a : int
endtype
dd = dyn(1)
dd.extra = "x"
print dd, dd.extra
type dcar : dyn
    b : int
endtype
dc = dcar(1,2)
dc.more = 3
print dc
type mb : mutable class
    x : int
endtype
type md : mb
    y : int
endtype
m2 = md(1,2)
m2.x = 5
m2.y = 6
print m2
type de : enum
    A
    B
endtype
type defs : class
    i : int
    s : string
    k : de
    n : ^defs
    v : vec3
    m : mat(2,2)
    sub : frozen
endtype
print defs()
