function y = first[T, U](x : vec[T])
%                     ^ Q0334 the type parameter 'U' is not used
    y = x[0]
endfunction
function y = zero[T]()
    y = zeros[T](2)
endfunction
print first[int,int]([1,2])
print zero[int]()
