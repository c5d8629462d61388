% Integers and masks are converted for functions of floats; of several functions the one of their own rank takes them.
function y = kind(x : vec)
    y = "vec " + sum(x)
endfunction
function y = kind(x : mat)
    y = "mat " + sum(x)
endfunction
function y = kind(x : cube)
    y = "cube " + sum(x)
endfunction
function y = either(x : mat, r : int)
    y = "mat and int"
endfunction
function y = either(x : cube, r : int)
    y = "cube and int"
endfunction
function [] = main()
    x = [[1,2,3],[4,5,6]]
    bright = x > 2
    print kind(x), ", ", kind(bright), ", ", kind(x[0,:]), ", ", kind(x[:,1] > 2)
    counts = zeros[int](2, 3)
    counts[1,2] = 7
    print kind(counts), ", ", kind(zeros[int](2,2,2)), ", ", kind(zeros[uint8](4))
    print either(bright, 2), ", ", either(counts, 1), ", ", either(zeros[int](2,2,3), 1)
    print kind([1.5,2.5]), ", ", kind(float(x))
endfunction
