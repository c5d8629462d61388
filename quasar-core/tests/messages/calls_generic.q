function y = make[T](n : int)
    y = zeros[T](n)
endfunction
function y = diagonal[N](A : mat(N,N))
    y = A[0,0]
endfunction
function y = doubled[N](x : vec(2*N))
    y = x[0]
endfunction
function [] = main()
    print make(3)
%         ^ Q0324 parameter 'T' of 'make' cannot be determined from the arguments; give it as in make[..](..)
    print diagonal(zeros(2,3))
%                  ^ Q0324 argument 'A' of 'diagonal' has the type 'mat(2,3)', which fits its declared type for no value of the type parameters
    print doubled([1.0,2,3])
%                 ^ Q0324 argument 'x' of 'doubled' has the type 'vec(3)', which fits its declared type for no value of the type parameters
endfunction
