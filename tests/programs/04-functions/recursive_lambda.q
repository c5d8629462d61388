fact : [int -> int] = n -> n < 2 ? 1 : n*fact(n - 1)
print fact(5)
