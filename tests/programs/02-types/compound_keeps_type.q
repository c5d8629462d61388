s = 0
s = s + 0.5
print s, " ", type(s)
t = 0.0
t += 1
print t, " ", type(t)
