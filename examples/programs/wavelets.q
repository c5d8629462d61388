% Removes noise from a photograph by wavelets.
%
%   quasar run examples/programs/wavelets.q photo.png 20 out
%
% The picture is split into a coarse picture and details of several sizes, by orthogonal wavelets. Noise is spread over all
% details alike, while edges are large in few of them: so small details are made zero or smaller, and the picture is put
% together again. How small is small is found in the picture: the noise from the median of its finest details (Donoho and
% Johnstone, 1994), the threshold of each band from its variance (BayesShrink; Chang, Yu and Vetterli, 2000). Wavelets treat
% a picture and the picture moved by one pixel differently, so results of several moves are averaged (cycle spinning;
% Coifman and Donoho, 1995). Colours are denoised in a space where the noise of the channels stays independent.

% ---- what the program works with

% How details become smaller.
type shrinkage : enum
    Hard       % those below the threshold become zero
    Soft       % all are moved towards zero by the threshold
    Garrote    % between the two: large ones hardly change
endtype

% The bands of one size: across, along, and diagonal details.
type band : enum
    Rows
    Columns
    Diagonal
endtype

% A pair of filters that split a signal into averages and differences.
type filters : class
    name : string
    low  : vec
    high : vec
endtype

% The details of one size. The sizes are those of the picture that was split, which may have been odd.
type level : mutable class
    details : vec[mat]
    height  : int
    width   : int
    next    : ^level       % the finer one
endtype

% A picture that was split: the coarse picture, then details from coarse to fine.
type pyramid : mutable class
    bank   : filters
    coarse : mat
    levels : int
    first  : ^level
endtype

% What the user may choose.
type options : mutable class
    bank    : string
    levels  : int
    rule    : shrinkage
    shifts  : int          % moves along each dimension
    sigma   : scalar       % of the noise; 0: find it
endtype

% What was found in one channel.
type findings : mutable class
    sigma      : scalar
    thresholds : vec[vec]  % for each size, from coarse to fine, one for each band
    kept       : scalar    % which part of the details is not zero
endtype

% ---- filters

% The high-pass filter that belongs to an orthogonal low-pass filter: turned round, with signs in turns.
function high : vec = quadrature(low : vec)
    count = numel(low)
    high = zeros(count)
    for k = 0..count - 1
        sign = mod(k, 2) == 0 ? 1.0 : -1.0
        high[k] = sign * low[count - 1 - k]
    endfor
endfunction

% Daubechies' filters by their number of vanishing moments; the coefficients are those of "Ten Lectures on Wavelets".
function f = make_filters(name : string)
    low : vec = [0.7071067812, 0.7071067812]
    match name with
    | "haar" ->
        low = [0.7071067812, 0.7071067812]
    | "db2" ->
        low = [0.4829629131, 0.8365163037, 0.2241438680, -0.1294095226]
    | "db4" ->
        low = [0.2303778133, 0.7148465706, 0.6308807679, -0.0279837694, -0.1870348117, 0.0308413818, 0.0328830117, -0.0105974018]
    | _ ->
        error("no filters are called '", name, "': try haar, db2 or db4")
    endmatch
    f = filters(name:=name, low:=low, high:=quadrature(low))
endfunction

% How far a bank is from being orthogonal: 0 but for rounding.
function worst : scalar = defect(f : filters)
    count = numel(f.low)
    worst = abs(sum(f.low .* f.low) - 1)
    for shift = 2..2..count - 1
        overlap = 0.0
        for k = shift..count - 1
            overlap += f.low[k] * f.low[k - shift]
        endfor
        worst = max(worst, abs(overlap))
    endfor
    worst = max(worst, abs(sum(f.low .* f.high)))
endfunction

% ---- one step of splitting and joining

