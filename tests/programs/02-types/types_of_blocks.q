% Types of every kind that functions and blocks define are known in the whole module.
function y = area(w : int)
    type side : int
    type shape : mutable class
        width : side
        kind : form
        corners : vec2
    endtype
    type form : enum
        Round
        Square = 4
    endtype
    type number : [int|scalar]
    function z = doubled(x : number)
        z = 2*x
    endfunction
    s = shape(width := w, kind := form.Square)
    match s.kind with
    | Round -> y = 0
    | Square -> y = doubled(s.width) * s.width
    endmatch
    print s
endfunction
print area(3), " ", form.Square + 0
if area(1) > 1
    type wide : shape
        depth : scalar
    endtype
    print wide(depth := 2.5)
endif
function [] = __kernel__ k(x : vec, pos : int)
    type row : vec(2)
    r : row = [pos, 1]
    x[pos] = r[0] + r[1]
endfunction
x = zeros(2)
parallel_do(2, x, k)
print x
