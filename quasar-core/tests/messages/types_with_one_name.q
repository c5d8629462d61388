type size_of : vec
    type size_of : mat
%        ^ Q0309 there are two types with the name 'size_of'
function [] = first()
    type inner : int
    x : inner = 1
    print x
endfunction
function [] = second()
    type inner : scalar
%        ^ Q0001 not supported yet: types of one name in several functions of a module
    type size_of : cube
%        ^ Q0001 not supported yet: types of one name in several functions of a module
endfunction
first()
second()
