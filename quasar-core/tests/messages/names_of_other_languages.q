function y : scalar = scaled(x : scalar, factor : scalar = 2, offset : scalar = 0)
    y = x * factor + offset
endfunction
function [] = main()
    v = [1.5,2,3]
    disp(v)
%   ^ Q0201 unknown name 'disp' here it is written 'print'
    n = length(v)
%       ^ Q0201 unknown name 'length' here it is written 'numel'
    t = True
%       ^ Q0201 unknown name 'True' here it is written 'true'
    p = null
%       ^ Q0201 unknown name 'null' here it is written 'nullptr'
    i = threadIdx
%       ^ Q0201 unknown name 'threadIdx' here it is written 'blkpos'
    __syncthreads()
%   ^ Q0201 unknown name '__syncthreads' here it is written 'syncthreads'
    a : float = 3
%       ^ Q0201 unknown type 'float' here it is written 'scalar'single'
    b : double = 3
%       ^ Q0201 unknown type 'double' here it is written 'scalar'double'
    c : bool = 1
%       ^ Q0201 unknown type 'bool' here it is written 'int'
    d = v.length
%         ^ Q0312 a value of type 'vec(3)' has no field 'length' here it is written 'numel(..)'
    e = v.T
%         ^ Q0312 a value of type 'vec(3)' has no field 'T' here it is written 'transpose(..)'
    f = v.y
%         ^ Q0312 a value of type 'vec(3)' has no field 'y' here it is written '[1]'
    g = v(:)
%       ^ Q0201 unknown type 'v' elements of an array are written with brackets: 'v[..]'
    h = sum(v, axis = 0)
%              ^ Q0335 this assigns the variable 'axis' and passes its value by position this function has no named parameters: leave out 'axis ='
    k = scaled(3, offset = 1)
%                 ^ Q0335 this assigns the variable 'offset' and passes its value by position write 'offset := ..' to name the parameter
    l = scaled(3, other = 1)
    print n, t, p, i, a, b, c, d, e, f, g, h, k, l
endfunction
