x = 1
print x + 1
x = "one"
print x + "!"
x = [1.0,2]
print x
