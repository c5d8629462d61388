% An array has the dimensions of its type, also where the last extents are 1 while the program runs.
function [] = show(name, x)
    print name, " ", size(x), " ", ndims(x), " ", x
endfunction

function [] = shapes(m : int, n : int, k : int)
    y = zeros(m, n, k)
    for i = 0..m - 1
        for j = 0..n - 1
            for l = 0..k - 1
                y[i, j, l] = 100 * i + 10 * j + l
            endfor
        endfor
    endfor
    show("y", y)
    show("sum along 0", sum(y, 0))
    show("sum along 1", sum(y, 1))
    show("sum along 2", sum(y, 2))
    show("sum of ones", sum(y + ones[int](m, n, k), 0))
    show("slice", y[:, 0..n - 1, 0..k - 1])
    show("joined", cat(2, y, y))
    show("repeated", repmat(y[:, :, 0], [1, 1, k]))
    print size(cell(m, n, k)), " ", size(rand(m, n, k)), " ", size(uninit(m, n, k)), " ", size(zeros(m, n, 1))
endfunction

shapes(2, 3, 1)
shapes(1, 2, 1)
shapes(2, 1, 2)
shapes(1, 1, 1)
