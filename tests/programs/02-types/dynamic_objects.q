% Dynamic objects: fields are known at run time and can be added.
function r = area(shape)
    r = shape.width * shape.height
endfunction
function o : object = named(name : string)
    o = {name := name, tags := {1, "x"}}
endfunction
function [] = main()
    o = object()
    o.a = 3
    o.b = "text"
    print o
    o.a += 4
    o.c = [1, 2, 3]
    o.c[1] = 7
    print o.a, " ", o.c, " ", o.c[1] + 1
    p = {width := 3, height := 2.5}
    print p, " ", area(p), " ", p.width
    q = p
    q.width = 10
    print area(p), " ", p == q, " ", p == copy(p), " ", p == nullptr
    n = named("n")
    print n.name, n.tags
    n.inner = {x := 1}
    n.inner.x = 2
    n.inner.y = o
    print n.inner.x, n.inner.y.a
    try
        print p.depth
    catch e
        print e.message
    endtry
    try
        p.width.x = 1
    catch e
        print e.message
    endtry
    for k = 1..3
        n.inner.x += k
    endfor
    print n.inner.x
    if n.inner.x > 7
        print "more"
    endif
    o.self = o
    print o.self.self.a
    cells = {o, p}
    cells[1].height = 4
    print p.height
endfunction
