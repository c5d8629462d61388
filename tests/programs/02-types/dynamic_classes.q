% Dynamic classes: declared fields have types, further fields and methods come when the program runs.
type bird : dynamic class
    name : string
    color : vec3
endtype
type duck : bird
    depth : scalar
endtype
function t = sound(self : bird)
    t = self.name + " sings"
endfunction
function t = sound(self : duck)
    t = self.name + " quacks"
endfunction
function [a, b] = both(self : bird, k : int = 1)
    [a, b] = [k, self.name]
endfunction
function [a, b] = both(self : duck, k : int = 2)
    [a, b] = [k + 0.5, self.depth]
endfunction
function t = heard(b : bird)
    t = b.sound() + ", " + sound(b)
endfunction
function [] = main()
    b = bird(name := "robin", color := [1, 0, 0])
    print b
    b.position = [0., 1.]
    b.age = 2
    b.age += 1
    b.position[1] = 5
    print b.name, " ", b.age, " ", b.position, " ", b.sound()
    print b
    b.fly = (self, dx) -> self.position[0] += dx
    b.fly(3)
    b.fly(0.5)
    print b.position
    b.twice = x -> 2*x
    print b.twice(4), " ", b.twice(1.5), " ", b.twice
    b.rename = (self, n) -> self.name = n
    b.rename("blackbird")
    print b.name
    d = duck("mallard", [0, 1, 0], 2.5)
    d.wet = true
    print d, " ", d.depth, " ", d.sound()
    print heard(b), "; ", heard(d)
    flock = {b, d}
    v : bird = d
    [x, y] = v.both()
    [p, q] = b.both(7)
    print v.sound(), " ", x, " ", y, " ", p, " ", q
    a = d
    a.wet = false
    c = copy(d)
    c.wet = 7
    print d.wet, c.wet, a == d, a == c
    try
        print b.wings
    catch e
        print e.message
    endtry
    try
        b.sing()
    catch e
        print e.message
    endtry
    try
        b.age(3)
    catch e
        print e.message
    endtry
    try
        b.twice(1, 2)
    catch e
        print e.message
    endtry
    try
        b.rename(3)
    catch e
        print e.message
    endtry
endfunction
