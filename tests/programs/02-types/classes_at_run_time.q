% single: names a type in an error
% Which class an object has is asked when the program runs, where its type does not say it; sizes are checked alike.
type base : mutable class
    a : int
endtype
type derived : base
    b : int
endtype
type pair[T] : mutable class
    l : T
endtype
type open : dynamic class
    n : int
endtype
type wide : open
    m : int
endtype
e : base = derived(1,2)
f : base = base(1)
p : ^base = nullptr
print type(e,"derived"), type(e, derived), type(e, "base"), type(f,"derived"), type(p, "derived"), type(p, "^derived"), type(p, "base")
p = e
print type(p, "derived"), type(p, "^derived"), type(p, "base")
function n = count(x : base)
    if type(x, derived)
        n = (x : derived).b
    else
        n = 1
    endif
endfunction
print count(e), count(f)
c : cell = {1, e, "x", pair[int](3), nullptr}
for k = 0..4
    print type(c[k], "base"), type(c[k], "derived"), type(c[k], "pair[int]"), type(c[k], "pair[scalar]"), type(c[k], "^base")
endfor
o : open = wide(1, 2)
print type(o, "wide"), type(o, "open"), (o : wide).m
print type(pair[int](1), "pair[int]"), type(pair[int](1), "pair[scalar]")
% Checks give the object itself.
y = (e : derived)
y.b = 9
print y, " ", (e : derived).b, (p : ^derived).b, (p : base).a
p = nullptr
print (p : ^derived)
function m : mat = made(n : int)
    m = ones(n, 2)
endfunction
print (made(2) : mat(2,2)), (made(1) : vec)
function [] = attempt(f)
    try
        f()
    catch ex
        print ex.message
    endtry
endfunction
attempt(() -> print((f : derived)))
attempt(() -> print((p : base)))
attempt(() -> print((made(3) : mat(2,2))))
function v : ?? = anything(n : int)
    v = ones(n)
endfunction
attempt(() -> print((anything(2) : vec(3))))
