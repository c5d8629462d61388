function [] = main()
    y = zeros(3)
    parallel_do(3, __kernel__ (pos) -> y[pos] = y)
%                                               ^ Q0310 expected 'scalar', found 'vec(3)'
    parallel_do(3, __kernel__ (pos) -> q[pos] = 1)
%                                      ^ Q0201 unknown name 'q'
    parallel_do(3, (pos) -> y[pos] = 1)
%                  ^ Q0403 'lambda' is not a kernel function
    parallel_do(3, __kernel__ (pos) -> print(y[pos]))
%                                      ^ Q0404 'print' cannot be used in kernel function 'lambda'
    n = 0
    f = x -> x + missing
%                ^ Q0201 unknown name 'missing'
    print f(n), y
endfunction
