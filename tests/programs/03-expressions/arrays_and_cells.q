% Operators on numbers, arrays and cells; slices, gathers and masks.
print type([1,2] .^ 2), type(2.^[1,2]), " ", 2.^(1..3)
print 1 ./ [2,4], [2,4] / 2, [2,4]/[4,8]
print -[1,2], -[[1,2]]
print [[1.0],[2]]*[3.0,4]
print 0.0^0.0, (-8.0)^(1/3), " ", 5 - -3, " ", 2^-1
z = 1+2j
print z^2, " ", z .^ 2, " ", z/2, " ", [z, 1] .* [2, 1j], " ", [z,1] + 1, " ", z - z
a = {1, [1,2], {3, 4}}
print a + a, a .* 2, -a, max(a, 2), abs(-a)
try
    b = {1, 2}
    c : cell = {1, {2, 3}}
    d : cell = {1, 2, 3}
    print c + d
catch e
    print "structure"
endtry
f = x -> x
g = f
function y = h(x)
    y = x
endfunction
print 1.5 == 1, " ", "a" != "b", " ", nullptr == nullptr
print [1,2,3] >= 2, 2 >= [1,2,3], !([0,1]), ([1,0] && 1), (0 || [1,0])
print [[1,2]] == [[1,2,3]], " ", [[1,2]] == [1,2]
print 10..-3..0, 0..0.5..2, 3..3, 1..0, 0..-1..-2
print {1, "x", eye(2)}, {{1},{2,"b"}}
A = reshape(0..23, [2,3,4])
print A[1], size(A[1]), A[1,2], size(A[1,2])
print size(A[0..0,:,:]), size(A[:,0..0,0]), size(A[0,:,1..1]), size(A[:,:,0..1])
B = reshape(0..11, [3,4])
print B[[0,2],1], B[1,[3,0]], B[[2,0],[1,1]]
print B[1..2][0,:]
v = 0..9
print v[9..-4..0], v[:], v[[1,1]]
v[0..2] = 7
v[[3,5]] = [1,2]
print v
B[0,:] = [[9],[9],[9],[9]]
B[1..2,0] = [5,6]
B[:,1] = [[1],[2],[3]]
print B
C = zeros(2,2,2)
C[:,:,1] = [[1,2],[3,4]]
C[1,:,0] = [8,9]
print C
m = B > 5
print type(m), sum(m)
print B
x = [3.5,-2.5,1.2]
x[x > 0] = floor(x[x > 0])
print x
x[x < 0] = [7]
print x
try
    x[x > 100] = [1,2]
catch e
    print e.message
endtry
s = 4.5
print s[0], s[0,0]
print median([3,1,2]), median([[3,1],[2,5]])
