% `type X : Y` with fields inherits, without it names; copies go through what lies inside, not through pointers.
type point : mutable class
    x : scalar
    y : scalar
endtype
type place : point
type point3 : point
    z : scalar
endtype
type line : mutable class
    from : point
    to : ^point
endtype
p = point(1, 2)
q : place = p
q.x = 5
print p.x, " ", type(q), " ", type(point3(1, 2, 3))
l = line(p, p)
m = copy(l)
m.from.x = 7
m.to.y = 8
print l.from.x, " ", m.from.x, " ", l.to.y, " ", p.x
print line(to := nullptr).from, " ", line().to == nullptr
