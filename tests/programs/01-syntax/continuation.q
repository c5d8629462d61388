a = [1, 2,
     3]
b = 1 + _
    2
c = 1 +
    2 *
    3
d = max(a[0],
        7)
print a, b, c, d
