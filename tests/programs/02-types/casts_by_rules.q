% Programs say what `cast` does; functions without declared sizes of results; `'static` says what holds anyway; arrays in objects.
type celsius : class
    degrees : scalar
endtype
reduction (x : celsius) -> cast(x, scalar) = x.degrees + 273.15
reduction (x : int) -> cast(x, string) = "number " + string(x)
print cast(celsius(1), scalar), " ", cast(7, string), " ", cast(2.9, int)
function y : mat = __device__ both(a : scalar)
    y = [[a, a], [2*a, 3]]
endfunction
function [] = __kernel__ k(r : vec, pos : int)
    m = both(pos)
    r[pos] = sum(m) + m[1,1]
endfunction
r = zeros(3)
parallel_do(3, r, k)
print r
w : vec'static = [1,2]
w[0] = 3
n : 'static = 4
print w, n, type(w)
type box : mutable class
    data : mat
    cells : cell
    name : string
endtype
m = zeros(1,2)
a = box(m, {1, "x"}, "a")
b = copy(a)
c = box(m, a.cells, "c")
a.data[0,1] = 7
a.cells[0] = 5
print c.data, c.cells, " ", b.name
