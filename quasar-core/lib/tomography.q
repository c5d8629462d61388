% tomography.q: projections of images and images of projections (parallel beams).

% Radon's transform: `p[s,k]` is the sum over a line across the image, turned by `angles[k]` radians around its centre
% (size/2, rounded down), with interpolation between four pixels and zeros outside. Images are square.
%
%     p = radon(x, linspace(0, pi, 181)[0..179])
function p : mat = radon(x : mat, angles : vec)
    assert(size(x,0) == size(x,1), "radon: the image is not square")
    n = size(x,0)
    centre = floor(n/2)
    inside : 'safe = x
    p = zeros(n, numel(angles))
    for s = 0..n-1
        for k = 0..numel(angles)-1
            c = cos(angles[k])
            d = sin(angles[k])
            total = 0.0
            for t = 0..n-1
                row = d*(centre - s) + c*(t - centre) + centre
                column = c*(s - centre) + d*(t - centre) + centre
                i = int(floor(row))
                j = int(floor(column))
                u = row - i
                v = column - j
                above = (1-v)*inside[i,j] + v*inside[i,j+1]
                below = (1-v)*inside[i+1,j] + v*inside[i+1,j+1]
                total += (1-u)*above + u*below
            endfor
            p[s,k] = total
        endfor
    endfor
endfunction

% Each projection after the ramp filter of filtered back projection, with `margin` more values before and behind it.
function q : mat = ramp_filter(p : mat, margin : int = 0)
    n = size(p,0)
    inside : 'safe = p
    q = zeros(n + 2*margin, size(p,1))
    for i = 0..n+2*margin-1
        for k = 0..size(p,1)-1
            total = inside[i-margin,k]/4
            for t = 0..n-1
                apart = abs(i - margin - t)
                odd = mod(apart, 2) == 1
                total -= odd ? p[t,k]/(pi*pi*max(apart,1)*max(apart,1)) : 0.0
            endfor
            q[i,k] = 2*total
        endfor
    endfor
endfunction

% The image of projections by filtered back projection, for angles spread evenly over half a turn; zeros outside of the largest
% circle. `filtered = false` leaves the filter out.
%
%     x = iradon(p, angles)
function x : mat = iradon(p : mat, angles : vec, filtered : int = true)
    assert(size(p,1) == numel(angles), "iradon: as many angles as projections are expected")
    n = size(p,0)
    radius = int(floor(n/2))
    margin = filtered ? 1 : 0
    q = p
    if filtered
        q = ramp_filter(p, margin)
    endif
    x = zeros(n, n)
    inside : 'safe = q
    for i = 0..n-1
        for j = 0..n-1
            dy = i - radius
            dx = j - radius
            total = 0.0
            for k = 0..numel(angles)-1
                s = dx*cos(angles[k]) - dy*sin(angles[k]) + radius + margin
                a = int(floor(s))
                v = s - a
                total += (1-v)*inside[a,k] + v*inside[a+1,k]
            endfor
            x[i,j] = dx*dx + dy*dy <= radius*radius ? total*pi/(2*numel(angles)) : 0.0
        endfor
    endfor
endfunction
