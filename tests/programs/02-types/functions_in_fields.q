% Functions in fields: of declared function types, and where anything may stand.
import "list.q"
type button : mutable class
    label : string
    press : [scalar -> scalar]
    done : ??
endtype
type shape : class
    area : [() -> scalar]
    both : [(scalar, scalar) -> (scalar, scalar)]
endtype
type counter : mutable class
    n : int
    step : [int -> ()]
endtype
function y = half(x : scalar)
    y = x/2
endfunction
function b = make(k : scalar)
    b = button("b" + string(k), x -> x*k, nullptr)
endfunction
function [] = run_all(actions : vec[??], x : ??)
    for f = actions
        print f(x)
    endfor
endfunction
function [] = main()
    b = button("half", half, x -> "done " + string(x))
    print b.label, " ", b.press(3), " ", b.done(7), " ", b
    b.press = x -> x + 1
    print b.press(3), " ", b.press
    f = b.press
    print f(10)
    c = make(2.5)
    print c.press(4), " ", make(3).press(2)
    if c.press(1) > 2
        c.press = half
    else
        c.press = x -> 0
    endif
    print c.press(9)
    r = 2.0
    s = shape(area := () -> 3*r*r, both := (a, b) -> {b, a})
    print s.area()
    [u, v] = s.both(1, 2)
    print u, v
    n = counter(n := 0, step := k -> print("step ", k))
    n.step(4)
    n.step = k -> n.n += k
    n.step(5)
    n.step(6)
    print n.n
    o = {name := "o", greet := x -> "hello " + x}
    print o.greet("you"), " ", o
    o.add = (a, b) -> a + b
    print o.add(1, 2), o.add("x", "y"), o.add([1,2], [3,4])
    l = List[??]()
    l.add(x -> x + 1)
    l.add(half)
    l.add(y -> y .* y)
    run_all(l.items(), 4)
    g = x -> y -> x + y
    o.curry = g
    h = o.curry(3)
    print h(4), " ", half, " ", g
    try
        b.press = o.greet
        print b.press(2)
    catch e
        print "refused"
    endtry
endfunction
