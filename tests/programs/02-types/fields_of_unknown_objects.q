% Fields of objects whose class is known at run time only: they are read and changed by name.
type mode : enum
    Slow
    Fast
endtype
type job : mutable class
    id : int
    name : string
    v : vec[int]
    how : mode
    byte : int8'sat
    next : ^job
    any : ??
endtype
type card : class
    suit : string
endtype
type urgent : job
    level : scalar
endtype
function [] = attempt(what, f)
    try
        f()
        print what, " done"
    catch e
        print what, ": ", e.message
    endtry
endfunction
function [] = main()
    a = job(id:=1, name:="a", v:=[1,2], how:=mode.Slow, byte:=100, next:=nullptr, any:=0)
    b = urgent(id:=2, name:="b", v:=[3], how:=mode.Slow, byte:=100, next:=a, any:=0, level:=0.5)
    items = cell(3)
    for k = 0..2
        items[k] = k == 0 ? a : b
    endfor
    items[2] = card(suit:="hearts")
    for k = 0..1
        j = items[k]
        j.id = 5.9
        j.id += 2
        j.name = j.name + "x"
        j.v[0] = 7
        j.how = mode.Fast
        j.byte += 100
        j.any = {1, "t"}
        print j.id, j.name, j.v, j.how, j.byte, j.any
    endfor
    items[1].level = 3
    print b.level, " ", a.id
    attempt("text", () -> items[0].id = "text")
    attempt("unknown", () -> items[0].nothing = 1)
    attempt("immutable", () -> items[2].suit = "spades")
    attempt("no field", () -> items[2].id = 1)
    attempt("derived", () -> items[0].level = 1)
    total = 0
    for j = items[0..1]
        while j.id > 0
            j.id -= 3
            total += 1
        endwhile
    endfor
    print total, a.id, b.id
endfunction
