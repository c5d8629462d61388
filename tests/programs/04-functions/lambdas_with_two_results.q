swap : [(int, int) -> (int, int)] = (a, b) -> {b, a}
[x, y] = swap(1, 2)
print x, y
