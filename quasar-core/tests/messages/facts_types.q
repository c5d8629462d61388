% Assertions on types narrow a variable; sizes that an assertion gives belong to the type behind it.
function y = f(x)
    assert(type(x, "cube[cube]"))
%          ^ Q0603 'x' is now assumed to be of type 'cube[cube]'.
    y = numel(x)
    assert(type(x, "int"))
%          ^ Q0601 Assertion 'type(x, "int")' is contradictory with what is known here
endfunction
function y = g(x : mat, v : vec)
    assert(size(x) == [2, 3] && numel(v) == 4)
    y = x * eye(4)
%       ^ Q0311 Matrix dimensions (2x3 and 4x4) do not match for multiplication!
    y = v + x[0,:]
%       ^ Q0311 
    x = zeros(4, 4)
    y = x * eye(4)
endfunction
c = {zeros(2,2,2), zeros(2,2,2)}
z = f(c)
z = g(zeros(2,3), [1,2,3,4.5])
