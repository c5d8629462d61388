% regions.q: connected components and distances in binary images, where what is not 0 belongs to the foreground.

% The number of the component of each pixel, 0 for the background, and how many there are. Components are numbered from 1 in the
% order of their first pixels, row by row. `neighbours` is 4 or 8.
%
%     [labels, n] = label_components(x > 0.5)
function [labels : mat[int], n : int] = label_components(x : mat, neighbours : int = 8)
    if neighbours != 4 && neighbours != 8
        error("label_components: ", neighbours, " neighbours, expected 4 or 8")
    endif
    height = size(x,0)
    width = size(x,1)
    labels = zeros[int](height, width)
    % parent[k] is a label of the same component as k, at most k
    parent = zeros[int](int(height*width/2) + 2)
    last = 0
    for m = 0..height-1
        for j = 0..width-1
            if x[m,j] != 0
                best = 0
                for k = 0..3
                    % west, north, north west, north east
                    a = k == 0 ? m : m-1
                    b = k == 0 ? j-1 : (k == 1 ? j : (k == 2 ? j-1 : j+1))
                    counts = (k < 2 || neighbours == 8) && a >= 0 && b >= 0 && b < width
                    if counts && x[a,b] != 0
                        root = root_of(parent, labels[a,b])
                        if best == 0
                            best = root
                        elseif root < best
                            parent[best] = root
                            best = root
                        else
                            parent[root] = best
                        endif
                    endif
                endfor
                if best == 0
                    last += 1
                    parent[last] = last
                    best = last
                endif
                labels[m,j] = best
            endif
        endfor
    endfor
    n = 0
    number = zeros[int](last + 1)
    for k = 1..last
        if parent[k] == k
            n += 1
            number[k] = n
        else
            number[k] = number[root_of(parent, k)]
        endif
    endfor
    for m = 0..height-1
        for j = 0..width-1
            labels[m,j] = number[labels[m,j]]
        endfor
    endfor
endfunction

% The least label of the component of label k.
function k : int = root_of(parent : vec[int], k : int) concealed
    while parent[k] != k
        parent[k] = parent[parent[k]]
        k = parent[k]
    endwhile
endfunction

% The number of pixels of each component: `areas[k]` of label k, and of the background for k = 0.
function areas : vec[int] = component_areas(labels : mat[int], n : int)
    areas = zeros[int](n+1)
    for m = 0..size(labels,0)-1
        for j = 0..size(labels,1)-1
            areas[labels[m,j]] += 1
        endfor
    endfor
endfunction

% The foreground without its components of fewer than `least` pixels.
function y : mat = remove_small_components(x : mat, least : int, neighbours : int = 8)
    [labels, n] = label_components(x, neighbours)
    areas = component_areas(labels, n)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            keep = x[m,j] != 0 && areas[labels[m,j]] >= least
            y[m,j] = keep ? 1.0 : 0.0
        endfor
    endfor
endfunction

% The foreground and all background that no path through the background joins to the border of the image.
function y : mat = fill_holes(x : mat)
    height = size(x,0)
    width = size(x,1)
    around = ones(height+2, width+2)
    for m = 0..height-1
        for j = 0..width-1
            around[m+1,j+1] = x[m,j] != 0 ? 0.0 : 1.0
        endfor
    endfor
    [labels, _] = label_components(around, 4)
    y = zeros(height, width)
    for m = 0..height-1
        for j = 0..width-1
            y[m,j] = labels[m+1,j+1] != 1 ? 1.0 : 0.0
        endfor
    endfor
endfunction

% The distance of each pixel to the nearest one of the background (exact, Euclidean); Inf where there is no background.
%
%     d = distance_transform(mask)
function d : mat = distance_transform(x : mat)
    d = squared_distances(x)
    for m = 0..size(d,0)-1
        for j = 0..size(d,1)-1
            d[m,j] = sqrt(d[m,j])
        endfor
    endfor
endfunction

% The squares of the distances: along columns first, then along each row the least of (j-k)^2 + column distance of k.
function d : mat = squared_distances(x : mat) concealed
    height = size(x,0)
    width = size(x,1)
    far = 1/0
    down = zeros(height, width)
    for j = 0..width-1
        run = far
        for m = 0..height-1
            run = x[m,j] == 0 ? 0.0 : run + 1
            down[m,j] = run
        endfor
        run = far
        for k = 0..height-1
            m = height-1-k
            run = x[m,j] == 0 ? 0.0 : run + 1
            down[m,j] = min(down[m,j], run)
        endfor
    endfor
    d = zeros(height, width)
    for m = 0..height-1
        for j = 0..width-1
            best = down[m,j]*down[m,j]
            % a column k pixels away is no nearer than k
            k = 1
            while k < width && k*k < best
                left = j-k >= 0 ? down[m,max(j-k,0)] : far
                right = j+k < width ? down[m,min(j+k,width-1)] : far
                best = min(best, k*k + min(left*left, right*right))
                k += 1
            endwhile
            d[m,j] = best
        endfor
    endfor
endfunction

% The border between background and foreground by Otsu's method: the threshold for which the two classes differ most, with
% `bins` bins between the least and the largest value.
function t : scalar = otsu_threshold(x : mat, bins : int = 256)
    low = min(x)
    high = max(x)
    counts = zeros(bins)
    for m = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            k = int((x[m,j] - low)/max(high - low, 1e-30)*bins)
            counts[min(k, bins-1)] += 1
        endfor
    endfor
    width = (high - low)/bins
    total = sum(counts)
    all = 0.0
    for k = 0..bins-1
        all += counts[k]*(low + (k + 0.5)*width)
    endfor
    t = low
    most = -1.0
    below = 0.0
    moment = 0.0
    {!serial for}
    for k = 0..bins-2
        below += counts[k]
        moment += counts[k]*(low + (k + 0.5)*width)
        if below > 0 && below < total
            apart = moment/below - (all - moment)/(total - below)
            between = below*(total - below)*apart*apart
            if between > most
                most = between
                t = low + (k + 0.5)*width
            endif
        endif
    endfor
endfunction
