value = 1
Value = 2
VALUE_3 = 3
__hidden = 4
opt__x = 5
print value, Value, VALUE_3, __hidden, opt__x
