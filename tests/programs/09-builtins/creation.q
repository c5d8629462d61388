print zeros(3), ones(2,2), eye(2)
print linspace(1,2,5)
print repmat([1,2],[2,2])
print zeros([2,3]), size(zeros(5,4,1)), size(zeros(5,1)), size(zeros(1,4))
print eye(2)*3
