% Tests of arrays of arrays and of texts, where only the running program knows the value.
function y = kind(x : ??)
    if type(x, "vec[vec]")
        y = "vec[vec]"
    elseif type(x, "vec[vec[int]]")
        y = "vec[vec[int]]"
    elseif type(x, "vec[mat]")
        y = "vec[mat]"
    elseif type(x, "vec[string]")
        y = "vec[string]"
    elseif type(x, "vec[vec[string]]")
        y = "vec[vec[string]]"
    elseif type(x, "vec")
        y = "vec"
    elseif type(x, "mat")
        y = "mat"
    elseif type(x, "cell")
        y = "cell"
    else
        y = "other"
    endif
endfunction
function [] = main()
    floats = cell(2)
    floats[0] = [1.5,2.5]
    floats[1] = [3.5]
    print kind(floats), " ", kind({[1,2],[3,4]}), " ", kind({[1.5,2.5],eye(2)}), " ", kind({"a","b"})
    floats[1] = 7
    print kind(floats), " ", kind({{"a"},{"b","c"}}), " ", kind({1,"a"}), " ", kind([1.5,2.5]), " ", kind(eye(2)), " ", kind("abc")
    mixed = cell(2)
    mixed[0] = "x"
    mixed[1] = "y"
    print kind(mixed)
    mixed[1] = [1,2]
    print kind(mixed)
    three = cell(1)
    three[0] = [1.5,2.5,3.5]
    print type(three, "vec[vec(3)]"), type(three, "vec[vec(2)]"), type(three, "vec[cube]")
    grid = cell(2,2)
    for m = 0..1
        for n = 0..1
            grid[m,n] = [m,n] + 0.5
        endfor
    endfor
    print type(grid, "mat[vec]"), type(grid, "vec[vec]"), type(grid, "cube[vec]")
endfunction
