% single: prints types of single precision
% Arrays of every kind of element, and the names of integer and complex arrays.
type pt : mutable class
    x : int
endtype
a : vec[scalar'half] = [1.5, 2]
b : vec[int64] = zeros[int64](2)
c : vec[string] = {"a", "b"}
d : vec[pt] = vec[pt](2)
e : vec[^pt] = vec[^pt](2)
f : vec[vec] = {[1.0,2],[3.0]}
g : vec[[scalar -> scalar]] = {x -> x + 1, x -> x * 2}
h : vec[??] = {1, "a"}
i : cube{1}[int] = [1,2]
j : cube{16} = zeros(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2)
k : mat[cscalar'double] = [[1j]]
l : cube{:}[int] = [[1,2]]
print type(a), " ", type(b), " ", type(c), " ", type(d), " ", type(e), " ", type(f), " ", type(h), " ", type(i), " ", type(k), " ", type(l)
print g[1](4), " ", ndims(j), " ", e[0] == nullptr
m : icube{5} = zeros[int](1,1,1,1,2)
o : cmat = [[1j]]
q : imat = [[1]]
print type(m), type(o), type(q), type(j)
print type(zeros[int](2,2,2), "cube"), type(zeros(2,2,2), "cube[??]"), type(zeros[int](2,2,2),"cube[??]")
