print [1,2,3], [[1,2],[3,4]]
u = [1,2]
v = [3,4]
print [u, v]
print [...u, 9, ...v]
print [], " ", numel([])
