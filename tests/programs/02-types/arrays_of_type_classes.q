% An array whose element is a type class is one of several arrays.
type number : [scalar|cscalar|int]
function y = total(x : vec[number])
    y = sum(x)
endfunction
function y = kind(x : cube{:}[AllInt])
    y = "whole numbers"
endfunction
function y = kind(x : cube{:}[RealNumber])
    y = "real numbers"
endfunction
function y = kind(x : vec[ComplexNumber](2))
    y = "two complex numbers"
endfunction
reduction (x : cube{:}[AllInt]) -> halves(x) = x/2.0
reduction (x : cube{:}) -> halves(x) = 0.5*x
function [] = __kernel__ double_all(x : vec[number], pos : int)
    x[pos] = 2*x[pos]
endfunction
function [] = main()
    print total([1j,2]), " ", total([1,2]), " ", total([1.5,2])
    print kind([[int8(1)]]), ", ", kind([1.5]), ", ", kind([1j,2])
    print halves([1,2]), " ", halves([[1.0,2.0]])
    v = [1,2]
    parallel_do(2, v, double_all)
    w = [1j,2]
    parallel_do(2, w, double_all)
    print v, " ", w
    x : vec[number] = [3,4]
    print x, " ", type(x)
endfunction
