% Pointers start as nullptr, are followed by themselves, and are compared.
type node : mutable class
    mass : scalar
    next : ^node
endtype
n : ^node = nullptr
print n == nullptr, n != nullptr
a = node(1, nullptr)
b = node(2, a)
n = b
print n.next.mass, n == b, n.next == a, n.next.next == nullptr
try
    print n.next.next.mass
catch e
    print e.message
endtry
try
    n.next.next.mass = 3
catch e
    print e.message
endtry
x : ^node
print x
