% functions of the language and of its library where users of MATLAB and NumPy call one
import "imfilter.q"
import "immorphology.q"
import "immedfilt.q"
import "imresize.q"
import "colortransform.q"

function x : vec = solved(a : mat, b : vec)
    x = solve(a, b)
endfunction

function y : mat = inverse(a : mat)
    y = inv(a)
endfunction

% the product of the factors, which is the matrix
function y : mat = orthogonal(a : mat)
    [q, r] = qr(a)
    y = q*r
endfunction

function s : vec = singular(a : mat)
    [u, d, v] = svd(a)
    s = diag(d)
endfunction

function d : vec = eigenvalues(a : mat)
    [v, d] = symeig(a)
endfunction

function d : scalar = determinant(a : mat)
    d = det(a)
endfunction

function y : mat = spectrum(x : mat)
    y = abs(fft2(x))
endfunction

% a filter by its spectrum
function y : mat = fast_convolution(x : mat, w : mat)
    y = real(ifft2(fft2(x) .* fft2(w)))
endfunction

function y : mat = filtered(x : mat, w : mat)
    y = imfilter(x, w, [3, 3], "mirror")
endfunction

function y : mat = smoothed(x : mat, sigma : scalar)
    y = gaussian_filter(x, sigma)
endfunction

function y : mat = eroded(x : mat)
    y = imerode(x, ones(9, 9))
endfunction

function y : mat = medians(x : mat, r : int)
    y = immedfilt(x, r)
endfunction

function y : mat = resized(x : mat, rows : int, cols : int)
    y = imresize(x, [rows, cols], "cubic")
endfunction

function y : cube(:,:,3) = lab(x : cube(:,:,3))
    y = rgb2lab(x)
endfunction

function y : cube(:,:,3) = luma(x : cube(:,:,3))
    y = rgb2ycbcr(x)
endfunction

function y : vec = running(x : vec)
    y = cumsum(x)
endfunction

function y : mat = integral(x : mat)
    y = cumsum(cumsum(x, 1), 0)
endfunction

function y : vec = selected(x : vec)
    y = x[x > 0.5]
endfunction

function y : vec = deviations(x : mat)
    y = std(x, 0)
endfunction

function y : vec = largest(x : mat)
    y = maxdim(x, 0)
endfunction

function y : mat = joined(x : mat, y0 : mat)
    y = vertcat(horzcat(x, y0), horzcat(y0, x))
endfunction

function y : mat = kronecker(a : mat, b : mat)
    y = kron(a, b)
endfunction

function [y : vec, at : ivec] = ordered(x : vec)
    [y, at] = sort(x)
endfunction

function y : mat = turned(x : mat)
    y = rot90(x)
endfunction

function y : cube = planes(x : cube)
    y = shuffledims(x, [2, 0, 1])
endfunction

function d : mat = squared_distances(a : mat, b : mat)
    m = size(a,0)
    n = size(b,0)
    d = repmat(sum(a.^2, 1), [1, n]) + repmat(transpose(sum(b.^2, 1)), [m, 1]) - 2*a*transpose(b)
endfunction

function y : vec = polynomial(x : vec, c : vec)
    y = zeros(numel(x))
    for k = numel(c)-1..-1..0
        y = y .* x + c[k]
    endfor
endfunction

% a ridge regression
function w : vec = ridge(x : mat, y : vec, small : scalar)
    w = solve(transpose(x)*x + small*eye(size(x,1)), transpose(x)*y)
endfunction

% steps of gradients for a logistic regression
function w : vec = logistic(x : mat, y : vec, rate : scalar, steps : int)
    w = zeros(size(x,1))
    for t = 1..steps
        p = 1 ./ (1 + exp(-(x*w)))
        w -= rate/size(x,0)*(transpose(x)*(p - y))
    endfor
endfunction

% conjugate gradients
function x : vec = conjugate(a : mat, b : vec, steps : int)
    x = zeros(numel(b))
    r = copy(b)
    p = copy(b)
    s = dotprod(r, r)
    for t = 1..steps
        q = a*p
        alpha = s/dotprod(p, q)
        x += alpha*p
        r -= alpha*q
        z = dotprod(r, r)
        p = r + z/s*p
        s = z
    endfor
endfunction

% the greatest eigenvalue by powers
function v : vec = powers(a : mat, steps : int)
    v = ones(size(a,0))/sqrt(size(a,0))
    for t = 1..steps
        v = a*v
        v = v/norm(v)
    endfor
endfunction

% moments of a matrix function around a circle
function y : mat = contour(a : mat, b : mat, points : int)
    n = size(a,0)
    y = zeros(n, size(b,1))
    for k = 0..points-1
        z = exp(complex(0.0, 2*pi*(k + 0.5)/points))
        y += real(z*solve(z*complex(eye(n)) - complex(a), complex(b)))/points
    endfor
endfunction
