v = [3,0,5,0]
print find(v > 0)
print find(v > 0)[:,1]
print unique([3.0,1,3,2,1])
