% Modifiers of variables: boundary modes, what does not fit, constants; conversions that lose something.
function r = f(a : vec'const)
    r = sum(a)
endfunction
print f([1,2])
b : 'const = 3
A : 'circular = [1,2,3]
B = A
C : vec'unchecked = A
print B[-1]
D : int'sat = 3000000000.0
print D
E8 : mat[uint8'sat] = zeros[uint8](1,2)
E8[0,0] = 300
E8[0,1] = -4.2
print E8
E8 = zeros[uint8](1,2)
n : int8'unchecked = 200
print n
n += 100
print n
m : uint8 = 250
try
    m += 10
    print m
catch e
    print e.message
endtry
v = zeros[uint8](2)
try
    v[0] = -1
catch e
    print e.message
endtry
k = 7
k = k / 2
print k, type(k)
print int(nan), int(2.9), int(-2.9), int([1.5,-1.5])
print float([1,2]), type(float(1))
try
    g : ivec = [1.5, 3e10]
    print g
catch e
    print e.message
endtry
