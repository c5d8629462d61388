% dynamic classes, objects with options, spreading, defaults
type thing : dynamic class
    name : string
    size : int
endtype
function y = blur(x, r = 1, mode = "mean", scale = 1.0)
    y = mode + ":" + r + ":" + scale + ":" + numel(x)
endfunction
function s = total(...args)
    s = numel(args)
    for a = args
        s += isstring(a) ? 100 : a
    endfor
endfunction
function s = describe(self : thing)
    s = self.name + "/" + self.size
endfunction
function [] = main()
    t = thing(name:="box", size:=3)
    t.colour = "red"
    t.tags = {1, "two"}
    print t.name, t.colour, t.tags, t.describe()
    t.size += 4
    t.size = t.size * 2
    print t.size
    opts = {r:=3, scale:=0.5}
    print blur([1,2,3], ...opts)
    print blur([1], mode := "max"), blur(zeros(4), 2, "x"), blur([])
    opts.mode = "min"
    print blur([1,2], ...opts)
    print total(), total(1,2), total("a", 2.5), total(...{1,2,3})
    o = object()
    o.count = 0
    for k = 1..4
        o.count += k
    endfor
    print o.count
    o.inner = {x:=1, y:=[1,2,3]}
    o.inner.x = 10
    o.inner.y[1] = 20
    print o.inner.x, o.inner.y
    f = (a, b) -> {sum := a + b, prod := a * b}
    r = f(3, 4)
    print r.sum, r.prod
    list = {thing(name:="a", size:=1), thing(name:="b", size:=2)}
    s = 0
    for i = list
        i.size = i.size * 10
        s += i.size
    endfor
    print s, list[1].size
    try
        print t.unknown
    catch e
        print "no such field"
    endtry
    g = x -> y -> z -> x + y*z
    print g(1)(2)(3)
endfunction
