% Teaches a small convolutional network to remove noise from photographs.
%
%   quasar run --engine cpu examples/programs/network.q photo.png 25 out
%
% The network sees a noisy picture and says what in it is noise; that is subtracted (residual learning; Zhang et al., 2017).
% It learns from small pieces of one part of the photograph, to which noise is added, by Adam (Kingma and Ba, 2015); the rest
% of the photograph shows whether it learned more than those pieces. As a yardstick serves the best of several Gaussian
% filters.
%
% Three things are said once and used by several parts: activations are rules, and the rules of differentiation make their
% derivatives; layers are written as a convolution, a bias and an activation, which rules put together to one pass over the
% picture; and macros choose between accurate and fast variants.

import "imfilter.q"

% ---- profiles

% "fast", or "small" where memory is short.
PROFILE : 'const = "fast"

% Profile: what `gelu` means from here to the end of the function, by the error function or by a logistic function that is
% 0.02 off at most (Hendrycks and Gimpel, 2016).
macro [] = accuracy(kind)
    if kind == "exact"
        reduction (u : scalar) -> gelu(u) = 0.5 * u * (1.0 + erf(u * 0.70710678))
    else
        reduction (u : scalar) -> gelu(u) = u / (1.0 + exp(-1.702 * u))
    endif
endmacro

% Profile: the slopes of weights by loops, which need no memory, or by products, which are faster.
macro [] = weight_slopes(dw, x, dz, w, kind)
    if kind == "small"
        dw = slopes_by_loops(x, dz, w)
    else
        dw = slopes_by_products(x, dz, w)
    endif
endmacro

% ---- rules of differentiation

reduction (x : scalar) -> slope(x, x) = 1.0
reduction (c : scalar, x : scalar) -> slope(c, x) = 0.0 where $nops(c) == 0
reduction (a : scalar, b : scalar, x : scalar) -> slope(a + b, x) = slope(a, x) + slope(b, x)
reduction (a : scalar, b : scalar, x : scalar) -> slope(a * b, x) = slope(a, x) * b + a * slope(b, x)
reduction (a : scalar, b : scalar, x : scalar) -> slope(a / b, x) = (slope(a, x) * b - a * slope(b, x)) / (b * b)
reduction (a : scalar, x : scalar) -> slope(-a, x) = -slope(a, x)
reduction (a : scalar, x : scalar) -> slope(exp(a), x) = exp(a) * slope(a, x)
reduction (a : scalar, x : scalar) -> slope(sqrt(a), x) = slope(a, x) / (2.0 * sqrt(a))
reduction (a : scalar, x : scalar) -> slope(erf(a), x) = 1.1283791671 * exp(-(a * a)) * slope(a, x)
reduction (a : scalar, b : scalar, x : scalar) -> slope(max(a, b), x) = a > b ? slope(a, x) : slope(b, x)
reduction (a : scalar) -> 1.0 * a = a
reduction (a : scalar) -> 0.0 * a = 0.0
reduction (a : scalar) -> 0.0 + a = a

% ---- activations and the loss

type activation : enum
    Linear
    Relu
    Gelu
    FastGelu
endtype

reduction (u : scalar) -> relu(u) = max(u, 0.0)
% Large errors count less than by their squares (Charbonnier et al., 1994).
reduction (e : scalar) -> penalty(e) = sqrt(e * e + 1e-4)

function y : scalar = __device__ same(u : scalar)
    y = u
endfunction

function y : scalar = __device__ one(u : scalar)
    y = slope(u, u)
endfunction

function y : scalar = __device__ relu_value(u : scalar)
    y = relu(u)
endfunction

function y : scalar = __device__ relu_slope(u : scalar)
    y = slope(relu(u), u)
endfunction

function y : scalar = __device__ gelu_value(u : scalar)
    !accuracy "exact"
    y = gelu(u)
endfunction

function y : scalar = __device__ gelu_slope(u : scalar)
    !accuracy "exact"
    y = slope(gelu(u), u)
endfunction

function y : scalar = __device__ fast_gelu_value(u : scalar)
    !accuracy "fast"
    y = gelu(u)
