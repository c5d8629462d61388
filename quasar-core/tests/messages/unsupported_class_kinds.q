type bird : dynamic class
%    ^ Q0001 not supported yet: classes
    name : string
endtype
type node : mutable class
%    ^ Q0001 not supported yet: classes
    value : int
    next : ^node
endtype
type stack[T] : class
%    ^ Q0001 not supported yet: classes
    items : vec[T]
endtype
type duck : bird
%    ^ Q0001 not supported yet: classes
    x : int
endtype
print 1
