x = 5
old = (x <- 7)
print old, x
old = (x <- (9, 7))
print old, x
old = (x <- (1, 5))
print old, x
v = [1, 2, 3]
old = (v[1] <- 7)
print old, " ", v
old = (v[1] <- (9, 7))
print old, " ", v
old = (v[1] <- (5, 7))
print old, " ", v
(v[0] <- v[2])
print v
m = [[1.5, 2.5], [3.5, 4.5]]
old = (m[1,0] <- 7)
print old, " ", m
