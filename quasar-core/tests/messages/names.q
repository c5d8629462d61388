function [] = main()
    x = szie([1, 2])
%       ^^^^ Q0201 did you mean 'size'?
    y = [1, 2, 3] * eye(4)
%       ^^^^^^^^^^^^^^^^^^ Q0311 Matrix dimensions (1x3 and 4x4) do not match for multiplication!
    a = zeros(3, 4) + zeros(3, 5)
%       ^ Q0311 Dimensions do not match: 3x4 and 3x5
    n = 0
    n += 1.5
%        ^^^ Q0314 implicit conversion from 'scalar' to 'int'
    c : 'const = 2
    c = 3
%   ^ Q0204 'const
    u = [1, 2] * [3, 4]
%       ^ Q0311 dotprod
    z = undefined_thing
%       ^ Q0201 unknown name
    print x, y, a, n, c, u, z
endfunction
