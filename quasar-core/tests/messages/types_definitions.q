type pair : vecc(2)
%           ^ Q0201 unknown type 'vecc'
type loop : loop
%           ^ Q0301 this type is defined by itself
type shade : enum
    Dark
    Light = 5
endtype
a : shade = 3
%           ^ Q0310 expected 'shade', found 'int'
b = shade.Grey
%         ^ Q0201 enum 'shade' has no member 'Grey'
c : vec(2,3) = [1,2]
%   ^ Q0305 expected 1 sizes, found 2
d : cube{17} = [1]
%   ^ Q0305 arrays have between 1 and 16 dimensions
e : mat[int, int] = [1]
%   ^ Q0306 'mat' takes one element type
p : pair = [1,2]
q : loop = 1
print a, b, c, d, e, p, q
