% tomography.q and contrast.q: projections and back, and histograms; the values are those of scikit-image (`transform.radon`,
% `transform.iradon`) and OpenCV (`equalizeHist`, `createCLAHE`).
import "tomography.q"
import "contrast.q"
function x : mat = disc(n : int, cy : int, cx : int, r : int)
    x = zeros(n, n)
    for i = 0..n-1
        for j = 0..n-1
            x[i,j] = (i-cy)^2 + (j-cx)^2 <= r*r ? 1.0 : 0.0
        endfor
    endfor
endfunction
% No value is near a boundary of rounding.
function [] = show(x : mat)
    {!serial for}
    for m = 0..size(x,0)-1
        line = ""
        {!serial for}
        for n = 0..size(x,1)-1
            line = line + sprintf("%8.2f", x[m,n] + 0.00064)
        endfor
        print line
    endfor
endfunction

angles = (0..6)*pi/7
p = radon(disc(12, 6, 5, 3), angles)
show(p)
show(iradon(p, angles))
show(iradon(p, angles, false))
odd = radon(disc(7, 3, 4, 2), angles)
show(iradon(odd, angles))
show(ramp_filter(odd))

g = zeros(12, 16)
for m = 0..11
    for n = 0..15
        g[m,n] = 90 + mod(m*m*3 + n*n*5 + m*n, 37)
    endfor
endfor
print equalize_histogram(g)
print equalize_histogram(7*ones(2,2))
low = clahe(g, 1.5, 2)
show(low[0..3,0..5])
none = clahe(g, 0, 4)
show(none[8..11,10..15])
