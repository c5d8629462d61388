% An array that is stored in several places of a cell gives each place one element, whether the types of cell, indices and
% array are known or not.

function y : ?? = unknown(x : ??)
    y = x
endfunction

function [] = refused(name : string, store : [() -> ()])
    try
        store()
        print name, " was stored"
    catch error
        print name, " is refused"
    endtry
endfunction

function [] = places_of_a_cell(c : mat[??])
    c[0,:] = [1,2]
    c[1,:] = {"a",[3,4]}
    print c
    c[:,0] = [5,6]
    print c
    c[:,1] = unknown({eye(2),nullptr})
    print c
    c[0..1,0..1] = [[1,2],[3,4]]
    print c
    c[:,:] = ones(2,2)
    print c
    c[[1,0],0] = [7,8]
    print c
    c[0,0] = [1,2]
    print c, size(c[0,0])
endfunction

function [] = places_of_unknown_cells(c : ??)
    c[0,:] = [1,2]
    print c
    c[1,:] = unknown([3,4])
    print c
    c[:,0] = unknown({"a",[1,2]})
    print c
    c[unknown(0),:] = [5,6]
    print c
    c[unknown([0,1]),1] = [7,8]
    print c
    c[unknown(1),unknown(1)] = [9,10]
    print c
    c[:,:] = unknown("all")
    print c
    c[0,:] = unknown(3)
    print c
endfunction

function [] = places_of_a_vector(v : vec[??])
    v[1..2] = [1,2]
    print v
    v[0..1] = {"p","q"}
    print v
    v[0..2..2] = [3,4]
    print v
    v[[2,0]] = {"x",[5]}
    print v
    v[[1,0,1] > 0] = [5,6]
    print v
    v[[1,0,1] > 0] = {"r","s"}
    print v
    v[unknown([1,0,1]) > 0] = unknown([7,8])
    print v
    v[unknown(1)] = [1,2]
    print v
    v[unknown(0)..1] = [3,4]
    print v
    v[1..0] = zeros(0)
    print v
    v[0..1] = unknown(zeros(2))
    v[1..2] = v[0..1]
    print v
endfunction

function [] = typed_items()
    v = vec[vec](3)
    v[0..1] = {[1,2],[3]}
    print v
    v[1..2] = unknown({[1,2,3],[4]})
    v[1][0] = 0.5
    print v
    v[unknown(0)] = [5,6]
    v[0][0] = 0.5
    print v
    v[unknown(0)] = unknown([7,8])
    v[0][0] = 0.5
    print v
    v[unknown([0,2])] = unknown({[1,2],[3]})
    v[2][0] = 0.5
    print v
    refused("a vector of numbers", () -> v[0..1] = unknown([9,9]))
    refused("a string", () -> v[unknown(0)] = unknown("a"))
    refused("a string in several places", () -> v[unknown([0,1])] = unknown("a"))
    print v
    s = vec[string](3)
    s[0..1] = {"a","b"}
    s[unknown(2)] = "c"
    print s
    s[unknown([0,2])] = unknown({"d","e"})
    print s
    refused("numbers among strings", () -> s[0..1] = unknown([1,2]))
    print s
endfunction

function [] = numbers(x : vec[int])
    x[0..1] = unknown(5)
    print x
    x[1..2] = unknown([6.0,7.0])
    print x
    x[0..1] = unknown({1,2})
    print x
    x[unknown([2,1])] = unknown({3,4})
    print x
    refused("three numbers for two", () -> x[0..1] = unknown([1,2,3]))
    refused("a cell with a string", () -> x[0..1] = unknown({1,"a"}))
    print x
endfunction

function [] = other_names(c : vec[??])
    kept = {c, c}
    kept[0][0..1] = [1,2]
    f = value -> c[1..2] = value
    f(unknown([3,4]))
    print c, kept[1]
    c[0..1] = c[1..2]
    print c
    c[1..2] = c[0..1]
    print c
    refused("four items for two", () -> c[0..1] = unknown([1,2,3,4]))
    print c
endfunction

type point : mutable class
    x : scalar
endtype

function [] = objects()
    a = point(x:=1)
    b = point(x:=2)
    p = vec[^point](3)
    p[0..1] = {a,b}
    p[unknown(2)] = unknown(a)
    a.x = 3
    print p[0].x, p[1].x, p[2].x
    p[1..2] = unknown({b,nullptr})
    print p[1].x, p[2] == nullptr
    p[unknown([0,1])] = unknown({b,a})
    p[0].x = 4
    print a.x, b.x, p[1].x
    refused("numbers among pointers", () -> p[0..1] = unknown([1,2]))
    refused("a number among pointers", () -> p[unknown(0)] = unknown(1))
    o = vec[point](3)
    o[0..1] = o[1..2]
    o[2].x = 5
    o[0..1] = o[1..2]
    o[2].x = 6
    print o[0].x, o[1].x, o[2].x
endfunction

function [] = main()
    objects()
    places_of_a_cell(cell(2,2))
    places_of_unknown_cells(cell(2,2))
    places_of_a_vector(cell(3))
    typed_items()
    numbers(int(zeros(3)))
    other_names(cell(3))
endfunction
