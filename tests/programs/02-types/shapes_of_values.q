% How many dimensions a value has: sizes, trailing and leading extents of 1, declared dimensions.
print size([1,2,3]), size(zeros(2,3)), size(zeros(2,3),5), size([1,2],1), ndims(5), size(5)
print size(zeros(5,4,1)), size(zeros(5,1)), size(zeros(1,4)), size(zeros(5,1,1)), size(zeros(2,3,1,1)), size(zeros(2,1,3,1))
print size(zeros([1,1,4])), type(zeros([1,1,4])), size(zeros([1,5])), size(zeros([5,1]))
s = [1,1,4]
s[0] = int(rand(1)[0])+1
print size(zeros(s))
c : cube = zeros(5,4,1)
print size(c)
k : cube = zeros(3)
print size(k)
function y : cube = fc(x : mat)
    y = x
endfunction
print size(fc(zeros(2,2)))
