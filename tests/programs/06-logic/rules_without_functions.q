% Names that only rules define, meta functions of the program, and vectors as the type of a pack.
reduction (x : mat) -> corner(x) = x[0,0] where size(x,0) > 2
reduction (x : mat) -> corner(x) = x[0,1] where size(x,0) < 2
function [] = look(x : mat)
    try
        print corner(x)
    catch ex
        print ex.message
    endtry
endfunction
function y = half(x : scalar)
    y = x / 2
endfunction
reduction (f) -> $fast(f) = $specialize(f, $ftype("__device__"))
reduction (f, n) -> $times(f, n) = $specialize(f, x == n)
function [] = show(...args : vec)
    print sum(args), " of ", numel(args)
endfunction
reduction (...args : vec) -> tot(...args) = show(...args)
reduction (...args) -> whole(...args) = numel({...args})
function [] = main(n : int = 2)
    look(ones(n, 2))
    look(reshape(1..6*n, [3*n, 2]))
    look(reshape([5, 6], [1, n]))
    f = $fast(half)
    print f(3)
    g = $times(half, 9)
    print g()
    tot(1, 2.5, 3)
    tot(4)
    print whole(1, "a", [2,3])
endfunction
