% imquality.q: how much two images differ.

% The mean of the squares of the differences.
function e : scalar = mse(x : mat, y : mat)
    assert(size(x,0) == size(y,0) && size(x,1) == size(y,1), "mse: images of different sizes")
    e = sum((x - y).^2)/numel(x)
endfunction

function e : scalar = mse(x : cube(:,:,:), y : cube(:,:,:))
    assert(numel(x) == numel(y), "mse: images of different sizes")
    e = sum((x - y).^2)/numel(x)
endfunction

% The peak signal-to-noise ratio in dB, for images whose values go from 0 to `peak`; Inf for equal images.
function d : scalar = psnr(x : mat, y : mat, peak : scalar = 255.0)
    d = 10*log10(peak*peak/mse(x, y))
endfunction

function d : scalar = psnr(x : cube(:,:,:), y : cube(:,:,:), peak : scalar = 255.0)
    d = 10*log10(peak*peak/mse(x, y))
endfunction

% The means of all windows of n x n pixels that lie in the image.
function y : mat = window_means(x : mat, n : int) concealed
    height = size(x,0) - n + 1
    width = size(x,1) - n + 1
    rows = zeros(size(x,0), width)
    for m = 0..size(x,0)-1
        for j = 0..width-1
            s = 0.0
            for q = 0..n-1
                s += x[m,j+q]
            endfor
            rows[m,j] = s
        endfor
    endfor
    y = zeros(height, width)
    for m = 0..height-1
        for j = 0..width-1
            s = 0.0
            for p = 0..n-1
                s += rows[m+p,j]
            endfor
            y[m,j] = s/(n*n)
        endfor
    endfor
endfunction

% The structural similarity (Wang et al. 2004): the mean over all windows of n x n pixels in the image, all of one weight, with
% the variances of samples. 1 for equal images.
function s : scalar = ssim(x : mat, y : mat, peak : scalar = 255.0, n : int = 7)
    assert(size(x,0) == size(y,0) && size(x,1) == size(y,1), "ssim: images of different sizes")
    assert(size(x,0) >= n && size(x,1) >= n, "ssim: an image smaller than a window")
    c1 = (0.01*peak)^2
    c2 = (0.03*peak)^2
    sample = n*n/(n*n - 1)
    mx = window_means(x, n)
    my = window_means(y, n)
    vx = sample*(window_means(x.*x, n) - mx.*mx)
    vy = sample*(window_means(y.*y, n) - my.*my)
    both = sample*(window_means(x.*y, n) - mx.*my)
    top = (2*mx.*my + c1).*(2*both + c2)
    bottom = (mx.*mx + my.*my + c1).*(vx + vy + c2)
    s = sum(top./bottom)/numel(top)
endfunction
