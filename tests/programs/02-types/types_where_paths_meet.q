% What is known of a variable where paths meet, and of values whose type only the run shows.
function [] = __kernel__ k(x : vec'nocopy, y : mat'hwtex_const, z : vec'hwconst'clamped, w : vec'const, pos : int)
    x[pos] = y[0,pos] + z[pos + 7] + w[pos]
endfunction
x = zeros(2)
parallel_do(2, x, [[1.0,2]], [3.0,4], [5.0,6], k)
print x
s : string = "abc"
print s
t = 5
t = "x"
print t
if numel(t) > 0
    u = 1
else
    u = 2.5
endif
print type(u)
if numel(t) > 5
    q = zeros(3)
else
    q = zeros(2,2)
endif
print type(q)
if numel(t) > 5
    q2 = zeros(3)
else
    q2 = zeros(2)
endif
print type(q2), size(q2)
a : cube{:} = zeros(2)
print type(a, "vec"), ndims(a)
c : cell = {1,"x"}
d : int = c[0]
print d
e : vec[??] = [1,2]
print e
assert(type(d, "int"))
print (d : int) + 1
try
    f : string = c[0]
catch ex
    print ex.message
endtry
print type(c[1], "string")
mm : vec3 = [1,2,3]
for i = 0..2
    mm[i] += i
endfor
print mm
