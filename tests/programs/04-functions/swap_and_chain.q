a = 1
b = 2
[a, b] = [b, a]
print a, b
c = d = 7
print c, d
[h, w] = size(zeros(3,5))
print h, " ", w
