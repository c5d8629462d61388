% bounds that are elements of a parameter, which a loop changes under another name
type sheet : mutable class
    dims : ivec2
endtype

function [] = of_an_object(s : sheet, dims : ivec2, y : mat)
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            y[m,n] += 1
        endfor
        s.dims[1] = 2
    endfor
endfunction

function [] = shorten(s : sheet)
    s.dims[1] -= 1
endfunction

function [] = by_a_function(s : sheet, dims : ivec2, y : mat)
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            y[m,n] += 1
        endfor
        shorten(s)
    endfor
endfunction

function [] = of_a_cell(c : vec[ivec2], dims : ivec2, y : mat)
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            y[m,n] += 1
        endfor
        c[0][1] = m
    endfor
endfunction

function [] = by_a_value(change : [int -> ()], dims : ivec2, y : mat)
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            y[m,n] += 1
        endfor
        change(m)
    endfor
endfunction

% nothing changes here but what is no vector of integers
function [] = of_nobody(s : sheet, dims : ivec2, y : mat)
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            y[m,n] += size(s.dims, 0)
        endfor
    endfor
    print dims
endfunction

function [] = main()
    s = sheet(dims:=[3,4])
    y = zeros(3, 4)
    of_an_object(s, s.dims, y)
    print y, s.dims
    s = sheet(dims:=[3,4])
    y = zeros(3, 4)
    by_a_function(s, s.dims, y)
    print y, s.dims
    c = vec[ivec2](1)
    c[0] = [3,4]
    y = zeros(3, 4)
    of_a_cell(c, c[0], y)
    print y, c[0]
    d : ivec2 = [3,4]
    y = zeros(3, 4)
    by_a_value(m -> d[1] = m, d, y)
    print y, d
    s = sheet(dims:=[3,4])
    y = zeros(3, 4)
    of_nobody(s, s.dims, y)
    print y
endfunction
