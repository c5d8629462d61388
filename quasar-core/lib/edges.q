% edges.q: edges and lines in gray images.
import "imfilter.q"
import "regions.q"

% The differences down the rows and along the columns by Sobel's masks, which add up to 8 times the slope.
%
%     [dy, dx] = sobel(x)
function [dy : mat, dx : mat] = sobel(x : mat, ext : string = "mirror")
    dy = imfilter(x, [[-1.0,-2,-1],[0,0,0],[1,2,1]], [1,1], ext)
    dx = imfilter(x, [[-1.0,0,1],[-2,0,2],[-1,0,1]], [1,1], ext)
endfunction

% Canny's edges: smoothing by a Gaussian of deviation sigma, slopes by Sobel's masks, pixels whose slope is greatest across the edge
% (between two pixels by interpolation), and of these the 8-connected groups that are steeper than `high` somewhere and steeper
% than `low` everywhere. The border of the image is no edge.
%
%     edges = canny(x, 1.0, 0.1, 0.2)
function y : mat = canny(x : mat, sigma : scalar = 1.0, low : scalar = 0.1, high : scalar = 0.2)
    smooth = sigma > 0 ? gaussian_filter(x, sigma, 2*int(4*sigma + 0.5) + 1, "mirror") : x
    [dy, dx] = sobel(smooth)
    height = size(x,0)
    width = size(x,1)
    steep = zeros(height, width)
    for m = 0..height-1
        for n = 0..width-1
            steep[m,n] = sqrt(dy[m,n]*dy[m,n] + dx[m,n]*dx[m,n])
        endfor
    endfor
    thin = zeros(height, width)
    for m = 1..height-2
        for n = 1..width-2
            a = abs(dy[m,n])
            b = abs(dx[m,n])
            % the direction of the slope lies between that of the axis with the greater part and a diagonal
            sy = dy[m,n] < 0 ? -1 : 1
            sx = dx[m,n] < 0 ? -1 : 1
            w = a >= b ? b/max(a, 1e-30) : a/b
            ahead = a >= b ? steep[m+sy,n] : steep[m,n+sx]
            behind = a >= b ? steep[m-sy,n] : steep[m,n-sx]
            next = w*steep[m+sy,n+sx] + (1-w)*ahead
            last = w*steep[m-sy,n-sx] + (1-w)*behind
            s = steep[m,n]
            thin[m,n] = s >= low && s > 0 && s >= next && s >= last ? s : 0.0
        endfor
    endfor
    [labels, count] = label_components(thin, 8)
    strong = zeros(count+1)
    {!serial for}
    for m = 0..height-1
        for n = 0..width-1
            if thin[m,n] >= high
                strong[labels[m,n]] = 1
            endif
        endfor
    endfor
    strong[0] = 0
    y = zeros(height, width)
    for m = 0..height-1
        for n = 0..width-1
            y[m,n] = strong[labels[m,n]]
        endfor
    endfor
endfunction

% Hough's transform for lines: `votes[d + offset, k]` counts the pixels on the line x*cos(angles[k]) + y*sin(angles[k]) = d, where x is the
% column and y the row; `offset` is the length of the diagonal, rounded up.
%
%     [votes, offset] = hough_lines(edges, linspace(-pi/2, pi/2, 180))
function [votes : mat[int], offset : int] = hough_lines(x : mat, angles : vec)
    offset = int(ceil(sqrt(size(x,0)*size(x,0) + size(x,1)*size(x,1))))
    votes = zeros[int](2*offset + 1, numel(angles))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] != 0
                for k = 0..numel(angles)-1
                    d = int(floor(n*cos(angles[k]) + m*sin(angles[k]) + 0.5))
                    votes[d + offset, k] += 1
                endfor
            endif
        endfor
    endfor
endfunction
