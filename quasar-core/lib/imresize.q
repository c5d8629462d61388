% imresize.q: images in other sizes and places, gray (mat) or with channels (cube). Pixels are squares whose centres are
% compared: position p of a result of N pixels lies at (p + 0.5) * M/N - 0.5 of an image of M pixels. Methods: "nearest",
% "linear", "cubic" (Keys, a = -0.5). Sizes are changed without smoothing before.

% The weight of a pixel at a distance in cubic interpolation.
function w : scalar = __device__ cubic_weight(distance : scalar)
    d = abs(distance)
    w = 0.0
    if d < 1
        w = (1.5*d - 2.5)*d*d + 1
    elseif d < 2
        w = ((-0.5*d + 2.5)*d - 4)*d + 2
    endif
endfunction

function v : scalar = __device__ nearest_pixel(x : mat'clamped, p : scalar, q : scalar)
    v = x[int(floor(p + 0.5)), int(floor(q + 0.5))]
endfunction

function v : scalar = __device__ linear_pixel(x : mat'clamped, p : scalar, q : scalar)
    i = int(floor(p))
    j = int(floor(q))
    s = p - i
    t = q - j
    v = (1-s)*((1-t)*x[i,j] + t*x[i,j+1]) + s*((1-t)*x[i+1,j] + t*x[i+1,j+1])
endfunction

function v : scalar = __device__ cubic_pixel(x : mat'clamped, p : scalar, q : scalar)
    i = int(floor(p))
    j = int(floor(q))
    v = 0.0
    for a = -1..2
        row = 0.0
        for b = -1..2
            row += cubic_weight(q - j - b)*x[i+a, j+b]
        endfor
        v += cubic_weight(p - i - a)*row
    endfor
endfunction

% For each position of a side of 'to' pixels the pixel in front of it, of a side of 'from', and the weights of four pixels there.
function [pixels : vec[int], weights : mat] = cubic_places(from : int, to : int)
    pixels = vec[int](to)
    weights = zeros(4, to)
    step = from/to
    for n = 0..to-1
        q = (n+0.5)*step - 0.5
        j = int(floor(q))
        pixels[n] = j
        for b = -1..2
            weights[b+1,n] = cubic_weight(q - j - b)
        endfor
    endfor
endfunction

% Rows first, then columns: eight products a pixel instead of sixteen, of the same numbers in the same order.
function y : mat = cubic_sides(x : mat'clamped, dims : ivec2)
    [left, across] = cubic_places(size(x,1), dims[1])
    [top, down] = cubic_places(size(x,0), dims[0])
    rows = zeros(size(x,0), dims[1])
    for m = 0..size(x,0)-1
        for n = 0..dims[1]-1
            v = 0.0
            for b = -1..2
                v += across[b+1,n]*x[m,left[n]+b]
            endfor
            rows[m,n] = v
        endfor
    endfor
    y = zeros(dims[0], dims[1])
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            v = 0.0
            for a = -1..2
                v += down[a+1,m]*rows[min(max(top[m]+a, 0), size(x,0)-1),n]
            endfor
            y[m,n] = v
        endfor
    endfor
endfunction

function [] = check_method(name : string, method : string)
    if method != "nearest" && method != "linear" && method != "cubic"
        error(name, ": the method is '", method, "', expected nearest, linear or cubic")
    endif
endfunction

% The image with a given number of rows and columns.
function y : mat = imresize(x : mat, dims : ivec2, method : string = "linear")
    check_method("imresize", method)
    if dims[0] < 0 || dims[1] < 0
        error("imresize: the size is ", dims, ", expected no negative number")
    endif
    if numel(x) == 0 && dims[0]*dims[1] > 0
        error("imresize: the image is empty")
    endif
    y = zeros(dims[0], dims[1])
    down = size(x,0)/dims[0]
    right = size(x,1)/dims[1]
    if method == "nearest"
        for m = 0..dims[0]-1
            for n = 0..dims[1]-1
                y[m,n] = nearest_pixel(x, (m+0.5)*down - 0.5, (n+0.5)*right - 0.5)
            endfor
        endfor
    elseif method == "linear"
        for m = 0..dims[0]-1
            for n = 0..dims[1]-1
                y[m,n] = linear_pixel(x, (m+0.5)*down - 0.5, (n+0.5)*right - 0.5)
            endfor
        endfor
    elseif size(x,0) <= 3*dims[0]
        y = cubic_sides(x, dims)
    else
        % Most rows count for no pixel.
        for m = 0..dims[0]-1
            for n = 0..dims[1]-1
                y[m,n] = cubic_pixel(x, (m+0.5)*down - 0.5, (n+0.5)*right - 0.5)
            endfor
        endfor
    endif
endfunction

function y : cube(:,:,:) = imresize(x : cube(:,:,:), dims : ivec2, method : string = "linear")
    check_method("imresize", method)
    if dims[0] < 0 || dims[1] < 0
        error("imresize: the size is ", dims, ", expected no negative number")
    endif
    y = zeros(dims[0], dims[1], size(x,2))
    for k = 0..size(x,2)-1
        y[:,:,k] = imresize(x[:,:,k], dims, method)
    endfor
endfunction

% The image larger by a factor, its size rounded.
function y : mat = imresize(x : mat, factor : scalar, method : string = "linear")
    y = imresize(x, int(round(factor*size(x))), method)
endfunction

function y : cube(:,:,:) = imresize(x : cube(:,:,:), factor : scalar, method : string = "linear")
    y = imresize(x, int(round(factor*size(x,0..1))), method)
endfunction

% y[p] = x at T*[p; 1], for a matrix T of two rows and three columns that takes a position of the result, as row and column, to
% one of the image. Positions outside the image give 0.
function y : mat = imwarp(x : mat, T : mat(2,3), method : string = "linear", dims : ivec2 = size(x,0..1))
    check_method("imwarp", method)
    y = zeros(dims[0], dims[1])
    [a, b, c] = [T[0,0], T[0,1], T[0,2]]
    [d, e, f] = [T[1,0], T[1,1], T[1,2]]
    bottom = size(x,0) - 0.5
    right = size(x,1) - 0.5
    way = method == "nearest" ? 0 : (method == "linear" ? 1 : 2)
    for m = 0..dims[0]-1
        for n = 0..dims[1]-1
            p = a*m + b*n + c
            q = d*m + e*n + f
            v = 0.0
            if p >= -0.5 && p < bottom && q >= -0.5 && q < right
                if way == 0
                    v = nearest_pixel(x, p, q)
                elseif way == 1
                    v = linear_pixel(x, p, q)
                else
                    v = cubic_pixel(x, p, q)
                endif
            endif
            y[m,n] = v
        endfor
    endfor
endfunction

function y : cube(:,:,:) = imwarp(x : cube(:,:,:), T : mat(2,3), method : string = "linear", dims : ivec2 = size(x,0..1))
    y = zeros(dims[0], dims[1], size(x,2))
    for k = 0..size(x,2)-1
        y[:,:,k] = imwarp(x[:,:,k], T, method, dims)
    endfor
endfunction

% The matrix that turns an image of a size about its centre, counter-clockwise by an angle in degrees.
function T : mat(2,3) = rotation(dims : ivec2, degrees : scalar)
    s = sin(degrees*pi/180)
    c = cos(degrees*pi/180)
    p = (dims[0]-1)/2
    q = (dims[1]-1)/2
    T = [[c, s, p - c*p - s*q], [-s, c, q + s*p - c*q]]
endfunction

% The image turned about its centre in a frame of the same size, counter-clockwise by an angle in degrees.
function y : mat = imrotate(x : mat, degrees : scalar, method : string = "linear")
    y = imwarp(x, rotation(size(x,0..1), degrees), method)
endfunction

function y : cube(:,:,:) = imrotate(x : cube(:,:,:), degrees : scalar, method : string = "linear")
    y = imwarp(x, rotation(size(x,0..1), degrees), method)
endfunction
