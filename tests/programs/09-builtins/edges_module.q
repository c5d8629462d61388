% edges.q and imquality.q: Sobel's masks, Canny's edges, Hough's lines and how much images differ; the values are those of SciPy
% (`ndimage.sobel`) and scikit-image (`feature.canny`, `transform.hough_line`, `metrics`).
import "edges.q"
import "imfilter.q"
import "imquality.q"
function x : mat = pattern(h : int, w : int, seed : int)
    x = zeros(h, w)
    v = seed
    {!serial for}
    for m = 0..h-1
        for n = 0..w-1
            v = mod(v*75 + 74, 65537)
            x[m,n] = mod(v, 61) + ((m - 7)^2 + (n - 9)^2 < 30 ? 150 : 0)
        endfor
    endfor
endfunction

x = pattern(16, 20, 1)
[dy, dx] = sobel(x)
print dy[0..1,0..4]
print dx[14..15,15..19]
[dy, dx] = sobel(x, "circular")
print dy[0,0..4]
edges = canny(x/256, 1.5, 0.3, 0.6)
for m = 0..15
    line = ""
    for n = 0..19
        line = line + (edges[m,n] > 0 ? "#" : ".")
    endfor
    print line
endfor
[votes, offset] = hough_lines(eye(8), [-pi/4, 0.1, pi/2])
print offset, " ", max(votes), " ", votes[offset,0], " ", sum(votes)
z = x + pattern(16, 20, 7)/10
printf("%.3f %.3f %.4f\n", mse(x, z), psnr(x, z), ssim(x, z))
printf("%.3f %.4f %.4f\n", psnr(x, z, 200.0), ssim(x, z, 200.0, 5), ssim(x, x))

% borders of a Gaussian, as `ndimage.gaussian_filter(.., truncate=1)` has them
d = zeros(4,4)
d[0,1] = 100
for ext = {"mirror", "circular", "clamped", "zero"}
    y = gaussian_filter(d, 1.0, 3, ext)
    printf("%.3f %.3f %.3f %.3f", y[0,0], y[0,1], y[1,1], y[3,1])
endfor
printf("%.3f", sum(gaussian_filter(d, 0.5)))
printf("%.3f", mean_filter(d, 1, "circular")[3,1])
