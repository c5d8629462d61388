A = [[10.0,20,30]]
v = [1.0,2,3]
print v + A
print A .* v
