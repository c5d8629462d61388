% What may be used as what: fewer dimensions, known sizes, derived classes, functions for devices, members of type classes.
function [] = asmat(m : mat)
    print size(m)
endfunction
function [] = ascube(m : cube)
    print size(m)
endfunction
function [] = as4(m : cube{4})
    print size(m)
endfunction
function [] = asany(m : cube{:})
    print size(m)
endfunction
v = [1.0,2,3]
asmat(v)
ascube(v)
as4(v)
asany(v)
m = [[1.0,2],[3,4]]
ascube(m)
as4(m)
as4(zeros(2,2,2))
asany(zeros(2,2,2,2,2))
print type(v,"mat"), type(m,"cube"), type(m,"cube{:}"), type(m,"vec"), type([1,2],"imat")
print type([1.0,2,3],"vec"), type(zeros(2,3),"mat(:,3)"), type(zeros(2,3),"mat(2,3)")
print type({1,"a"},"vec[??]"), type([1.0],"vec[??]"), type([1],"vec")
x : vec = [1,2]
print type(x)
type base : mutable class
    a : int
endtype
type derived : base
    b : int
endtype
d = derived(1,2)
e : base = d
p : ^base = d
q : ^base = nullptr
print type(d,"base"), e
f = __device__ (x : scalar) -> x + 1
g = (x : scalar) -> x + 1
type num : [int|scalar]
r : 'circular'const = [1,2]
print type(r,"ivec")
% contravariant
