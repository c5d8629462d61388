A : 'mirror = [[1,2],[3,4]]
print A[-1..2,-1..2]
B : 'circular = A
print B[-1..0,1..2]
