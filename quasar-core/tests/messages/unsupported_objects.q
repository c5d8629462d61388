o = {a:=1, b:="t"}
%   ^ Q0001 not supported yet: objects
print o.a
q = object()
%   ^ Q0001 not supported yet: the library function 'object'
