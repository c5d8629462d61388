% enums, classes and matches in kernels; kernels with several results
type shape : enum
    Circle
    Square = 3
    Line
endtype
type item : mutable class
    kind : shape
    size : scalar
    at : vec2
endtype
type items : vec[item]
function a : scalar = __device__ area(i : item)
    a = 0.0
    match i.kind with
    | Circle -> a = 3 * i.size^2
    | (Square, Line) -> a = i.kind == shape.Square ? i.size^2 : 0.0
    endmatch
endfunction
function [total : scalar, count : int] = __kernel__ measure(x : vec[item], pos : int)
    s = area(x[pos])
    total += s
    if s > 10
        count += 1
    endif
endfunction
function [] = __kernel__ move(x : vec[item], by : vec2, pos : int)
    x[pos].at += by
    x[pos].size *= 2
    if x[pos].kind == shape.Line
        x[pos].kind = shape.Circle
    endif
endfunction
function [] = main()
    x = items(6)
    for k = 0..5
        x[k].kind = k == 1 ? shape.Square : (k > 3 ? shape.Line : shape.Circle)
        x[k].size = k
        x[k].at = [k, -k]
    endfor
    [t, n] = parallel_do(6, x, measure)
    print t, " ", n
    parallel_do(6, x, [0.5, 1.0], move)
    print x[3].at, x[3].size, x[5].kind, x[1].kind
    [t, n] = parallel_do(6, x, measure)
    print t, " ", n
    y = x[2]
    y.size = -1
    print x[2].size
    z = copy(x)
    z[0].size = 77
    print x[0].size, z[0].size
    best = 0
    for k = 0..5
        if x[k].size > x[best].size
            best = k
        endif
    endfor
    print best, x[best]
endfunction
