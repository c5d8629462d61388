print transpose([1,2,3])
print transpose([[1],[2]])
print size(transpose(zeros(2,5))), size(shuffledims(zeros(2,3,4),[2,0,1])), size(squeeze(zeros(1,3,1,4))), squeeze([[7]])
