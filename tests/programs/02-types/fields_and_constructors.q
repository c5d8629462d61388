% Defaults of fields, values of enums, copies, arrays of objects, methods and constructors.
type p : class
    a : int
    m : mat
endtype
type q : mutable class
    a : int
    s : string
    k : kind
    v : vec3
    inner : sub
    next : ^q
endtype
type sub : mutable class
    z : scalar
endtype
type kind : enum
    A = 5
    B
    C = 1
    D
endtype
x = q()
print x
y = q(3, "t")
print y.a, y.s, y.k
z = q(v := [1,2,3], a := 4)
print z
w = copy(z)
w.inner.z = 7
w.next = z
v = copy(w)
v.next.a = 99
v.inner.z = 1
print z.a, w.inner.z
print kind.A + 0, kind.B + 0, kind.C + 0, kind.D + 0
type particles : vec[sub]
ps = particles(3)
ps[1].z = 2
print ps
ps2 = vec[sub](2)
print numel(ps2)
function [] = describe(self : sub, n : int)
    print "sub ", self.z, " ", n
endfunction
ps[1].describe(3)
function y = twice(a : scalar)
    y = 2 * a
endfunction
print (2.5).twice()
function y = sub(a : int)
    y = sub(z := a * 10)
endfunction
function y = sub(a : string)
    y = sub(z := numel(a))
endfunction
print sub(4), sub("abc"), sub(z := 1.5)
nn : ^sub = nullptr
print nn == nullptr
nn = ps[0]
print nn.z, nn == ps[0]
