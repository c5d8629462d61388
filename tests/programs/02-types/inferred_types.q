% single: prints numbers of single precision
% What is inferred: literals, creation, sizes through operations, calls, joins, annotations and modifiers.
print type([1,2]), " ", type([1,2.0]), " ", type([1,2j]), " ", type([[1,2],[3,4]]), " ", type([[[1,2],[3,4]],[[1,2],[3,4]]]), " ", type([[1.0,2],[3,4]])
print type(0..3), " ", type(0..2..6), " ", type(0.0..3), " ", type(1..0.5..3)
n = int(rand(1)[0]) + 3
print type(0..n), " ", type(0..n+0.5)
print type({1,2}), " ", type({1,"a"}), " ", type({[1],[2]}), " ", type({1,2.5})
print type(zeros(3,3)), " ", type(zeros(n,3)), " ", type(zeros(n))
function [] = sz(s : ivec2)
    print type(zeros(s)), " ", type(uninit(s)), " ", type(ones(s))
endfunction
sz([2,3])
print type(size(zeros(2,3))), " ", type(size(zeros(2,3),0)), " ", type(size(zeros(2,2,2)))
A = zeros(2,3)
print type(A[0,:]), " ", type(A[:,0]), " ", type(transpose(A)), " ", type(repmat(A,[2,2])), " ", type(reshape(A,[3,2])), " ", type(shuffledims(A,[1,0])), " ", type(A+1), " ", type(A*zeros(3,4)), " ", type(sum(A,0)), " ", type(cumsum(A,1))
m = n
r = m + (-2..2)
print type(r), numel(r)
function y : vec3 = decl(x)
    y = [x,x,x]
endfunction
print type(decl(1))
function y = recon(x)
    y = x + x
endfunction
print type(recon(1)), type(recon(1.5)), type(recon([1,2])), type(recon("a"))
v = rand(3)
B : vec = v
if n > 2
    q = 1
else
    q = 2.5
endif
print type(q)
if n > 2
    q1 = [1.0,2]
else
    q1 = zeros(2,2)
endif
print type(q1)
if n > 2
    q2 = [1.0,2]
else
    q2 = [1.0,2,3]
endif
print type(q2)
if n > 2
    q3 = [1.0,2]
else
    q3 = 3
endif
print q3
function y = load2()
    y = {zeros(1,1,1)*1j, [1.0,2]}
endfunction
function [a,b] = load3()
    a = czeros(1,1,2)
    b = [1.0,2]
endfunction
[C : ccube, D : vec] = load3()
print size(C), D
gain : 'const = 2.5
print type(gain), gain
w = zeros(2)
parallel_do(2, w, __kernel__ (w : vec, pos : int) -> w[pos] = gain)
print w
uu : ?? = 5
print uu + 1, type(uu)
print type(vec[vec[int]](2)), " ", type({x -> x}), " ", type(zeros(2,2,3))
g : cell = {1,2}
try
   print (g[0] : cube)
catch e
   print e.message
endtry
print (3 : int) + 1
x = 1
x = "a"
x = [1,2]
print x
