f : [scalar -> scalar]
print f(2.0)
%     ^ Q0202 'f' is read here before it is assigned
x : imat
print x
%     ^ Q0202 'x' is read here before it is assigned
x = [[1, 2], [3, 4]]
print x
g : [scalar -> scalar]
g = x -> "text"
%        ^ Q0310 expected 'scalar', found 'string'
