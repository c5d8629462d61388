% Filters of images. Each function whose parameters have types is a function of the crate in Rust.

% The mean of the (2 radius + 1)^2 pixels around each pixel. The image goes on as in a mirror beyond its border.
function y : mat = smooth(x : mat'mirror, radius : int)
    y = uninit(size(x))
    for m = 0..size(x, 0) - 1
        for n = 0..size(x, 1) - 1
            total = 0.0
            for dm = -radius..radius
                for dn = -radius..radius
                    total += x[m + dm, n + dn]
                endfor
            endfor
            y[m, n] = total / (2 * radius + 1)^2
        endfor
    endfor
endfunction

function x : mat = load(file : string)
    x = imread(file, "gray")
endfunction

% Values below 0 become 0, and values above 255 become 255.
function [] = store(file : string, x : mat)
    imwrite(file, x, [0, 255])
endfunction
