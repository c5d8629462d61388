x = [-2.5,-1.5,0.5,1.5,2.5]
print round(x), fix(x), floor(x), ceil([0.2,1.7]), frac([1.25,-0.25])
print abs([-1,2,-3]), sign([-2.5,0,7]), type(floor(2.5))
