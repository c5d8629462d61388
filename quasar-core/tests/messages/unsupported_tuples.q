t = {1, "x", [1,2]}
    t[0] = 2
%   ^ Q0001 not supported yet: replacing an element of a cell whose elements have different types
    t[1] += "y"
%   ^ Q0001 not supported yet: replacing an element of a cell whose elements have different types
print t
