% Array statements one after the other, as they are written in NumPy or MATLAB.
function [mag : mat, ang : mat] = polar(gx : mat, gy : mat)
    mag = sqrt(gx.^2 + gy.^2)
    ang = atan2(gy, gx)
endfunction
function [u : mat, v : mat] = gray_scott(u0 : mat, v0 : mat, f : scalar, k : scalar)
    r = u0 .* v0 .* v0
    u = u0 - r + f * (1 - u0)
    v = v0 + r - (f + k) * v0
endfunction
function y : mat = swish(x : mat)
    e = exp(-x)
    y = x ./ (1 + e) + e
endfunction
function [p : mat, m : mat, v : mat] = adam(p0 : mat, m0 : mat, v0 : mat, g : mat)
    m = 0.9*m0 + 0.1*g
    v = 0.999*v0 + 0.001*(g .* g)
    p = p0 - 0.001 * m ./ (sqrt(v) + 1e-8)
endfunction
function [s : scalar, q : scalar, top : scalar] = moments(x : mat)
    s = mean(x)
    q = mean(x.^2)
    top = max(x)
endfunction
function [y : mat, s : scalar] = relu_sum(x : mat)
    y = max(x, 0)
    s = sum(y)
endfunction
function y : mat = split(x : mat)
    h = int(size(x,0)/2)
    y = uninit(2*h, size(x,1))
    y[0..h-1,:] = x[0..h-1,:] + x[h..2*h-1,:]
    y[h..2*h-1,:] = x[0..h-1,:] - x[h..2*h-1,:]
endfunction
function y : mat = clamp_twice(x : mat)
    y = copy(x)
    y[y > 0.8] = 0.8
    y[y < 0.2] = 0.2
endfunction
