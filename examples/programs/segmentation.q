% Cuts a photograph into regions of one colour.
%
%   quasar run examples/programs/segmentation.q photo.png 8 out
%
% Colours are compared in the space CIE L*a*b*, where equal distances look alike. They are grouped by k-means, whose first
% centres are chosen as k-means++ does: far from each other, by chance. Pixels of one group that touch each other become a
% region; small regions join the neighbour whose colour is nearest. Beside the picture of regions the program writes the
% light and dark parts of the picture, told apart by Otsu's threshold on the histogram of its lightness.

% ---- what the program works with

% What the user may choose.
type settings : class
    colours   : int      % how many groups k-means makes
    rounds    : int      % the most rounds of k-means
    enough    : scalar   % k-means ends when no centre moves farther than this
    smallest  : int      % regions with fewer pixels join a neighbour
    seed      : int      % of the random numbers
endtype

% One group of colours.
type cluster : mutable class
    centre : vec3
    pixels : int
    spread : scalar      % the mean distance of its pixels from the centre
endtype

% What k-means found.
type palette : mutable class
    clusters : vec[^cluster]
    labels   : imat
    rounds   : int
    error    : scalar
endtype

% A set of pixels that touch each other.
type region : mutable class
    label  : int
    pixels : int
    colour : vec3
    top    : int
    left   : int
    bottom : int
    right  : int
endtype

% How bright the picture is.
type brightness : mutable class
    counts    : ivec
    threshold : int
    low       : scalar   % the mean below the threshold
    high      : scalar   % and above it
endtype

function y = settings(colours : int)
    y = settings(colours:=colours, rounds:=50, enough:=0.05, smallest:=64, seed:=7)
endfunction

% ---- colours

% One channel of sRGB, 0 to 255, as an amount of light, 0 to 1.
function y : scalar = __device__ light(x : scalar)
    u = x / 255
    if u <= 0.04045
        y = u / 12.92
    else
        y = ((u + 0.055) / 1.055) ^ 2.4
    endif
endfunction

% And back.
function x : scalar = __device__ channel(y : scalar)
    v = max(0.0, min(1.0, y))
    if v <= 0.0031308
        u = 12.92 * v
    else
        u = 1.055 * v ^ (1 / 2.4) - 0.055
    endif
    x = 255 * u
endfunction

% The cube root of CIE with its straight part near zero.
function y : scalar = __device__ bend(t : scalar)
    if t > 0.008856
        y = t ^ (1 / 3)
    else
        y = 7.787 * t + 16 / 116
    endif
endfunction

function t : scalar = __device__ straighten(y : scalar)
    cubed = y * y * y
    t = cubed > 0.008856 ? cubed : (y - 16 / 116) / 7.787
endfunction

