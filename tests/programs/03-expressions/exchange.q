x = 5
old = (x <- 7)
print old, x
old = (x <- (9, 7))
print old, x
old = (x <- (1, 5))
print old, x
