seed(7)
a = rand(100)
seed(7)
b = rand(100)
print sum(abs(a - b)), " ", min(a) >= 0, " ", max(a) < 1, " ", max(a) > 0.8, " ", min(a) < 0.2
x = randn(1000)
print abs(mean(x)) < 0.2, " ", abs(std(x) - 1) < 0.2, " ", size(rand(2,3))
k = randi(6, 200)
print min(k) >= 0, " ", max(k) <= 6, " ", max(k) > min(k)