endfunction

function y : scalar = __device__ fast_gelu_slope(u : scalar)
    !accuracy "fast"
    y = slope(gelu(u), u)
endfunction

function y : scalar = __device__ penalty_value(e : scalar)
    y = penalty(e)
endfunction

function y : scalar = __device__ penalty_slope(e : scalar)
    y = slope(penalty(e), e)
endfunction

% ---- convolutions: pictures are channels x rows x columns, weights are channels out x channels in x rows x columns

% Beyond the border a picture is zero.
function y : cube = convolve(x : cube'safe, w : cube{4})
    up = int(size(w, 2) / 2)
    left = int(size(w, 3) / 2)
    y = uninit(size(w, 0), size(x, 1), size(x, 2))
    for o = 0..size(w, 0) - 1
        for m = 0..size(x, 1) - 1
            for n = 0..size(x, 2) - 1
                total = 0.0
                for i = 0..size(w, 1) - 1
                    for p = 0..size(w, 2) - 1
                        for q = 0..size(w, 3) - 1
                            total += w[o, i, p, q] * x[i, m + p - up, n + q - left]
                        endfor
                    endfor
                endfor
                y[o, m, n] = total
            endfor
        endfor
    endfor
endfunction

function y : cube = with_bias(x : cube, b : vec)
    y = uninit(size(x))
    for c = 0..size(x, 0) - 1
        for m = 0..size(x, 1) - 1
            for n = 0..size(x, 2) - 1
                y[c, m, n] = x[c, m, n] + b[c]
            endfor
        endfor
    endfor
endfunction

function y : cube = activated(x : cube, f)
    y = uninit(size(x))
    for c = 0..size(x, 0) - 1
        for m = 0..size(x, 1) - 1
            for n = 0..size(x, 2) - 1
                y[c, m, n] = f(x[c, m, n])
            endfor
        endfor
    endfor
endfunction

% All three in one pass.
function y : cube = convolved(x : cube'safe, w : cube{4}, b : vec, f)
    up = int(size(w, 2) / 2)
    left = int(size(w, 3) / 2)
    y = uninit(size(w, 0), size(x, 1), size(x, 2))
    for o = 0..size(w, 0) - 1
        for m = 0..size(x, 1) - 1
            for n = 0..size(x, 2) - 1
                total = 0.0
                for i = 0..size(w, 1) - 1
                    for p = 0..size(w, 2) - 1
                        for q = 0..size(w, 3) - 1
                            total += w[o, i, p, q] * x[i, m + p - up, n + q - left]
                        endfor
                    endfor
                endfor
                y[o, m, n] = f(total + b[o])
            endfor
        endfor
    endfor
endfunction

reduction (x : cube, w : cube{4}, b : vec) -> with_bias(convolve(x, w), b) = convolved(x, w, b, same)
reduction (x : cube, w : cube{4}, b : vec, f) -> activated(convolved(x, w, b, same), f) = convolved(x, w, b, f)

% The weights that lead back from the outputs of a convolution to its inputs: turned round, the channels exchanged.
function t : cube{4} = turned(w : cube{4})
    t = uninit(size(w, 1), size(w, 0), size(w, 2), size(w, 3))
    for o = 0..size(w, 0) - 1
        for i = 0..size(w, 1) - 1
            for p = 0..size(w, 2) - 1
                for q = 0..size(w, 3) - 1
                    t[i, o, size(w, 2) - 1 - p, size(w, 3) - 1 - q] = w[o, i, p, q]
                endfor
            endfor
        endfor
    endfor
endfunction

reduction (w : cube{4}) -> turned(turned(w)) = w

% How the loss grows with each weight, if it grows by `dz` with each output: weight by weight.
function dw : cube{4} = slopes_by_loops(x : cube'safe, dz : cube, w : cube{4})
    up = int(size(w, 2) / 2)
    left = int(size(w, 3) / 2)
    dw = uninit(size(w))
    for o = 0..size(w, 0) - 1
        for i = 0..size(w, 1) - 1
            for p = 0..size(w, 2) - 1
                for q = 0..size(w, 3) - 1
                    total = 0.0
                    for m = 0..size(dz, 1) - 1
                        for n = 0..size(dz, 2) - 1
                            total += x[i, m + p - up, n + q - left] * dz[o, m, n]
                        endfor
                    endfor
                    dw[o, i, p, q] = total
                endfor
            endfor
        endfor
    endfor
endfunction

% For each weight the pixels that it is multiplied by.
function y : cube{5} = neighbours(x : cube'safe, rows : int, columns : int)
    up = int(rows / 2)
    left = int(columns / 2)
    y = uninit(size(x, 0), rows, columns, size(x, 1), size(x, 2))
    for i = 0..size(x, 0) - 1
        for p = 0..rows - 1
            for q = 0..columns - 1
                for m = 0..size(x, 1) - 1
                    for n = 0..size(x, 2) - 1
                        y[i, p, q, m, n] = x[i, m + p - up, n + q - left]
                    endfor
                endfor
            endfor
        endfor
    endfor
endfunction

% The same slopes as a product of matrices.
function dw : cube{4} = slopes_by_products(x : cube, dz : cube, w : cube{4})
    near = neighbours(x, size(w, 2), size(w, 3))
    pixels = size(dz, 1) * size(dz, 2)
    each = size(w, 1) * size(w, 2) * size(w, 3)
    product = reshape(near, [each, pixels]) * transpose(reshape(dz, [size(dz, 0), pixels]))
    dw = reshape(transpose(product), [size(w, 0), size(w, 1), size(w, 2), size(w, 3)])
endfunction

% The sum of each channel: how the loss grows with each bias.
function db : vec = bias_slopes(dz : cube)
    db = zeros(size(dz, 0))
    for c = 0..size(dz, 0) - 1
        for m = 0..size(dz, 1) - 1
            for n = 0..size(dz, 2) - 1
                db[c] += dz[c, m, n]
            endfor
        endfor
    endfor
endfunction

% How the loss grows with what an activation was given, if it grows by `dy` with what it gave.
function dz : cube = activation_slopes(z : cube, dy : cube, f)
    dz = uninit(size(z))
    for c = 0..size(z, 0) - 1
        for m = 0..size(z, 1) - 1
            for n = 0..size(z, 2) - 1
                dz[c, m, n] = dy[c, m, n] * f(z[c, m, n])
            endfor
        endfor
    endfor
endfunction

% ---- layers

% Numbers that are learned, and what Adam remembers of their slopes.
type learned[A] : mutable class
    value  : A
    slope  : A
    mean   : A
    square : A
endtype

type layer : mutable class
    kind    : activation
    weights : learned[cube{4}]
    bias    : learned[vec]
    % of the last pass forward:
    input   : cube
    sums    : cube       % what the activation was given
endtype

type network : mutable class
    layers : vec[^layer]
    widths : ivec        % the channels before, between and behind the layers
    taps   : int         % the convolutions are taps x taps
    steps  : int         % of learning that were done
endtype

% What the user may choose.
type options : class
    kind   : activation
    width  : int         % channels between the layers
    depth  : int         % layers
    rounds : int
    batch  : int         % pieces of a picture in each round
    side   : int         % their rows and columns
    rate   : scalar      % of learning, in the beginning
    noise  : scalar      % the standard deviation; pixels are 0 to 255
endtype

function y = options(noise : scalar, rounds : int)
    y = options(kind:=activation.Relu, width:=16, depth:=3, rounds:=rounds, batch:=2, side:=96, rate:=0.004, noise:=noise)
endfunction

function p = learned_array(value : cube{4})
    p = learned[cube{4}](value:=value, slope:=zeros(size(value)), mean:=zeros(size(value)), square:=zeros(size(value)))
endfunction

function p = learned_vector(value : vec)
    p = learned[vec](value:=value, slope:=zeros(size(value)), mean:=zeros(size(value)), square:=zeros(size(value)))
endfunction

% A layer that has learned nothing: noise that neither grows nor fades from layer to layer (He et al., 2015).
function l = new_layer(taps : int, before : int, behind : int, kind : activation)
    spread = sqrt(2.0 / (taps * taps * before))
    w : cube{4} = spread * randn(behind, before, taps, taps)
    nothing : cube = zeros(1, 1, 1)
    l = layer(kind:=kind, weights:=learned_array(w), bias:=learned_vector(zeros(behind)), input:=nothing, sums:=nothing)
endfunction

% Filters that do not see how bright a picture is, only how it changes: noise does not depend on brightness.
function [] = remove_means(w : cube{4})
    for o = 0..size(w, 0) - 1
        for i = 0..size(w, 1) - 1
            total = 0.0
            for p = 0..size(w, 2) - 1
                for q = 0..size(w, 3) - 1
                    total += w[o, i, p, q]
                endfor
            endfor
            for p = 0..size(w, 2) - 1
                for q = 0..size(w, 3) - 1
                    w[o, i, p, q] -= total / (size(w, 2) * size(w, 3))
                endfor
            endfor
        endfor
    endfor
endfunction

% What a layer makes of a picture.
function y : cube = output(self : layer, x : cube)
    w = self.weights.value
    b = self.bias.value
    match self.kind with
    | Linear -> y = with_bias(convolve(x, w), b)
    | Relu -> y = activated(with_bias(convolve(x, w), b), relu_value)
    | Gelu -> y = activated(with_bias(convolve(x, w), b), gelu_value)
    | FastGelu -> y = activated(with_bias(convolve(x, w), b), fast_gelu_value)
    endmatch
endfunction

% The same, and it remembers what it did.
function y : cube = forward(self : layer, x : cube)
    self.input = x
    self.sums = with_bias(convolve(x, self.weights.value), self.bias.value)
    match self.kind with
    | Linear -> y = self.sums
    | Relu -> y = activated(self.sums, relu_value)
    | Gelu -> y = activated(self.sums, gelu_value)
    | FastGelu -> y = activated(self.sums, fast_gelu_value)
    endmatch
endfunction

% Adds up how the loss grows with weights and bias, and tells how it grows with the input.
function dx : cube = backward(self : layer, dy : cube)
    match self.kind with
    | Linear -> dz = dy
    | Relu -> dz = activation_slopes(self.sums, dy, relu_slope)
    | Gelu -> dz = activation_slopes(self.sums, dy, gelu_slope)
    | FastGelu -> dz = activation_slopes(self.sums, dy, fast_gelu_slope)
    endmatch
    w = self.weights.value
    !weight_slopes dw, self.input, dz, w, PROFILE
    self.weights.slope += dw
    self.bias.slope += bias_slopes(dz)
    dx = convolve(dz, turned(w))
endfunction

% ---- networks

function net = new_network(choice : options, channels : int)
    count = choice.depth
    widths = channels * int(ones(count + 1))
    for k = 1..count - 1
        widths[k] = choice.width
    endfor
    layers : vec[^layer] = cell(count)
    for k = 0..count - 1
        kind = k < count - 1 ? choice.kind : activation.Linear
        layers[k] = new_layer(3, widths[k], widths[k + 1], kind)
    endfor
    remove_means(layers[0].weights.value)
    net = network(layers:=layers, widths:=widths, taps:=3, steps:=0)
endfunction

% What the network takes for noise.
function y : cube = predict(self : network, x : cube)
    y = x
    for k = 0..numel(self.layers) - 1
        y = output(self.layers[k], y)
    endfor
endfunction

function y : cube = forward(self : network, x : cube)
    y = x
    for k = 0..numel(self.layers) - 1
        y = forward(self.layers[k], y)
    endfor
endfunction

function dx : cube = backward(self : network, dy : cube)
    dx = dy
    for k = numel(self.layers) - 1..-1..0
        dx = backward(self.layers[k], dx)
    endfor
endfunction

% The mean penalty of the errors, and how it grows with each of them.
function [value : scalar, slopes : cube] = loss(guess : cube, truth : cube)
    value = 0.0
    slopes = uninit(size(guess))
    for c = 0..size(guess, 0) - 1
        for m = 0..size(guess, 1) - 1
            for n = 0..size(guess, 2) - 1
                e = guess[c, m, n] - truth[c, m, n]
                value += penalty_value(e)
                slopes[c, m, n] = penalty_slope(e) / numel(guess)
            endfor
        endfor
    endfor
    value /= numel(guess)
endfunction

% ---- learning

% One step of Adam; `scale` divides the slopes, which were added up.
function [] = adjust(p, rate : scalar, scale : scalar, step : int)
    slope = p.slope / scale
    p.mean = 0.9 * p.mean + 0.1 * slope
    p.square = 0.99 * p.square + 0.01 * slope .* slope
    mean = p.mean / (1 - 0.9^step)
    square = p.square / (1 - 0.99^step)
    p.value -= rate * mean ./ (sqrt(square) + 1e-6)
    p.slope = zeros(size(p.slope))
endfunction

function [] = adjust(self : network, rate : scalar, scale : scalar)
    self.steps += 1
    for k = 0..numel(self.layers) - 1
        l = self.layers[k]
        adjust(l.weights, rate, scale, self.steps)
        adjust(l.bias, rate, scale, self.steps)
    endfor
endfunction

% A piece of the picture in one of eight positions: turned over, upside down, rows for columns.
function y : cube = piece(image : cube, top : int, left : int, side : int, position : int)
    y = uninit(size(image, 0), side, side)
    over = and(position, 1)
    down = and(position, 2)
    swapped = and(position, 4)
    for c = 0..size(image, 0) - 1
        for m = 0..side - 1
            for n = 0..side - 1
                row = down > 0 ? side - 1 - m : m
                column = over > 0 ? side - 1 - n : n
                y[c, m, n] = swapped > 0 ? image[c, top + column, left + row] : image[c, top + row, left + column]
            endfor
        endfor
    endfor
endfunction

function y : cube = random_piece(image : cube, side : int)
    top = randi(size(image, 1) - side + 1)
    left = randi(size(image, 2) - side + 1)
    y = piece(image, top, left, side, randi(8))
endfunction

% Learns from a picture, 0 to 1; gives the loss of each round.
function losses : vec = learn(self : network, image : cube, choice : options)
    losses = zeros(choice.rounds)
    side = min(choice.side, min(size(image, 1), size(image, 2)))
    for round = 0..choice.rounds - 1
        for k = 1..choice.batch
            clean = random_piece(image, side)
            noise : cube = choice.noise / 255 * randn(size(clean))
            guess = forward(self, clean + noise)
            [value, slopes] = loss(guess, noise)
            losses[round] += value / choice.batch
            [_] = backward(self, slopes)
        endfor
        % The rate falls along half a wave of a cosine.
        rate = choice.rate * 0.5 * (1.01 + cos(pi * round / choice.rounds))
        adjust(self, rate, choice.batch)
    endfor
endfunction

% ---- are the slopes right?

% The largest difference between slopes and what differences of the loss say, for some of the numbers; the largest slope
% that was seen counts as 1.
function [worst : scalar, largest : scalar] = compare_slopes(values : vec, slopes : vec, step : scalar, value_of)
    worst = 0.0
    largest = 0.0
    for k = 0..max(1, int(numel(values) / 10))..numel(values) - 1
        kept = values[k]
        values[k] = kept + step
        above = value_of()
        values[k] = kept - step
        below = value_of()
        values[k] = kept
        worst = max(worst, abs((above - below) / (2 * step) - slopes[k]))
        largest = max(largest, abs(slopes[k]))
    endfor
endfunction

% How wrong the slopes of a network are: with all numbers of its layers and with its input.
function worst : scalar = slope_error(kind : int, step : scalar)
    seed(5)
    choice = options(kind:=activation.Linear, width:=4, depth:=3, rounds:=0, batch:=1, side:=0, rate:=0, noise:=0)
    kinds = {activation.Linear, activation.Relu, activation.Gelu, activation.FastGelu}
    net = new_network(choice, 2)
    for k = 0..1
        net.layers[k].kind = kinds[kind]
    endfor
    x : cube = randn(2, 7, 9)
    truth : cube = randn(2, 7, 9)
    value_of = () -> loss_of(net, x, truth)
    [_, slopes] = loss(forward(net, x), truth)
    dx = backward(net, slopes)
    [worst, largest] = compare_slopes(reshape(x, [numel(x)]), reshape(dx, [numel(dx)]), step, value_of)
    for k = 0..2
        w = net.layers[k].weights
        [error, top] = compare_slopes(reshape(w.value, [numel(w.value)]), reshape(w.slope, [numel(w.slope)]), step, value_of)
        worst = max(worst, error)
        largest = max(largest, top)
        b = net.layers[k].bias
        [error, top] = compare_slopes(b.value, b.slope, step, value_of)
        worst = max(worst, error)
        largest = max(largest, top)
    endfor
    worst /= largest
endfunction

function value : scalar = loss_of(net : network, x : cube, truth : cube)
    [value, _] = loss(predict(net, x), truth)
endfunction

% ---- networks as one vector: how many layers, their channels, their numbers

function numbers : vec = packed(self : network)
    count = numel(self.layers)
    total = 0
    for k = 0..count - 1
        l = self.layers[k]
        total += numel(l.weights.value) + numel(l.bias.value)
    endfor
    numbers = zeros(count + 2 + total)
    numbers[0] = count
    numbers[1..count + 1] = self.widths
    at = count + 2
    for k = 0..count - 1
        l = self.layers[k]
        weights = reshape(l.weights.value, [numel(l.weights.value)])
        numbers[at..at + numel(weights) - 1] = weights
        at += numel(weights)
        numbers[at..at + numel(l.bias.value) - 1] = l.bias.value
        at += numel(l.bias.value)
    endfor
endfunction

function net = unpacked(numbers : vec, kind : activation)
    count = int(numbers[0])
    widths = int(numbers[1..count + 1])
    layers : vec[^layer] = cell(count)
    at = count + 2
    for k = 0..count - 1
        l = new_layer(3, widths[k], widths[k + 1], k < count - 1 ? kind : activation.Linear)
        weights = reshape(l.weights.value, [numel(l.weights.value)])
        weights[:] = numbers[at..at + numel(weights) - 1]
        at += numel(weights)
        l.bias.value = numbers[at..at + widths[k + 1] - 1]
        at += widths[k + 1]
        layers[k] = l
    endfor
    net = network(layers:=layers, widths:=widths, taps:=3, steps:=0)
endfunction

% ---- pictures and words

function decibel : scalar = psnr(image : cube, reference : cube)
    difference = image - reference
    decibel = 10 * log10(255^2 / mean(difference .* difference))
endfunction

function y : cube = limited(x : cube)
    y = max(0.0, min(255.0, x))
endfunction

% A picture, 0 to 255, as the network wants it: one plane after the other, 0 to 1; and back.
function y : cube = planes(image : cube)
    y = uninit(size(image, 2), size(image, 0), size(image, 1))
    for c = 0..size(y, 0) - 1
        for m = 0..size(y, 1) - 1
            for n = 0..size(y, 2) - 1
                y[c, m, n] = image[m, n, c] / 255
            endfor
        endfor
    endfor
endfunction

function image : cube = pixels(x : cube)
    image = uninit(size(x, 1), size(x, 2), size(x, 0))
    for m = 0..size(x, 1) - 1
        for n = 0..size(x, 2) - 1
            for c = 0..size(x, 0) - 1
                image[m, n, c] = 255 * x[c, m, n]
            endfor
        endfor
    endfor
endfunction

function clean : cube = subtract_noise(self : network, noisy : cube)
    x = planes(noisy)
    clean = limited(pixels(x - predict(self, x)))
endfunction

% The best of several Gaussian filters, and its standard deviation.
function [best : cube, sigma : scalar] = best_gaussian(noisy : cube, reference : cube)
    best = noisy
    sigma = 0.0
    for k = 2..12
        smooth = gaussian_filter(noisy, 0.2 * k, 2 * int(0.6 * k + 1) + 1)
        if psnr(smooth, reference) > psnr(best, reference)
            best = smooth
            sigma = 0.2 * k
        endif
    endfor
endfunction

% The filters of the first layer side by side, gray for zero, each tap a square.
function picture : cube = draw_filters(numbers : vec, square : int)
    net = unpacked(numbers, activation.Relu)
    w = net.layers[0].weights.value
    most = max(abs(w))
    each = 3 * square + square
    picture = 255 * ones(each, each * size(w, 0), 3)
    for y = 0..3 * square - 1
        for x = 0..size(picture, 1) - 1
            o = int(x / each)
            q = int((x - o * each) / square)
            for c = 0..2
                if q < 3
                    picture[y, x, c] = 127.5 + 127.5 * w[o, min(c, size(w, 1) - 1), int(y / square), q] / most
                endif
            endfor
        endfor
    endfor
endfunction

% The losses from left to right, each column the mean of its rounds.
function picture : cube = draw_losses(losses : vec, height : int, width : int)
    picture = 255 * ones(height, width, 3)
    top = max(losses)
    before = 0
    for x = 0..width - 1
        first = int(float(x) * numel(losses) / width)
        last = max(first, int(float(x + 1) * numel(losses) / width) - 1)
        row = int((height - 1) * (1 - mean(losses[first..last]) / top))
        before = x == 0 ? row : before
        picture[min(before, row)..max(before, row), x, 0..1] = 0
        before = row
    endfor
endfunction

% Pictures of one size side by side.
function picture : cube = beside(left : cube, right : cube)
    width = size(left, 1)
    picture = 255 * ones(size(left, 0), 2 * width + 4, size(left, 2))
    picture[:, 0..width - 1, :] = left
    picture[:, width + 4..2 * width + 3, :] = right
endfunction

% ---- what Rust calls

% Learns from the picture; the network as numbers, and the losses.
function [numbers : vec, losses : vec] = train(image : cube, noise : scalar, rounds : int)
    choice = options(noise, rounds)
    net = new_network(choice, size(image, 2))
    losses = learn(net, planes(image), choice)
    numbers = packed(net)
    printf("%d numbers learned in %d rounds; the loss fell from %.4f to %.4f", numel(numbers) - numel(net.widths) - 1, rounds, losses[0], mean(losses[int(0.9 * rounds)..rounds - 1]))
endfunction

function clean : cube = denoise(noisy : cube, numbers : vec)
    clean = subtract_noise(unpacked(numbers, options(0, 0).kind), noisy)
endfunction

function noisy : cube = with_noise(image : cube, sigma : scalar)
    noisy = image + sigma * randn(size(image))
endfunction

function smooth : cube = smoothed(noisy : cube, reference : cube)
    [smooth, sigma] = best_gaussian(noisy, reference)
    printf("the best Gaussian filter has a standard deviation of %.1f", sigma)
endfunction

% The part of a picture that the network learns from, and the part that it does not see.
function [known : cube, unknown : cube] = parts(image : cube)
    cut = int(5 * size(image, 1) / 8)
    known = image[:, 0..cut - 1, :]
    unknown = image[:, cut..size(image, 1) - 1, :]
endfunction

function image : cube = load(file : string)
    image = imread(file, "rgb")
endfunction

function [] = store(file : string, image : cube)
    imwrite(file, image, [0, 255])
endfunction

function [] = main(file : string = "examples/images/astronaut.png", noise : int = 25, folder : string = "out", rounds : int = 600)
    image = load(file)
    seed(11)
    [known, unknown] = parts(image)
    [numbers, losses] = train(known, noise, rounds)
    noisy = with_noise(image, noise)
    clean = denoise(noisy, numbers)
    [_, clean_unknown] = parts(clean)
    [_, noisy_unknown] = parts(noisy)
    smooth = smoothed(noisy_unknown, unknown)
    printf("in the part that it did not see: %.2f dB noisy, %.2f dB by the Gaussian filter, %.2f dB by the network", psnr(noisy_unknown, unknown), psnr(smooth, unknown), psnr(clean_unknown, unknown))
    store(folder + "/network.png", beside(noisy, clean))
    store(folder + "/filters.png", draw_filters(numbers, 8))
    store(folder + "/losses.png", draw_losses(losses, 100, 400))
endfunction
