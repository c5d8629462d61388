% Comparisons and logic on all kinds of values, sequences and literals.
print 1 == 1, 1 != 1, 1 < 2, 1 <= 1, 2 > 3, 3 >= 3, type(1 < 2)
print [1,2] == [1,3], [1,2] < 2, 2 >= [1,2], type([1,2] == 1), [1,2] == [1,2,3], [1,2] != [1,2,3], [[1,2]] == [[1],[2]]
assert(size(zeros(2,3)) == size(ones(2,3)))
try
    cu : cell = {[1,2],[1,2,3]}
    print cu[0] < cu[1]
catch e
    print e.message
endtry
type mm : enum
    P
    Q
endtype
f = x -> x
g = f
print mm.P == mm.P, mm.P != mm.Q, nullptr == nullptr, f == g, f == (x -> x), sin == sin, sin == cos
type ob : class
    a : int
endtype
o = ob(1)
o2 = ob(1)
o3 = o
print o == o2, o == o3, o != o2
function y = say(x)
    print "s", x
    y = x
endfunction
print say(0) && say(1), say(1) || say(0)
print [1,0] && [1,1], [1,0] || [0,0], ![1,0], !5, 1 && [0,3]
print say(1) ? say(10) : say(20)
print type(1 ? 1 : 2.5), 2 ? "t" : "f", 0 ? "t" : "f", 0.0 ? "t" : "f"
k = zeros(3)
parallel_do(3, k, __kernel__ (k : vec, pos : int) -> k[pos] = pos > 0 ? 1 / pos : -1)
print k
print 1..4, 1..2..6, 5..-2..0, 0..0.25..1, 5..3, type(0..3), type(0..1.0), numel(0..0.1..1), 3..3
try
    s = 0
    print 1..int(rand(1)[0]*0.5)..3
catch e
    print e.message
endtry
print [1,2,3], [[1,2],[3,4]], [[[1,2],[3,4]],[[5,6],[7,8]]], size([[[1,2],[3,4]],[[5,6],[7,8]],[[1,1],[1,1]]])
u = [1,2,3]
v = [4,5,6]
print [u, v], size([u,v]), [...u, 4, ...v], [], size([]), type([])
print {1,"x",eye(2)}, {1,{2,{3}}}, {a:=1,b:="t"}
obj = {a:=1,b:="t"}
print obj.a, obj.b
