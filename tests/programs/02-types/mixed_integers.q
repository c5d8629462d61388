% Integers of 64 bits stay so; where signed and unsigned ones meet, the result is signed.
a : int64 = 5
b : uint64 = 7
c : uint8 = 200
print type(a + b), " ", type(a + c), " ", type(c + c), " ", type(b + 1)
print a - b, " ", c + c, " ", a * b
