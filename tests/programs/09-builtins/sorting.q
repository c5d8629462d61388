[y, idx] = sort([3,1,2])
print y, idx, sort([[3.0,1],[2,5]], 1)
print unique([3,1,3,2]), sort([2.5,-1])
