print size(zeros(2,3,1)), size(zeros([1,1,4])), size(ones(1,1)), size(zeros(3,1,2))
c : cube = zeros(2,3)
print size(c), " ", ndims(c)
