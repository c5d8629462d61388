import "imfilter.q"
x = [[1.0,2],[3,4]]
print bound_extension(x, 1, 1, "zero")
print bound_extension(x, 0, 1, "clamped")
print round(mean_filter(ones(3,3), 1))
print abs(sum(gaussian_filter(ones(4,4), 1.0, 3)) - 16) < 1e-3
print separable_filter(x, [0.0,1,0], [1.0,1,0], "zero")
