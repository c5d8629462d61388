% imfilter.q: linear filters. Every function takes a gray image (mat) or an image with channels (cube) and returns one of the
% same size. How the image goes on beyond its border is chosen by `ext`: "zero", "mirror", "circular" or "clamped".

% y[p] = sum over q of mask[q] * x[p + q - ctr], each channel by itself (correlation).
function y : mat = imfilter(x : mat, mask : mat, ctr : ivec2 = int(floor(size(mask)/2)), ext : string = "zero")
    cy = ctr[0]
    cx = ctr[1]
    y = zeros(size(x,0), size(x,1))
    if ext == "mirror"
        a : 'mirror = x
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                s = 0.0
                for p = 0..size(mask,0)-1
                    for q = 0..size(mask,1)-1
                        s += mask[p,q]*a[m+p-cy, n+q-cx]
                    endfor
                endfor
                y[m,n] = s
            endfor
        endfor
    elseif ext == "circular"
        b : 'circular = x
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                s = 0.0
                for p = 0..size(mask,0)-1
                    for q = 0..size(mask,1)-1
                        s += mask[p,q]*b[m+p-cy, n+q-cx]
                    endfor
                endfor
                y[m,n] = s
            endfor
        endfor
    elseif ext == "clamped"
        c : 'clamped = x
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                s = 0.0
                for p = 0..size(mask,0)-1
                    for q = 0..size(mask,1)-1
                        s += mask[p,q]*c[m+p-cy, n+q-cx]
                    endfor
                endfor
                y[m,n] = s
            endfor
        endfor
    elseif ext == "zero"
        d : 'safe = x
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                s = 0.0
                for p = 0..size(mask,0)-1
                    for q = 0..size(mask,1)-1
                        s += mask[p,q]*d[m+p-cy, n+q-cx]
                    endfor
                endfor
                y[m,n] = s
            endfor
        endfor
    else
        error("imfilter: ext is '", ext, "', expected zero, mirror, circular or clamped")
    endif
endfunction

function y : cube(:,:,:) = imfilter(x : cube(:,:,:), mask : mat, ctr : ivec2 = int(floor(size(mask)/2)), ext : string = "zero")
    y = zeros(size(x,0), size(x,1), size(x,2))
    for k = 0..size(x,2)-1
        y[:,:,k] = imfilter(x[:,:,k], mask, ctr, ext)
    endfor
endfunction

% A column filter fv after a row filter fh, both centred.
function y : mat = separable_filter(x : mat, fv : vec, fh : vec, ext : string = "mirror")
    row = zeros(1, numel(fh))
    for k = 0..numel(fh)-1
        row[0,k] = fh[k]
    endfor
    column = zeros(numel(fv), 1)
    for k = 0..numel(fv)-1
        column[k,0] = fv[k]
    endfor
    y = imfilter(imfilter(x, row, [0, int(floor(numel(fh)/2))], ext), column, [int(floor(numel(fv)/2)), 0], ext)
endfunction

function y : cube(:,:,:) = separable_filter(x : cube(:,:,:), fv : vec, fh : vec, ext : string = "mirror")
    y = zeros(size(x,0), size(x,1), size(x,2))
    for k = 0..size(x,2)-1
        y[:,:,k] = separable_filter(x[:,:,k], fv, fh, ext)
    endfor
endfunction

% The taps of a sampled Gaussian, n of them (odd), which sum to one.
function w : vec = gaussian_taps(sigma : scalar, n : int)
    w = zeros(n)
    total = 0.0
    for k = 0..n-1
        d = k - (n-1)/2
        w[k] = exp(-d*d/(2*sigma*sigma))
        total += w[k]
    endfor
    for k = 0..n-1
        w[k] = w[k]/total
    endfor
endfunction

% How many taps hold a Gaussian up to three standard deviations.
function n : int = gaussian_size(sigma : scalar)
    n = 2*int(ceil(3*sigma)) + 1
endfunction

% Smoothing by a Gaussian of standard deviation sigma (pixels) with n taps in each direction; 0 takes as many as sigma needs.
function y : mat = gaussian_filter(x : mat, sigma : scalar, n : int = 0, ext : string = "mirror")
    w = gaussian_taps(sigma, n == 0 ? gaussian_size(sigma) : n)
    y = separable_filter(x, w, w, ext)
endfunction

function y : cube(:,:,:) = gaussian_filter(x : cube(:,:,:), sigma : scalar, n : int = 0, ext : string = "mirror")
    w = gaussian_taps(sigma, n == 0 ? gaussian_size(sigma) : n)
    y = separable_filter(x, w, w, ext)
endfunction

% The mean of each (2r+1) x (2r+1) window.
function y : mat = mean_filter(x : mat, r : int, ext : string = "mirror")
    w = ones(2*r+1)/(2*r+1)
    y = separable_filter(x, w, w, ext)
endfunction

% The image with h rows above and below and w columns left and right, filled as `ext` says.
function y : mat = bound_extension(x : mat, h : int, w : int, ext : string = "mirror")
    y = zeros(size(x,0)+2*h, size(x,1)+2*w)
    if ext == "mirror"
        a : 'mirror = x
        for m = 0..size(y,0)-1
            for n = 0..size(y,1)-1
                y[m,n] = a[m-h, n-w]
            endfor
        endfor
    elseif ext == "circular"
        b : 'circular = x
        for m = 0..size(y,0)-1
            for n = 0..size(y,1)-1
                y[m,n] = b[m-h, n-w]
            endfor
        endfor
    elseif ext == "clamped"
        c : 'clamped = x
        for m = 0..size(y,0)-1
            for n = 0..size(y,1)-1
                y[m,n] = c[m-h, n-w]
            endfor
        endfor
    elseif ext == "zero"
        d : 'safe = x
        for m = 0..size(y,0)-1
            for n = 0..size(y,1)-1
                y[m,n] = d[m-h, n-w]
            endfor
        endfor
    else
        error("bound_extension: ext is '", ext, "', expected zero, mirror, circular or clamped")
    endif
endfunction
