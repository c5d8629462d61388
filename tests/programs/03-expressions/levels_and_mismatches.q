% How neighbouring operators group, what does not combine, the ends of sequences, and indices of numbers.
v = [1,2,3]
print v[1]^2, " ", 2^v[1], " ", -v[1]^2, " ", (2.0).^3.^2, " ", - -1, !-1, !!3
print 3 > 2 > 1, " ", 1 == 2 == 0, " ", 1 != 2 == 1, " ", 8/4*2, " ", 8 ./ 4 .* 2, " ", 5-3+1, " ", 2*3..7
print 1..2 == [1,2], " ", 1..2 < 2, " ", 0 && 1 || 1, " ", 1 || 1 && 0
a = 5
a += b = 2
print a, b
g = x -> y -> x < y && x != 3 ? 1 : 2
print g(1)(2), g(3)(4)
print 7/2, " ", [2,4]/2, " ", 2 .* 3, " ", 7 ./ 2, " ", 2 .^ 3
function y : mat = mk(n : int, k : int)
    y = ones(n,k)
endfunction
function y : vec = mv(n : int)
    y = ones(n)
endfunction
function [] = attempt(f)
    try
        print f()
    catch e
        print e.message
    endtry
endfunction
attempt(() -> mk(3,1) + mk(1,4))
attempt(() -> mk(3,1) + mv(3))
attempt(() -> mk(2,3) - mv(3))
attempt(() -> mk(1,3) + mv(3))
attempt(() -> mk(3,4) .* mk(3,5))
attempt(() -> mv(2) / mv(3))
attempt(() -> mk(2,3) * mv(2))
attempt(() -> mv(3) * mk(2,3))
function [] = refused()
    try
        print mk(2,3) ^ 2
    catch
        print "a matrix that is not square has no powers"
    endtry
endfunction
refused()
attempt(() -> mk(2,2) < mk(2,3))
print sum(mk(2,2) == mk(2,3)), sum(mk(2,2) != mk(2,3)), sum(mk(2,2) == mk(2,2))
attempt(() -> numel(0..1..2-0.0000002))
attempt(() -> numel(0..1..1.9999))
attempt(() -> numel(0..2..5))
n = 0
for i = 0..2000000000
    n += 1
    if i == 3
        break
    endif
endfor
print n
% A number has one element, at zeros only.
function y = at(s : scalar, k : int)
    y = s[k]
endfunction
function y = pair(s : scalar, i : int, k : int)
    y = s[i, k]
endfunction
attempt(() -> at(5, 0))
attempt(() -> at(5, 1))
attempt(() -> at(5, -1))
attempt(() -> pair(5, 0, 0))
attempt(() -> pair(5, 0, 1))
m = median([3,1,2])
print m[0]
% What is assigned to a part has its elements, with extents other than 1 in the same order; nothing grows.
function [] = put(B : mat, C : mat)
    try
        B[0..1,0..2] = C
        print B
    catch e
        print e.message
    endtry
endfunction
put(zeros(2,3), mk(2,3))
put(zeros(2,3), mk(3,2))
put(zeros(3,3), mk(6,1))
w = [1,2,3]
w[0,2] = 9
print w
function [] = row_two(w : vec, i : int)
    try
        w[i,0] = 1
        print w
    catch e
        print e.message
    endtry
endfunction
row_two([1,2], 0)
row_two([1,2], 1)
% A compound assignment that changes the shape or the type of the elements makes another array.
M = [[1.0,2],[3,4]]
N = M
M *= [1.0,1]
print M, N
P = N
P *= [[1.0,1],[1,1]]
print P, N
C = [1,2,3]
D = C
C *= 2
print D
