print histc([1.0,2,2,3,5],[1.0,2,3])
print sum(hist([1.0,2,3,4],2))
