function [] = brighten(x : mat[uint8])
    y = x + 10
%       ^ Q0326 arithmetic on 'mat[uint8]' needs the module 'inttypes.q' write `import "inttypes.q"` at the beginning
    x += 1
%   ^ Q0326 arithmetic on 'mat[uint8]' needs
    z = -x
%       ^ Q0326 arithmetic on 'mat[uint8]' needs
    a = x[0,0] + 10
    x[0,0] += 1
    b = size(x) + [1, 2]
endfunction
