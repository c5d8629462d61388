% Inner loops whose bounds are elements of vectors, which the nest changes or not.

function y : mat = of_sizes(sizes : vec[int])
    y = zeros(sizes[0], sizes[1])
    for m = 0..sizes[0]-1
        for n = 0..sizes[1]-1
            y[m,n] = 10*m + n
        endfor
    endfor
endfunction

function total : int = three_deep(sizes : vec[int])
    total = 0
    for a = 1..sizes[0]
        for b = sizes[3]..sizes[1]
            for c = 1..sizes[2]
                total += a*b + c
            endfor
        endfor
    endfor
endfunction

% The bound grows while the loops go on.
function sizes : vec[int] = growing(start : vec[int])
    sizes = copy(start)
    for m = 0..sizes[0]-1
        for n = 0..sizes[1]-1
            sizes[1] = min(sizes[1]+1, 6)
        endfor
    endfor
endfunction

% So it does by another name.
function y : vec[int] = by_another_name(sizes : vec[int], y : vec[int])
    for m = 0..1
        for n = 0..sizes[0]-1
            y[0] = y[0] - 1
        endfor
    endfor
endfunction

% Of floats.
function y : mat = of_floats(sizes : vec)
    y = zeros(4, 4)
    for m = 0..int(sizes[0])-1
        for n = 0..int(sizes[1])-1
            y[m,n] = sizes[1] + n
        endfor
    endfor
endfunction

% The second element is asked for where the first loop has iterations.
function count : int = counted(sizes : vec[int])
    count = 0
    for m = 0..sizes[0]-1
        for n = 0..sizes[1]-1
            count += 1
        endfor
    endfor
endfunction

% Below a triangle, whose variable has another value before.
function count : int = below_a_triangle(n : int, sizes : vec[int])
    count = 0
    i = -5
    for i = 0..n-1
        for j = 0..i
            for k = 0..sizes[1]-1
                count += 1
            endfor
        endfor
    endfor
endfunction

function [] = main()
    print below_a_triangle(3, [1,4])
    print of_sizes([2,3])
    print size(of_sizes([0,3])), " ", size(of_sizes([3,0]))
    print three_deep([2,4,3,2]), " ", three_deep([2,1,3,2]), " ", three_deep([0,1,3,2])
    print growing([3,2]), " ", growing([2,2])
    both = [3,1]
    z = by_another_name(both, both)
    print z, both, by_another_name([3,1], [9,9])
    print of_floats([2.0,3.0])
    print counted([0]), " ", counted([2,3])
    try
        print counted([1])
    catch ex
        print "no second element"
    endtry
endfunction