% Every second of the sums of the filter with the rows; rows go on from their beginning.
function y : mat = analyse_rows(x : mat'circular, filter : vec)
    half = int((size(x, 1) + 1) / 2)
    y = uninit(size(x, 0), half)
    for m = 0..size(x, 0) - 1
        for n = 0..half - 1
            total = 0.0
            for k = 0..numel(filter) - 1
                total += filter[k] * x[m, 2 * n + k]
            endfor
            y[m, n] = total
        endfor
    endfor
endfunction

function y : mat = analyse_columns(x : mat'circular, filter : vec)
    half = int((size(x, 0) + 1) / 2)
    y = uninit(half, size(x, 1))
    for m = 0..half - 1
        for n = 0..size(x, 1) - 1
            total = 0.0
            for k = 0..numel(filter) - 1
                total += filter[k] * x[2 * m + k, n]
            endfor
            y[m, n] = total
        endfor
    endfor
endfunction

% The other way: each sample of a row gets what the averages and differences around it say.
function x : mat = synthesise_rows(low : mat'circular, high : mat'circular, f_low : vec, f_high : vec)
    width = 2 * size(low, 1)
    x = uninit(size(low, 0), width)
    for m = 0..size(low, 0) - 1
        for n = 0..width - 1
            total = 0.0
            odd = mod(n, 2)
            for j = 0..int(numel(f_low) / 2) - 1
                k = 2 * j + odd
                at = int((n - k) / 2)
                total += f_low[k] * low[m, at] + f_high[k] * high[m, at]
            endfor
            x[m, n] = total
        endfor
    endfor
endfunction

function x : mat = synthesise_columns(low : mat'circular, high : mat'circular, f_low : vec, f_high : vec)
    height = 2 * size(low, 0)
    x = uninit(height, size(low, 1))
    for m = 0..height - 1
        for n = 0..size(low, 1) - 1
            total = 0.0
            odd = mod(m, 2)
            for j = 0..int(numel(f_low) / 2) - 1
                k = 2 * j + odd
                at = int((m - k) / 2)
                total += f_low[k] * low[at, n] + f_high[k] * high[at, n]
            endfor
            x[m, n] = total
        endfor
    endfor
endfunction

% A picture with an even number of rows and columns: the last ones are repeated where that is needed.
function y : mat = evened(x : mat'clamped)
    height = 2 * int((size(x, 0) + 1) / 2)
    width = 2 * int((size(x, 1) + 1) / 2)
    y = uninit(height, width)
    for m = 0..height - 1
        for n = 0..width - 1
            y[m, n] = x[m, n]
        endfor
    endfor
endfunction

% Splits a picture once: the coarse picture, and the three bands of details.
function [coarse : mat, details : vec[mat]] = split(x : mat, f : filters)
    low = analyse_rows(x, f.low)
    high = analyse_rows(x, f.high)
    coarse = analyse_columns(low, f.low)
    details = {analyse_columns(low, f.high), analyse_columns(high, f.low), analyse_columns(high, f.high)}
endfunction

function x : mat = join(coarse : mat, details : vec[mat], f : filters)
    low = synthesise_columns(coarse, details[0], f.low, f.high)
    high = synthesise_columns(details[1], details[2], f.low, f.high)
    x = synthesise_rows(low, high, f.low, f.high)
endfunction

% ---- pyramids

% Splits a picture several times. Pictures that have become smaller than the filter are not split further.
function p = decompose(image : mat, bank : filters, levels : int)
    p = pyramid(bank:=bank, coarse:=image, levels:=0, first:=nullptr)
    for k = 1..levels
        if min(size(p.coarse, 0), size(p.coarse, 1)) < numel(bank.low)
            break
        endif
        whole = evened(p.coarse)
        [coarse, details] = split(whole, bank)
        p.first = level(details:=details, height:=size(p.coarse, 0), width:=size(p.coarse, 1), next:=p.first)
        p.coarse = coarse
        p.levels += 1
    endfor
endfunction

function image : mat = reconstruct(self : pyramid)
    image = self.coarse
    at = self.first
    while at != nullptr
        whole = join(image, at.details, self.bank)
        image = whole[0..at.height - 1, 0..at.width - 1]
        at = at.next
    endwhile
endfunction

function at : ^level = finest(self : pyramid)
    at = self.first
    if at != nullptr
        while at.next != nullptr
            at = at.next
        endwhile
    endif
endfunction

function count : int = coefficients(self : pyramid)
    count = numel(self.coarse)
    at = self.first
    while at != nullptr
        for k = 0..2
            count += numel(at.details[k])
        endfor
        at = at.next
    endwhile
endfunction

% The sum of the squares of all coefficients: that of the picture, since the wavelets are orthogonal.
function total : scalar = energy(self : pyramid)
    total = sum(self.coarse .* self.coarse)
    at = self.first
    while at != nullptr
        for k = 0..2
            d = at.details[k]
            total += sum(d .* d)
        endfor
        at = at.next
    endwhile
endfunction

% ---- thresholds

function middle : scalar = median_of(x : mat)
    sorted = sort(reshape(x, [numel(x)]))
    count = numel(sorted)
    half = int(count / 2)
    middle = mod(count, 2) == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
endfunction

% The noise: details of the finest size are nearly all noise, and their median is not disturbed by the few edges.
function sigma : scalar = noise_of(self : pyramid)
    at = finest(self)
    sigma = at == nullptr ? 0.0 : median_of(abs(at.details[band.Diagonal])) / 0.6745
endfunction

% BayesShrink: the variance of the noise by the deviation of what is left without it.
function t : scalar = threshold_of(details : mat, sigma : scalar)
    variance = sum(details .* details) / numel(details)
    signal = sqrt(max(variance - sigma^2, 0.0))
    if signal > 0
        t = sigma^2 / signal
    else
        t = max(abs(details))
    endif
endfunction

function y : scalar = __device__ hard(x : scalar, t : scalar)
    y = abs(x) > t ? x : 0.0
endfunction

function y : scalar = __device__ soft(x : scalar, t : scalar)
    y = sign(x) * max(abs(x) - t, 0.0)
endfunction

function y : scalar = __device__ garrote(x : scalar, t : scalar)
    y = abs(x) > t ? x - t * t / x : 0.0
endfunction

% The details after shrinking, and how many of them are left.
function [y : mat, left : int] = shrink(x : mat, t : scalar, rule : shrinkage)
    y = uninit(size(x))
    match rule with
    | shrinkage.Hard ->
        for m = 0..size(x, 0) - 1
            for n = 0..size(x, 1) - 1
                y[m, n] = hard(x[m, n], t)
            endfor
        endfor
    | shrinkage.Soft ->
        for m = 0..size(x, 0) - 1
            for n = 0..size(x, 1) - 1
                y[m, n] = soft(x[m, n], t)
            endfor
        endfor
    | shrinkage.Garrote ->
        for m = 0..size(x, 0) - 1
            for n = 0..size(x, 1) - 1
                y[m, n] = garrote(x[m, n], t)
            endfor
        endfor
    endmatch
    left = 0
    for m = 0..size(y, 0) - 1
        for n = 0..size(y, 1) - 1
            if y[m, n] != 0
                left += 1
            endif
        endfor
    endfor
endfunction

% Shrinks all details of a pyramid.
function found = shrink_all(self : pyramid, sigma : scalar, rule : shrinkage)
    thresholds : vec[vec] = cell(self.levels)
    left = 0
    size_number = 0
    at = self.first
    while at != nullptr
        here = zeros(3)
        shrunk : vec[mat] = cell(3)
        for k = 0..2
            here[k] = threshold_of(at.details[k], sigma)
            [y, n] = shrink(at.details[k], here[k], rule)
            shrunk[k] = y
            left += n
        endfor
        at.details = shrunk
        thresholds[size_number] = here
        size_number += 1
        at = at.next
    endwhile
    all = coefficients(self) - numel(self.coarse)
    found = findings(sigma:=sigma, thresholds:=thresholds, kept:=all > 0 ? float(left) / all : 0.0)
endfunction

% ---- pictures of one channel

% The picture moved; what leaves at one side comes back at the other.
function y : mat = moved(x : mat'circular, down : int, right : int)
    y = uninit(size(x))
    for m = 0..size(x, 0) - 1
        for n = 0..size(x, 1) - 1
            y[m, n] = x[m - down, n - right]
        endfor
    endfor
endfunction

function [clean : mat, found] = denoise_channel(x : mat, choice : options)
    bank = make_filters(choice.bank)
    sigma = choice.sigma
    if sigma <= 0
        sigma = noise_of(decompose(x, bank, 1))
    endif
    clean = zeros(size(x))
    found = findings(sigma:=sigma, thresholds:=cell(0), kept:=0)
    for down = 0..choice.shifts - 1
        for right = 0..choice.shifts - 1
            p = decompose(moved(x, down, right), bank, choice.levels)
            found = shrink_all(p, sigma, choice.rule)
            clean += moved(reconstruct(p), -down, -right)
        endfor
    endfor
    clean /= choice.shifts * choice.shifts
endfunction

% ---- colours

% The colours turned so that most of a photograph is in the first channel; the turn is orthonormal, so that the noise stays
% as it is in each channel.
function y : cube = turned(x : cube, turn : mat)
    y = uninit(size(x))
    for m = 0..size(x, 0) - 1
        for n = 0..size(x, 1) - 1
            for c = 0..2
                y[m, n, c] = turn[c, 0] * x[m, n, 0] + turn[c, 1] * x[m, n, 1] + turn[c, 2] * x[m, n, 2]
            endfor
        endfor
    endfor
endfunction

function turn : mat = colour_turn()
    turn = [[1, 1, 1] / sqrt(3.0), [1, 0, -1] / sqrt(2.0), [1, -2, 1] / sqrt(6.0)]
endfunction

function [clean : cube, all : vec[^findings]] = denoise_colours(image : cube, choice : options)
    turn = colour_turn()
    apart = turned(image, turn)
    clean_apart = uninit(size(image))
    all = cell(3)
    for c = 0..2
        [channel, found] = denoise_channel(squeeze(apart[:, :, c]), choice)
        clean_apart[:, :, c] = channel
        all[c] = found
    endfor
    clean = turned(clean_apart, transpose(turn))
endfunction

% ---- pictures and words

function decibel : scalar = psnr(image : cube, reference : cube)
    difference = image - reference
    decibel = 10 * log10(255^2 / mean(difference .* difference))
endfunction

% A pyramid as one picture: the coarse picture in the corner, details around it, gray for zero.
function picture : mat = show(self : pyramid)
    picture = self.coarse / 2^self.levels
    at = self.first
    gain = 4.0
    while at != nullptr
        h = size(at.details[0], 0)
        w = size(at.details[0], 1)
        larger = 128 * ones(2 * h, 2 * w)
        larger[0..min(h, size(picture, 0)) - 1, 0..min(w, size(picture, 1)) - 1] = picture[0..min(h, size(picture, 0)) - 1, 0..min(w, size(picture, 1)) - 1]
        larger[h..2 * h - 1, 0..w - 1] = 128 + gain * at.details[band.Rows]
        larger[0..h - 1, w..2 * w - 1] = 128 + gain * at.details[band.Columns]
        larger[h..2 * h - 1, w..2 * w - 1] = 128 + gain * at.details[band.Diagonal]
        picture = larger
        at = at.next
    endwhile
endfunction

function [] = report(all : vec[^findings])
    names = {"bright", "red to blue", "green"}
    for c = 0..numel(all) - 1
        f = all[c]
        printf("%s: noise %.2f, %.1f %% of the details are kept", names[c], f.sigma, 100 * f.kept)
        for k = 0..numel(f.thresholds) - 1
            t = f.thresholds[k]
            printf("  size %d: thresholds %.2f, %.2f, %.2f", 2^(numel(f.thresholds) - k), t[band.Rows], t[band.Columns], t[band.Diagonal])
        endfor
    endfor
endfunction

% ---- tests of the parts

% What must hold of wavelets, whatever the picture; how far it does not.
function [] = check(image : mat)
    for name = {"haar", "db2", "db4"}
        bank = make_filters(name)
        p = decompose(image, bank, 4)
        back = reconstruct(p)
        lost = max(abs(back - image))
        before = sum(image .* image)
        printf("%s: orthogonal %s, put together again %s, levels %d", name, defect(bank) < 1e-6 ? "yes" : "no", lost < 0.01 ? "yes" : "no", p.levels)
        if mod(size(image, 0), 16) == 0 && mod(size(image, 1), 16) == 0
            printf("  energy kept: %s", abs(energy(p) / before - 1) < 1e-4 ? "yes" : "no")
        endif
    endfor
endfunction

% What Rust calls.
function [clean : cube, sigma : scalar] = denoise(image : cube, bank : string, levels : int, shifts : int)
    choice = options(bank:=bank, levels:=levels, rule:=shrinkage.Soft, shifts:=shifts, sigma:=0)
    [clean, all] = denoise_colours(image, choice)
    report(all)
    sigma = all[0].sigma
endfunction

function picture : mat = bands(image : mat, bank : string, levels : int)
    picture = show(decompose(image, make_filters(bank), levels))
endfunction

% A picture with the same noise each time.
function noisy : cube = with_noise(image : cube, sigma : scalar)
    seed(3)
    noisy = image + sigma * randn(size(image))
endfunction

% What Rust needs beside them.
function image : cube = load(file : string)
    image = imread(file, "rgb")
endfunction

function [] = store(file : string, image : cube)
    imwrite(file, image, [0, 255])
endfunction

function y : mat = lightness(image : cube)
    y = mean(image, 2)
endfunction

function [] = main(file : string = "examples/images/astronaut.png", noise : int = 20, folder : string = "out")
    image = imread(file, "rgb")
    noisy = image
    if noise > 0
        noisy = with_noise(image, noise)
    endif
    printf("noisy: %.2f dB", psnr(noisy, image))
    best = 0.0
    rules = {shrinkage.Hard, shrinkage.Soft, shrinkage.Garrote}
    names = {"hard", "soft", "garrote"}
    for k = 0..2
        choice = options(bank:="db2", levels:=4, rule:=rules[k], shifts:=2, sigma:=0)
        [clean, all] = denoise_colours(noisy, choice)
        value = psnr(clean, image)
        printf("%s thresholds: %.2f dB", names[k], value)
        if value > best
            best = value
            imwrite(folder + "/wavelets.png", clean, [0, 255])
        endif
        if k == 1
            report(all)
        endif
    endfor
    imwrite(folder + "/noisy.png", noisy, [0, 255])
    gray = lightness(image)
    side = 16 * int(min(size(gray, 0), size(gray, 1)) / 16)
    check(gray[0..side - 1, 0..side - 1])
    imwrite(folder + "/bands.png", bands(gray, "db2", 3), [0, 255])
endfunction
