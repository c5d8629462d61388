type point : mutable class
    x : scalar
    y : scalar
endtype
type point3 : point
    z : scalar
endtype
type vehicle : mutable class
    wheels : int
    owner : ^person
endtype
type person : mutable class
    name : string
    car : ^vehicle
endtype
type car : vehicle
    doors : int
endtype
type truck : vehicle
    load : scalar
    trailer : ^truck
endtype

function y = point(a : scalar)
    y = point(x:=a, y:=a)
endfunction
function y : ^point = point(s : string)
    if s == "origin"
        y = point()
    else
        y = nullptr
    endif
endfunction
function [] = move(self : point, dx : scalar, dy : scalar = 0)
    self.x += dx
    self.y += dy
endfunction
function r = __device__ norm2(self : point)
    r = self.x*self.x + self.y*self.y
endfunction
function t = describe(self : vehicle)
    t = "vehicle with " + string(self.wheels) + " wheels"
endfunction
function t = describe(self : car)
    t = "car with " + string(self.doors) + " doors"
endfunction
function r = twice(x : scalar)
    r = 2*x
endfunction
function n : int = length(l : ^truck)
    n = 0
    while l != nullptr
        n += 1
        l = l.trailer
    endwhile
endfunction

function [] = main()
    p = point(1.5)
    p.move(2)
    move(p, 1, 1)
    print p, p.norm2()
    o = point("origin")
    print o, point("nowhere"), point("nowhere") == nullptr
    q = point3(1, 2, 3)
    q.move(10)
    print q, q.norm2()
    print (3.0).twice(), p.x.twice()
    c = car(4, nullptr, 5)
    t = truck(wheels:=6, load:=1.5)
    print c.describe(), ", ", t.describe()
    v : vehicle = c
    print v.describe(), v == c, v
    who = person("Ann")
    c.owner = who
    who.car = c
    print c.owner.car.owner.name, who.car == c, who.car == v
    t.trailer = truck(load:=2)
    print length(t), length(nullptr), length(t.trailer)
    w = nullptr
    if p.x > 0
        w = c
    else
        w = t
    endif
    print w.wheels
    try
        p2 : point = point("nowhere")
        print p2
    catch e
        print e.message
    endtry
    print type(c), " ", type(w), " ", type(who.car)
endfunction
