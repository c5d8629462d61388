% Functions of the language that take several numbers of arguments are values as well: each call says how many.
function y = fold(f, first, v)
    y = first
    for x = v
        y = f(y, x)
    endfor
endfunction
function y = apply(f : [(scalar, scalar) -> scalar], a, b)
    y = f(a, b)
endfunction
function y = each(f, rows)
    y = zeros(size(rows, 0))
    for k = 0..size(rows, 0)-1
        y[k] = f(rows[k,:])
    endfor
endfunction
function [] = main()
    f = max
    print f(3, 4), " ", f([1.0,5.0,2.0])
    print fold(max, -inf, [3.0,9.0,2.0]), " ", fold(min, 10, [3,9,2]), " ", fold(hypot, 0.0, [3.0,4.0])
    print apply(max, 1.5, 2.5), " ", apply(min, 1.5, 2.5), " ", apply(atan2, 0.0, 1.0)
    x = [[1,2],[3,4],[5,6]] + 0.5
    print each(sum, x), each(mean, x), each(max, x), each(prod, x)
    table = {sum, mean, max}
    print table[0]([1.0,2.0,6.0]), " ", table[1]([1.0,2.0,6.0]), " ", table[2]([1.0,2.0,6.0])
    make = zeros
    print make(2), make(2, 2)
    show = sprintf
    print show("%d-%d", 1, 2), show("%s", "x")
endfunction
