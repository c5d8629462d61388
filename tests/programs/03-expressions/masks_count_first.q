% As many values as elements are selected: otherwise nothing is stored.
function [] = replaced(x : vec, values : vec)
    try
        x[x < 0] = values
    catch ex
        print ex
    endtry
    print x
endfunction
function [] = kept(x : vec, limit : scalar, values : vec)
    m = x > limit
    try
        x[m] += values
    catch ex
        print ex
    endtry
    print x
endfunction
function [] = main()
    replaced([1.0,-2,3,-4,5], [7,8,9])
    replaced([1.0,-2,3,-4,5], [7.0])
    replaced([1.0,-2,3,-4,5], [7,8])
    replaced([1.0,-2,3], [10,20,30])
    replaced([1.0,2], zeros(0))
    kept([1.0,2,3,4], 2, [10.0])
    kept([1.0,2,3,4], 2, [10.0,20])
    A = reshape(float(0..8), [3,3])
    try
        A[A > 4] = [1.0,2.0]
    catch ex
        print ex
    endtry
    print A
    A[A > 4] = [1.0,2,3,4]
    print A
    B : ?? = [1.0,-2,3]
    try
        B[B > 0] = [1.0,2,3,4]
    catch ex
        print ex
    endtry
    print B
endfunction
