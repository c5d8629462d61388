% What can be done with values whose type is known when the program runs.
c : cell = {3, 2.5, "abc", [1,2,3], [[1,2],[3,4]], {4, "y"}, complex(1, 2)}
% Arithmetic of every kind, also with values of known type on either side.
print c[0] + 1, " ", c[0] - c[1], " ", 2 * c[1], " ", c[0] / 2, " ", c[1]^2, " ", 2^c[0], " ", -c[0]
print c[3] + 1, " ", c[3] .* c[3], " ", c[3] ./ 2, " ", 2 .^ c[3], " ", -c[3]
print c[4] * c[4], " ", c[4] * c[3][0..1], " ", c[4] * c[0]
print c[2] + "d", " ", "d" + c[2], " ", c[2] + c[0], " ", c[6] * c[6]
% Comparisons and logic.
print c[0] < 4, c[0] <= c[1], c[0] > c[1], c[0] >= 3, c[0] == 3, c[0] != 3, c[2] == "abc", c[2] != "abc"
print c[3] < 3, " ", c[3] == [1,2,3], " ", !c[0], " ", c[0] && 0, " ", c[0] || 0
if c[0] > c[1]
    print "greater"
endif
n = 0
while n < c[0]
    n += 1
endwhile
print n, " ", c[0] > 2 ? c[1] : c[2]
% Elements, slices, sizes; loops.
print c[3][1], " ", c[3][0..1], " ", c[4][1,0], " ", c[4][0,:], " ", c[4][:,1], " ", c[5][1], " ", c[2][1]
print size(c[4]), " ", size(c[4], 1), " ", numel(c[3]), " ", ndims(c[4]), " ", numel(c[2])
c[3][1] = 9
c[4][1,:] = c[3][0..1]
c[4][0,0] += 10
print c[3], " ", c[4]
for v = c[3]
    print v, " ", v + 1
endfor
for i = 0..c[0]
    print i
endfor
m = zeros(2, 3)
m[c[0] - 2, 0] = c[1]
m[0, :] = c[3]
print m
% Library functions and calls.
print sum(c[3]), " ", max(c[4]), " ", abs(-c[1]), " ", sqrt(c[0] + 1), " ", mod(c[0], 2), " ", transpose(c[4])
print int(c[1]), " ", float(c[0]), " ", real(c[6]), " ", [c[0], c[1]], " ", {c[0], c[2]}
function y = twice(x)
    y = x + x
endfunction
function y : scalar = half(x : scalar)
    y = x / 2
endfunction
print twice(c[0]), " ", twice(c[3]), " ", twice(c[2]), " ", half(c[0])
% Into variables that have types, and type tests.
a : int = c[0]
b : vec = c[3] * 1.0
s : string = c[2]
print a + 1, " ", b[0..1], " ", s + "!"
for k = 0..6
    print type(c[k], "int"), type(c[k], "scalar"), type(c[k], "string"), type(c[k], "ivec"), type(c[k], "vec[??]"), type(c[k], "imat(2,2)"), type(c[k], "cscalar"), " "
endfor
% What does not fit is an error that can be caught.
for k = 0..3
    try
        match k with
        | 0 -> print c[2] - 1
        | 1 -> print c[3] + [1,2]
        | 2 -> print c[3][5]
        | 3 -> wrong : int = c[2]
        endmatch
    catch e : qsizeexception
        print "size"
    catch e : qindexexception
        print "index"
    catch e : qtypeexception
        print "type"
    endtry
endfor
% A number on the left of && and || may decide alone.
function y = told(x)
    print "told ", x
    y = x
endfunction
zero : cell = {0, 1, [1,0]}
print zero[0] && told(1), zero[1] || told(2), zero[1] && told(3), zero[0] || told([1,0]), zero[2] && told([1,1])
k = 5
if k < numel(zero) && zero[k] > 0
    print "never"
endif
print zero[0] && zero[7]
