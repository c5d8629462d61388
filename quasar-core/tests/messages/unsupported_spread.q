function y = total(a, b = 2)
    y = a + b
endfunction
function v = counted(n : int)
    v = 1..n
endfunction
print total(...[1,2])
print total(...counted(2))
%              ^ Q0001 not supported yet: spreading a vector of unknown length into a call
print total(...{3,4})
print max(...counted(2))
%            ^ Q0001 not supported yet: spreading a vector of unknown length into a call
function n = several(first, ...rest)
    n = numel(rest)
endfunction
print several(...counted(2))
%                ^ Q0001 not supported yet: spreading a vector of unknown length into a call
print several(1, ...counted(2))
function [] = __kernel__ k(x : mat, v : ivec, pos : int)
    x[0, ...v] = 1
%           ^ Q0316 the length of a vector spread among indices must be known
endfunction
x = zeros(2,2)
x[...counted(2), ...counted(1)] = 1
%    ^ Q0316 the length of a vector spread among indices must be known
parallel_do(1, x, counted(1), k)
