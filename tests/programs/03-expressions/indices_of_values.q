% An index whose type is known when the program runs: a number, a vector, a position or a mask.
o = object()
o.k = 1
o.list = [2,0,2]
o.at = [1,2]
o.none = zeros(0)
x = [10,20,30]
A = [[1,2,3],[4,5,6]]
print x[o.k], " ", x[o.list], " ", A[o.k, o.list], " ", A[o.at], " ", A[o.k], " ", A[:, o.k], " ", x[o.none]
c : cell = {x, A, 2, [0,1], "text", {7,8,9}}
print c[0][o.k], " ", c[0][o.list], " ", c[1][o.at], " ", c[1][c[3], c[2]], " ", c[4][o.k], " ", c[5][o.list], " ", x[c[2]]
x[o.list] = 5
A[o.k, c[3]] = [8,9]
A[o.at] += 100
print x, " ", A
x[o.k] = c[2]
x[c[3]] += 1
c[0][o.k] -= 0.5
print x, " ", c[0]
b : vec[uint8'sat] = [1,2,3]
b[o.k] = 300
print b
% Comparisons of such values are masks.
o.w = [1.5,-2.5,3.5,-4.5]
w = o.w
w[w < 0] = 0
print w, " ", o.w[o.w > 1], " ", c[1][c[1] > 4]
o.w[o.w > 1 && o.w < 3] = [20]
o.w[!(o.w == 3.5)] *= 2
print o.w
o.mask = x > 4
print x[o.mask], " ", x[!o.mask], " ", sum(o.mask)
x[o.mask] = [3,4]
c[1][c[1] > 100] = -1
print x, " ", c[1]
p = {A > 5, A == 1}
A[p[0]] = 0
print A, " ", A[p[1]]
function [] = attempt(f)
    try
        print f()
    catch e
        print e.message
    endtry
endfunction
attempt(() -> x[c[4]])
attempt(() -> x[o])
attempt(() -> x[o.list + 1])
attempt(() -> A[o.mask])
attempt(() -> o.w > 0 ? 1 : 2)
attempt(() -> o.k > 0 ? 1 : 2)
