% Device functions of another module in a kernel and in a loop that becomes one.
import "system.q"
function [] = __kernel__ windowed(y : vec, n : scalar, pos : int)
    y[pos] = sinc(pos / n) * lerp(1.0, 0.5, pos / n)
endfunction
y = zeros(5)
parallel_do(5, y, 4, windowed)
print abs(round(1000 * y))
z = zeros(5)
for k = 0..4
    z[k] = sinc(k / 4)
endfor
print abs(round(1000 * z))
