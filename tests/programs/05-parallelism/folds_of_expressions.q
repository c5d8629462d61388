% Means, truths and sums of chosen elements are folds of array expressions; repeated rows, zeros and ones are read in place.
function y : scalar = error_of(a : mat, b : mat)
    y = mean((a - b).^2)
endfunction
function y : scalar = mean_of_part(x : mat, m : int)
    y = mean(x[0..m,1..2])
endfunction
function y : scalar = mean_of_integers(x : mat[int])
    y = mean(2*x)
endfunction
function [some : int, every : int] = above(x : vec, t : scalar)
    some = any(x .* x > t)
    every = all(x .* x > t)
endfunction
function y : scalar = sum_above(x : mat, t : scalar)
    y = sum(x[x > t])
endfunction
function y : vec = chosen(x : vec, t : scalar)
    y = x[x > t]
endfunction
function y : vec[int] = chosen_by(x : vec[int], w : vec[int])
    m = w > 0
    y = 2*x[m]
endfunction
function y : int = product_above(x : vec[int], t : int)
    y = prod(x[x > t])
endfunction
function y : mat = centred(x : mat)
    y = x - repmat(mean(x, 0), [size(x, 0), 1])
endfunction
function y : mat = scaled(x : mat, v : vec)
    y = x .* repmat(v, [size(x, 0), 1])
endfunction
function y : vec = lifted(x : vec, n : int)
    y = x + 2*ones(n) - zeros(n)
endfunction
function [] = report(x : vec, n : int)
    try
        print lifted(x, n)
    catch e
        print e
    endtry
endfunction
function x : mat = numbers(m : int, n : int)
    x = reshape(0..m*n-1, [m, n]) + 0.0
endfunction
function [] = statistics(n : int)
    x = (0..n-1) + 0.0
    [some, every] = above(x, 3.5)
    print n, " ", some, " ", every, " ", sum(chosen(x, 1)), " ", numel(chosen(x, 1)), " ", product_above(int(x), 13)
endfunction
function [] = main()
    x = numbers(3, 4)
    print error_of(x, 2*x), " ", mean_of_part(x, 1), " ", mean_of_integers(int(x))
    print sum_above(x, 5), " ", sum_above(x, 11), " ", sum_above(zeros(0, 3), 1)
    print chosen([3, 0/0, -1, 2], 0), chosen([-1, -2], 0), chosen_by([5, 6, 7], [1, 0, 2])
    print centred(x), scaled(x, [1, 10, 100, 1000])
    statistics(0)
    statistics(1)
    statistics(2)
    statistics(17)
    report([1, 2], 2)
    report([1, 2], 3)
    report([1], 1)
    report(zeros(0), 0)
    report([1], -1)
    try
        print error_of(x, numbers(3, 3))
    catch e
        print e
    endtry
    try
        print mean_of_part(x, 3)
    catch e
        print e
    endtry
    try
        print scaled(x, [1, 2])
    catch e
        print e
    endtry
endfunction
