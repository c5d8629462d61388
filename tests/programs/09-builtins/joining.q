print vertcat([[1,2]],[[3,4],[5,6]])
print horzcat([[1],[2]],[[3,4],[5,6]])
print horzcat([1],[2,3]), cat(0,[[1,2]],[[3,4]])
