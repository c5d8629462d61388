function y = total(a, b)
    y = a + b
endfunction
function v = counted(n : int)
    v = 1..n
endfunction
print total(...[1,2])
print total(...counted(2))
%              ^ Q0001 not supported yet: spreading a vector of unknown length into a call
print total(...{3,4})
function n = several(first, ...rest)
    n = numel(rest)
endfunction
print several(...counted(2))
%                ^ Q0001 not supported yet: spreading a vector of unknown length into a call
print several(1, ...counted(2))
