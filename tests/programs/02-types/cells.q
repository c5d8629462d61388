c = {1, "x", [1,2]}
print c, " ", numel(c)
print c[0], " ", c[1], " ", c[2]
[a, _, b] = c
print a, b
