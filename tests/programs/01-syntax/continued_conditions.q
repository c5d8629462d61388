a = 3
b = a > 2 ?
    10 :
    20
c = a + _  % the rest is below
    1
d = a ==
    3 &&
    b != 4
m = [[1, 2],  % first row
     [3, 4]]
print b, " ", c, " ", d, " ", m[1,0]