% sRGB to L*a*b* (white point D65).
function lab : vec3 = __device__ to_lab(rgb : vec3)
    r = light(rgb[0])
    g = light(rgb[1])
    b = light(rgb[2])
    x = bend((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505)
    y = bend(0.2126 * r + 0.7152 * g + 0.0722 * b)
    z = bend((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.0890)
    lab = [116 * y - 16, 500 * (x - y), 200 * (y - z)]
endfunction

% L*a*b* to sRGB.
function rgb : vec3 = __device__ to_rgb(lab : vec3)
    fy = (lab[0] + 16) / 116
    x = 0.9505 * straighten(fy + lab[1] / 500)
    y = straighten(fy)
    z = 1.0890 * straighten(fy - lab[2] / 200)
    r = 3.2406 * x - 1.5372 * y - 0.4986 * z
    g = -0.9689 * x + 1.8758 * y + 0.0415 * z
    b = 0.0557 * x - 0.2040 * y + 1.0570 * z
    rgb = [channel(r), channel(g), channel(b)]
endfunction

function lab : cube = lab_image(image : cube)
    lab = uninit(size(image))
    for y = 0..size(image, 0) - 1
        for x = 0..size(image, 1) - 1
            lab[y, x, 0..2] = to_lab(image[y, x, 0..2])
        endfor
    endfor
endfunction

% ---- k-means

% The square of the distance of two colours.
function d : scalar = __device__ distance2(a : vec3, b : vec3)
    d = (a[0] - b[0])^2 + (a[1] - b[1])^2 + (a[2] - b[2])^2
endfunction

% For each pixel how far the nearest of the first `count` centres is.
function nearest : mat = distances(lab : cube, centres : mat, count : int)
    nearest = uninit(size(lab, 0), size(lab, 1))
    for y = 0..size(lab, 0) - 1
        for x = 0..size(lab, 1) - 1
            best = 1e30
            for k = 0..count - 1
                dl = lab[y, x, 0] - centres[k, 0]
                da = lab[y, x, 1] - centres[k, 1]
                db = lab[y, x, 2] - centres[k, 2]
                best = min(best, dl * dl + da * da + db * db)
            endfor
            nearest[y, x] = best
        endfor
    endfor
endfunction

% A pixel, chosen with a chance that grows with its weight.
function [row : int, column : int] = draw(weights : mat)
    % The sum of each row first, so that only one row is looked through.
    height = size(weights, 0)
    width = size(weights, 1)
    rows = sum(weights, 1)
    left = rand(1)[0] * sum(rows)
    row = 0
    while row < height - 1 && left >= rows[row]
        left = left - rows[row]
        row += 1
    endwhile
    column = 0
    while column < width - 1 && left >= weights[row, column]
        left = left - weights[row, column]
        column += 1
    endwhile
endfunction

% The first centres, by k-means++ (Arthur and Vassilvitskii, 2007).
function centres : mat = first_centres(lab : cube, count : int)
    centres = zeros(count, 3)
    [row, column] = draw(ones(size(lab, 0), size(lab, 1)))
    centres[0, :] = squeeze(lab[row, column, :])
    for k = 1..count - 1
        [row, column] = draw(distances(lab, centres, k))
        centres[k, :] = squeeze(lab[row, column, :])
    endfor
endfunction

% The number of the nearest centre of each pixel.
function labels : imat = assign(lab : cube, centres : mat)
    labels = imat(size(lab, 0), size(lab, 1))
    for y = 0..size(lab, 0) - 1
        for x = 0..size(lab, 1) - 1
            best = 1e30
            label = 0
            for k = 0..size(centres, 0) - 1
                dl = lab[y, x, 0] - centres[k, 0]
                da = lab[y, x, 1] - centres[k, 1]
                db = lab[y, x, 2] - centres[k, 2]
                d = dl * dl + da * da + db * db
                if d < best
                    best = d
                    label = k
                endif
            endfor
            labels[y, x] = label
        endfor
    endfor
endfunction

% The sum of the colours of each group, and how many pixels it has. Groups are few, so blocks add up in shared memory.
function [] = __kernel__ add_up(lab : cube, labels : imat, sums : mat, counts : ivec, groups : int, pos : ivec2, blkpos : ivec2, blkdim : ivec2)
    assert(groups <= 64)
    local : mat'unchecked = shared_zeros(64, 4)
    syncthreads
    % Where the picture is no multiple of the blocks, threads beyond it must not count.
    if pos[0] < size(labels, 0) && pos[1] < size(labels, 1)
        k = labels[pos]
        local[k, 0] += lab[pos[0], pos[1], 0]
        local[k, 1] += lab[pos[0], pos[1], 1]
        local[k, 2] += lab[pos[0], pos[1], 2]
        local[k, 3] += 1
    endif
    syncthreads
    me = blkpos[0] * blkdim[1] + blkpos[1]
    threads = blkdim[0] * blkdim[1]
    for g = me..threads..groups - 1
        sums[g, 0] += local[g, 0]
        sums[g, 1] += local[g, 1]
        sums[g, 2] += local[g, 2]
        counts[g] += int(local[g, 3])
    endfor
endfunction

function [means : mat, counts : ivec] = group_means(lab : cube, labels : imat, old : mat)
    groups = size(old, 0)
    sums = zeros(groups, 3)
    counts = ivec(groups)
    parallel_do([size(labels), [16, 16]], lab, labels, sums, counts, groups, add_up)
    means = uninit(groups, 3)
    for g = 0..groups - 1
        for c = 0..2
            % A group that lost its pixels stays where it is.
            means[g, c] = counts[g] > 0 ? sums[g, c] / counts[g] : old[g, c]
        endfor
    endfor
endfunction

% How far the centre that moved most moved.
function most : scalar = movement(before : mat, after : mat)
    step = after - before
    most = sqrt(max(sum(step .* step, 1)))
endfunction

function p = kmeans(lab : cube, choice : settings)
    centres = first_centres(lab, choice.colours)
    labels = assign(lab, centres)
    round = 0
    moved = 1e30
    while round < choice.rounds && moved > choice.enough
        [means, counts] = group_means(lab, labels, centres)
        moved = movement(centres, means)
        centres = means
        labels = assign(lab, centres)
        round += 1
    endwhile
    p = describe(lab, labels, centres, round)
endfunction

% The groups as objects, the largest first.
function p = describe(lab : cube, labels : imat, centres : mat, rounds : int)
    count = size(centres, 0)
    pixels = ivec(count)
    spread = zeros(count)
    total = 0.0
    for y = 0..size(labels, 0) - 1
        for x = 0..size(labels, 1) - 1
            k = labels[y, x]
            dl = lab[y, x, 0] - centres[k, 0]
            da = lab[y, x, 1] - centres[k, 1]
            db = lab[y, x, 2] - centres[k, 2]
            d = dl * dl + da * da + db * db
            pixels[k] += 1
            spread[k] += sqrt(d)
            total += d
        endfor
    endfor

    order = by_size(pixels)
    place = ivec(count)
    clusters : vec[^cluster] = cell(count)
    for k = 0..count - 1
        old = order[k]
        place[old] = k
        mean_distance = pixels[old] > 0 ? spread[old] / pixels[old] : 0.0
        clusters[k] = cluster(centre:=[centres[old, 0], centres[old, 1], centres[old, 2]], pixels:=pixels[old], spread:=mean_distance)
    endfor
    renamed = imat(size(labels, 0), size(labels, 1))
    for y = 0..size(labels, 0) - 1
        for x = 0..size(labels, 1) - 1
            renamed[y, x] = place[labels[y, x]]
        endfor
    endfor
    p = palette(clusters:=clusters, labels:=renamed, rounds:=rounds, error:=total / numel(labels))
endfunction

% The indices of the numbers from the largest to the smallest.
function order : ivec = by_size(numbers : ivec)
    count = numel(numbers)
    order = 0..count - 1
    for i = 1..count - 1
        k = order[i]
        j = i - 1
        while j >= 0 && numbers[order[max(j, 0)]] < numbers[k]
            order[j + 1] = order[j]
            j -= 1
        endwhile
        order[j + 1] = k
    endfor
endfunction

% ---- regions

% Each pixel gets the smallest number of its region. A pixel with a neighbour whose number is smaller tells the pixel that its
% own number stands for, so that whole parts of a region get a new number at once; then each pixel asks whom its number stands
% for. This goes on until nothing changes.
function regions : imat = connected(labels : imat)
    height = size(labels, 0)
    width = size(labels, 1)
    regions = imat(height, width)
    for y = 0..height - 1
        for x = 0..width - 1
            regions[y, x] = y * width + x
        endfor
    endfor
    changes = 1
    while changes > 0
        next = copy(regions)
        changes = 0
        for y = 0..height - 1
            for x = 0..width - 1
                label = labels[y, x]
                own = regions[y, x]
                least = own
                if y > 0 && labels[y - 1, x] == label
                    least = min(least, regions[y - 1, x])
                endif
                if y < height - 1 && labels[y + 1, x] == label
                    least = min(least, regions[y + 1, x])
                endif
                if x > 0 && labels[y, x - 1] == label
                    least = min(least, regions[y, x - 1])
                endif
                if x < width - 1 && labels[y, x + 1] == label
                    least = min(least, regions[y, x + 1])
                endif
                if least < own
                    next[int(own / width), mod(own, width)] __= least
                    changes += 1
                endif
            endfor
        endfor
        for y = 0..height - 1
            for x = 0..width - 1
                root = next[y, x]
                root = next[int(root / width), mod(root, width)]
                root = next[int(root / width), mod(root, width)]
                regions[y, x] = root
            endfor
        endfor
    endwhile
endfunction

% Regions get the numbers 0, 1, .. in the order in which they begin.
function [numbered : imat, count : int] = number_regions(regions : imat)
    height = size(regions, 0)
    width = size(regions, 1)
    names = ivec(height * width)
    count = 0
    for y = 0..height - 1
        for x = 0..width - 1
            if regions[y, x] == y * width + x
                names[y * width + x] = count
                count += 1
            endif
        endfor
    endfor
    numbered = imat(height, width)
    for y = 0..height - 1
        for x = 0..width - 1
            numbered[y, x] = names[regions[y, x]]
        endfor
    endfor
endfunction

% What there is to say of each region.
function list : vec[^region] = measure(numbered : imat, count : int, lab : cube)
    pixels = ivec(count)
    sums = zeros(count, 3)
    height = size(numbered, 0)
    width = size(numbered, 1)
    for y = 0..height - 1
        for x = 0..width - 1
            k = numbered[y, x]
            pixels[k] += 1
            sums[k, 0] += lab[y, x, 0]
            sums[k, 1] += lab[y, x, 1]
            sums[k, 2] += lab[y, x, 2]
        endfor
    endfor
    tops = height * ones(count)
    lefts = width * ones(count)
    bottoms = zeros(count)
    rights = zeros(count)
    for y = 0..height - 1
        for x = 0..width - 1
            k = numbered[y, x]
            tops[k] __= y
            lefts[k] __= x
            bottoms[k] ^^= y
            rights[k] ^^= x
        endfor
    endfor
    list = cell(count)
    for k = 0..count - 1
        mean = [sums[k, 0], sums[k, 1], sums[k, 2]] / pixels[k]
        list[k] = region(label:=k, pixels:=pixels[k], colour:=mean, top:=int(tops[k]), left:=int(lefts[k]), bottom:=int(bottoms[k]), right:=int(rights[k]))
    endfor
endfunction

% For each region the neighbour whose colour is nearest; -1 for a region that has none.
function nearest : ivec = neighbours(numbered : imat, colours : mat)
    count = size(colours, 0)
    best = 1e30 * ones(count)
    height = size(numbered, 0)
    width = size(numbered, 1)
    % First how near the nearest is, then which it is: both are extremes, in which the order of pixels does not matter.
    for y = 0..height - 1
        for x = 0..width - 1
            a = numbered[y, x]
            if y < height - 1
                b = numbered[y + 1, x]
                if a != b
                    d = (colours[a, 0] - colours[b, 0])^2 + (colours[a, 1] - colours[b, 1])^2 + (colours[a, 2] - colours[b, 2])^2
                    best[a] __= d
                    best[b] __= d
                endif
            endif
            if x < width - 1
                b = numbered[y, x + 1]
                if a != b
                    d = (colours[a, 0] - colours[b, 0])^2 + (colours[a, 1] - colours[b, 1])^2 + (colours[a, 2] - colours[b, 2])^2
                    best[a] __= d
                    best[b] __= d
                endif
            endif
        endfor
    endfor
    nearest = ivec(count)
    for k = 0..count - 1
        nearest[k] = -1
    endfor
    for y = 0..height - 1
        for x = 0..width - 1
            a = numbered[y, x]
            if y < height - 1
                b = numbered[y + 1, x]
                if a != b
                    d = (colours[a, 0] - colours[b, 0])^2 + (colours[a, 1] - colours[b, 1])^2 + (colours[a, 2] - colours[b, 2])^2
                    if d == best[a]
                        nearest[a] ^^= b
                    endif
                    if d == best[b]
                        nearest[b] ^^= a
                    endif
                endif
            endif
            if x < width - 1
                b = numbered[y, x + 1]
                if a != b
                    d = (colours[a, 0] - colours[b, 0])^2 + (colours[a, 1] - colours[b, 1])^2 + (colours[a, 2] - colours[b, 2])^2
                    if d == best[a]
                        nearest[a] ^^= b
                    endif
                    if d == best[b]
                        nearest[b] ^^= a
                    endif
                endif
            endif
        endfor
    endfor
endfunction

% Whom a region belongs to in the end: small regions belong to their neighbours, whoever these belong to.
function owner : int = final_owner(joins : ivec, k : int)
    owner = k
    steps = 0
    while joins[owner] != owner && steps < numel(joins)
        owner = joins[owner]
        steps += 1
    endwhile
endfunction

% One round of joining small regions. Of two small neighbours that would join each other, the one with the smaller number
% stays.
function [joined : imat, count : int] = join_small(numbered : imat, list : vec[^region], smallest : int)
    count = numel(list)
    colours = zeros(count, 3)
    for k = 0..count - 1
        r = list[k]
        colours[k, :] = r.colour
    endfor
    nearest = neighbours(numbered, colours)
    joins = 0..count - 1
    for k = 0..count - 1
        r = list[k]
        if r.pixels < smallest && nearest[k] >= 0
            n = nearest[k]
            back = nearest[n] == k && list[n].pixels < smallest && k < n
            if !back
                joins[k] = n
            endif
        endif
    endfor
    owners = ivec(count)
    for k = 0..count - 1
        owners[k] = final_owner(joins, k)
    endfor
    merged = imat(size(numbered, 0), size(numbered, 1))
    for y = 0..size(numbered, 0) - 1
        for x = 0..size(numbered, 1) - 1
            merged[y, x] = owners[numbered[y, x]]
        endfor
    endfor
    [joined, count] = number_regions(connected(merged))
endfunction

% ---- light and dark

% The number of a lightness, 0 to 100, among 256.
function bin : int = __device__ bin_of(lightness : scalar)
    bin = int(max(0.0, min(255.0, 2.55 * lightness)))
endfunction

% How many pixels have each lightness, 0 to 255.
function counts : ivec = histogram(lab : cube)
    counts = ivec(256)
    for y = 0..size(lab, 0) - 1
        for x = 0..size(lab, 1) - 1
            counts[bin_of(lab[y, x, 0])] += 1
        endfor
    endfor
endfunction

% The threshold for which the two sides differ most (Otsu, 1979).
function b = otsu(counts : ivec)
    total = 0
    weighted = 0.0
    for k = 0..numel(counts) - 1
        total += counts[k]
        weighted += float(k) * counts[k]
    endfor
    below = 0
    below_weighted = 0.0
    best = -1.0
    b = brightness(counts:=counts)
    for k = 0..numel(counts) - 2
        below += counts[k]
        below_weighted += float(k) * counts[k]
        above = total - below
        if below > 0 && above > 0
            low = below_weighted / below
            high = (weighted - below_weighted) / above
            between = float(below) * above * (high - low)^2
            if between > best
                best = between
                b.threshold = k
                b.low = low
                b.high = high
            endif
        endif
    endfor
endfunction

% A bar for each lightness, in a picture of 256 columns; the threshold is red.
function picture : cube = draw_histogram(b : brightness, height : int)
    picture = 255 * ones(height, 256, 3)
    most = max(b.counts)
    for x = 0..255
        bar = int(float(height - 1) * b.counts[x] / most)
        for y = height - 1 - bar..height - 1
            picture[y, x, :] = x
        endfor
    endfor
    picture[:, b.threshold, 0] = 220
    picture[:, b.threshold, 1] = 30
    picture[:, b.threshold, 2] = 30
endfunction

function [mask : cube] = bright_parts(image : cube, lab : cube, b : brightness)
    mask = uninit(size(image))
    for y = 0..size(image, 0) - 1
        for x = 0..size(image, 1) - 1
            keep = bin_of(lab[y, x, 0]) > b.threshold
            for c = 0..2
                mask[y, x, c] = keep ? image[y, x, c] : 0.25 * image[y, x, c]
            endfor
        endfor
    endfor
endfunction

% ---- pictures and words

% Each region in its mean colour, with white lines between regions.
function picture : cube = paint(numbered : imat, list : vec[^region], lines : int)
    count = numel(list)
    colours = zeros(count, 3)
    for k = 0..count - 1
        colours[k, :] = to_rgb(list[k].colour)
    endfor
    height = size(numbered, 0)
    width = size(numbered, 1)
    picture = uninit(height, width, 3)
    for y = 0..height - 1
        for x = 0..width - 1
            k = numbered[y, x]
            edge = (y < height - 1 && numbered[min(y + 1, height - 1), x] != k) || (x < width - 1 && numbered[y, min(x + 1, width - 1)] != k)
            for c = 0..2
                picture[y, x, c] = edge && lines > 0 ? 255.0 : colours[k, c]
            endfor
        endfor
    endfor
endfunction

function [] = report(p : palette)
    printf("%d groups after %d rounds, mean square of distances %.2f", numel(p.clusters), p.rounds, p.error)
    for k = 0..numel(p.clusters) - 1
        c = p.clusters[k]
        printf("  %d: %6.2f %% of the pixels, L %.1f, a %.1f, b %.1f, mean distance %.2f", k, 100.0 * c.pixels / numel(p.labels), c.centre[0], c.centre[1], c.centre[2], c.spread)
    endfor
endfunction

function [] = report_regions(list : vec[^region], most : int)
    sizes = ivec(numel(list))
    for k = 0..numel(list) - 1
        sizes[k] = list[k].pixels
    endfor
    order = by_size(sizes)
    printf("%d regions", numel(list))
    for k = 0..min(most, numel(list)) - 1
        r = list[order[k]]
        printf("  %d pixels in rows %d to %d, columns %d to %d", r.pixels, r.top, r.bottom, r.left, r.right)
    endfor
endfunction

% The whole way from a picture to its regions, without files: what Rust calls.
function [regions : imat, painted : cube, groups : int] = segment(image : cube, colours : int, smallest : int)
    choice = settings(colours)
    lab = lab_image(image)
    p = kmeans(lab, choice)
    report(p)
    [numbered, count] = number_regions(connected(p.labels))
    printf("%d regions before small ones join", count)
    list = measure(numbered, count, lab)
    for round = 1..8
        before = count
        [numbered, count] = join_small(numbered, list, smallest)
        list = measure(numbered, count, lab)
        if count == before
            break
        endif
    endfor
    report_regions(list, 5)
    regions = numbered
    painted = paint(numbered, list, 1)
    groups = numel(p.clusters)
endfunction

% Light and dark parts of a picture, and its histogram.
function [threshold : int, parts : cube, bars : cube] = light_and_dark(image : cube)
    lab = lab_image(image)
    b = otsu(histogram(lab))
    printf("threshold %d: %.1f on the mean below, %.1f above", b.threshold, b.low, b.high)
    threshold = b.threshold
    parts = bright_parts(image, lab, b)
    bars = draw_histogram(b, 100)
endfunction

% What Rust needs beside them.
function image : cube = load(file : string)
    image = imread(file, "rgb")
endfunction

function [] = store(file : string, image : cube)
    imwrite(file, image, [0, 255])
endfunction

function [] = main(file : string = "examples/images/astronaut.png", colours : int = 8, folder : string = "out")
    image = imread(file, "rgb")
    seed(settings(colours).seed)
    [regions, painted, groups] = segment(image, colours, settings(colours).smallest)
    imwrite(folder + "/regions.png", painted, [0, 255])
    [threshold, parts, bars] = light_and_dark(image)
    imwrite(folder + "/bright.png", parts, [0, 255])
    imwrite(folder + "/histogram.png", bars, [0, 255])
endfunction
