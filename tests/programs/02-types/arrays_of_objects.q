% Arrays of objects hold them; arrays of pointers refer to them.
type particle : mutable class
    place : vec2
    mass  : scalar
    kind : int
endtype
type particles : vec[particle]
type group : mutable class
    members : vec[particle]
    leaders : vec[^particle]
endtype
function s = total(ps : vec[particle])
    s = 0.0
    for p = ps
        s += p.mass
    endfor
endfunction
function [] = heavier(ps : particles, by : scalar)
    for i = 0..numel(ps)-1
        ps[i].mass += by
        ps[i].place[1] = i
    endfor
endfunction
function [] = main()
    ps = particles(3)
    ps[1].mass = 2
    ps[2].place = [1, 2]
    heavier(ps, 0.5)
    print ps
    print total(ps), " ", numel(ps), " ", size(ps)
    one = particle([7,8], 9, 1)
    ps[0] = one
    one.mass = 100
    print ps[0], " ", ps[0] == one
    q = ps[1]
    q.mass = 50
    print ps[1].mass
    for p = ps
        p.kind = p.kind + 3
    endfor
    print ps[0].kind, ps[1].kind, ps[2].kind
    more = copy(ps)
    more[0].mass = -1
    print ps[0].mass, " ", more[0].mass
    m = mat[particle](2, 3)
    m[1,2].mass = 4
    print m[1,2], " ", m[0,2].mass, " ", size(m)
    refs = vec[^particle](2)
    print refs
    refs[0] = one
    refs[1] = ps[1]
    refs[0].mass = 3
    print one.mass, " ", refs[0] == one, " ", refs[1] == ps[1]
    others = copy(refs)
    others[0].mass = 4
    others[1] = nullptr
    print one.mass, " ", refs[1].mass
    try
        print others[1].mass
    catch e
        print e.message
    endtry
    try
        print ps[3].mass
    catch e
        print e.message
    endtry
    g = group(ps, refs)
    g.members[0].mass = 77
    g.leaders[1] = g.members[0]
    g.leaders[1].kind += 1
    print ps[0].mass, " ", ps[0].kind, " ", g.leaders[1] == ps[0]
    list = {particle(), one}
    list[1].mass = 5
    print one.mass, " ", list[0].mass
    print refs[0..1], " ", numel(refs[[1]])
    none = particles(0)
    print numel(none), total(none)
    ps[1].place[0] += 0.25
    ps[1].place += 1
    print ps[1].place
endfunction
