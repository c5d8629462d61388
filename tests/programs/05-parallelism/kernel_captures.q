gain = 3.0
shift : vec(2) = [10,20]
table = [5.0,6,7]
y = zeros(3,2)
parallel_do(size(y), __kernel__ (pos : ivec2) -> y[pos] = gain*table[pos[0]] + shift[pos[1]])
print y
