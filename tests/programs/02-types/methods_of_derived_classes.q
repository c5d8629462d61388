% Methods that the class of an object decides, which only the running program knows.
type shape : dynamic class
    name : string
endtype
type circle : shape
    r : scalar
endtype
type square : shape
    a : scalar
endtype
type ring : circle
    hole : scalar
endtype
function y = area(self : circle)
    y = 3*self.r^2
endfunction
function y = area(self : square)
    y = self.a^2
endfunction
function y = area(self : ring)
    y = 3*(self.r^2 - self.hole^2)
endfunction
function [] = grow(self : circle, f)
    self.r *= f
endfunction
function [] = grow(self : square, f)
    self.a *= f
endfunction
function [] = show(s : shape)
    print s.name, ": ", s.area()
endfunction

c = {circle(name:="c", r:=1.0), square(name:="s", a:=2.0), ring(name:="r", r:=2.0, hole:=1.0)}
for i = 0..2
    print c[i].name, " ", c[i].area()
    c[i].grow(2)
    show(c[i])
endfor

% values of unknown type
d = cell(3)
d[0] = square(name:="first", a:=3.0)
d[1] = ring(name:="second", r:=2.0, hole:=1.0)
d[2] = circle(name:="third", r:=1.0)
total = 0.0
for i = 0..2
    total += d[i].area() + area(d[i])
endfor
print total

% an object of the base has the function in a field
o = shape(name:="x")
o.area = () -> 7
show(o)

% classes that are no relatives, an overload for everything else, and an object made once
type cat : class
    lives : int
endtype
type dog : mutable class
    owner : string
endtype
function y = speak(c : cat)
    y = sprintf("meow %d", c.lives)
endfunction
function y = speak(d : dog)
    y = "woof " + d.owner
endfunction
function y = speak(x)
    y = "hm"
endfunction
function y = next(list : vec[??])
    print "next"
    y = list[0]
endfunction
pets = cell(3)
pets[0] = cat(lives:=9)
pets[1] = dog(owner:="Ann")
pets[2] = 5
for i = 0..2
    print speak(pets[i])
endfor
print next(pets).speak()

% no overload for what comes
try
    d[1] = 5
    print area(d[1])
catch e
    print "no area"
endtry
