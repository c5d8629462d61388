% An array literal is an array, also where the types of its elements are known when the program runs.
c : cell = {2, 3.5, "a", [1,2], [3.5,4.5], [[1,2],[3,4]], complex(0,1), {5,6}}
o = object()
o.a = 1
o.b = 2.5
o.v = [7,8,9]
print [c[0], c[1]], " ", type([c[0], 1]), " ", numel([c[0], c[1]]), " ", sum([o.a, o.b, 4]), " ", [c[0], c[6]]
print [c[3], c[4]], " ", size([c[5], c[5]]), " ", [[c[0], c[0]], [c[1], 0]]
print [...o.v, 4], " ", [o.a, ...o.v, ...c[7]], " ", numel([...c[3], ...o.v]), " ", [c[2], "b"]
print [o.a, o.b] * 2, " ", [o.a, o.b] .* [c[0], c[1]], " ", max([o.a, o.b, c[1]]), " ", [o.a, o.b][1]
m = [[o.a, 0], [0, o.b]]
print m * [c[0], c[1]], " ", transpose(m)
[p, q] = [o.b, o.a]
print p, " ", q, " ", size(zeros([c[0], 3])), " ", ones([o.a, c[0]])
for k = [o.a, o.b]
    print k
endfor
function [] = attempt(f)
    try
        print f()
    catch e
        print e.message
    endtry
endfunction
attempt(() -> [c[0], c[2]])
attempt(() -> [c[0], c[3]])
attempt(() -> [c[3], o.v])
attempt(() -> [...c[5], 1])
attempt(() -> [o, 1])
