% Objects that functions captured, in circles, by the thousand: they are given back, and what is in use stays.
type node : mutable class
    name : int
    act : ??
    next : ^node
endtype
function n = chain(k : int)
    n = node(k, nullptr, nullptr)
    m = node(-k, x -> n.name + x, n)
    n.next = m
    n.act = x -> m.name*x + k
    o = object()
    o.inner = {n, () -> o.count}
    o.count = k
    m.next = n
endfunction
function [] = main()
    kept = chain(3)
    sum = 0
    for k = 1..4000
        c = chain(k)
        sum += c.act(2)
        f = c.next.act
    endfor
    print sum, " ", kept.act(10), " ", kept.next.act(4), " ", f(0)
endfunction
