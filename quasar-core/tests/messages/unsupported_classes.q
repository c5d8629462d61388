type point : class
%    ^ Q0001 not supported yet: classes
    x : scalar
    y : scalar
endtype
p = point(x:=1, y:=2)
print p.x
