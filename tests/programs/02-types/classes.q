type mode : enum
    Fast = 3
    Slow
endtype
type particle : mutable class
    place : vec2
    mass  : scalar
    next  : ^particle
    how : mode
endtype
type pair : class
    a : int
    b : string
endtype
type holder : mutable class
    inner : particle
    p : pair
endtype

function [] = main()
    p = particle(place:=[0.,1.], mass:=2.0, next:=nullptr)
    print p
    q = p
    q.mass = 5
    q.place[1] += 3
    print p.mass, " ", p.place
    r = copy(p)
    r.mass = 1
    r.place = [7,8]
    print p, " ", r
    p.next = r
    print p.next.mass, " ", p.next == r, " ", p.next == nullptr, " ", p != r
    x = pair(3, "t")
    print x
    h = holder()
    print h
    h.inner = p
    p.mass = 77
    print h.inner.mass
    i = h.inner
    i.mass += 0.5
    print h.inner.mass
    try
        print p.next.next.mass
    catch e
        print e.message
    endtry
    if p.next.next == nullptr
        print "end"
    endif
    n = nullptr
    for k = 1..5
        n = particle(mass:=k, next:=n)
    endfor
    s = 0.0
    while n != nullptr
        s += n.mass
        n = n.next
    endwhile
    print s
endfunction
