% contrast.q: gray images with values from 0 to 255, spread over that range.

% Histogram equalisation: each value becomes the share of pixels that are not brighter.
function y : mat = equalize_histogram(x : mat)
    counts = zeros(256)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            counts[min(max(int(x[m,n]), 0), 255)] += 1
        endfor
    endfor
    % the darkest value that occurs becomes 0
    first = 0
    while first < 255 && counts[first] == 0
        first += 1
    endwhile
    table = cumsum(counts)
    least = counts[first]
    total = numel(x)
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            share = (table[min(max(int(x[m,n]), 0), 255)] - least)/max(total - least, 1)
            y[m,n] = total == least ? x[m,n] : floor(255*share + 0.5)
        endfor
    endfor
endfunction

% Contrast limited adaptive histogram equalisation: each of tiles x tiles tiles has a table of its own, in which no value counts
% more than `limit` times the mean of all, and pixels between the centres of tiles interpolate between four tables. 0 limits nothing.
% Sizes that tiles do not divide are extended by what lies at the other side of the border, without repeating the last pixel.
%
%     y = clahe(x, 2.0, 8)
function y : mat = clahe(x : mat, limit : scalar = 2.0, tiles : int = 8)
    height = int(ceil(size(x,0)/tiles))
    width = int(ceil(size(x,1)/tiles))
    assert(height*tiles - size(x,0) < size(x,0) && width*tiles - size(x,1) < size(x,1), "clahe: more tiles than pixels")
    tables = zeros(tiles*tiles, 256)
    for t = 0..tiles*tiles-1
        tables[t,:] = tile_table(x, int(t/tiles)*height, mod(t, tiles)*width, height, width, limit)
    endfor
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = min(max(int(x[m,n]), 0), 255)
            row = m/height - 0.5
            column = n/width - 0.5
            a = int(floor(row))
            b = int(floor(column))
            u = row - a
            w = column - b
            a0 = max(a, 0)*tiles
            a1 = min(a+1, tiles-1)*tiles
            b0 = max(b, 0)
            b1 = min(b+1, tiles-1)
            above = (1-w)*tables[a0+b0, v] + w*tables[a0+b1, v]
            below = (1-w)*tables[a1+b0, v] + w*tables[a1+b1, v]
            y[m,n] = floor((1-u)*above + u*below + 0.5)
        endfor
    endfor
endfunction

% What the values of one tile become.
function table : vec = tile_table(x : mat, top : int, left : int, height : int, width : int, limit : scalar) concealed
    counts = zeros[int](256)
    for m = top..top+height-1
        for n = left..left+width-1
            % beyond the border the image is mirrored at its last pixel
            i = m < size(x,0) ? m : 2*size(x,0) - 2 - m
            j = n < size(x,1) ? n : 2*size(x,1) - 2 - n
            counts[min(max(int(x[i,j]), 0), 255)] += 1
        endfor
    endfor
    if limit > 0
        most = max(int(limit*height*width/256), 1)
        excess = 0
        for k = 0..255
            if counts[k] > most
                excess += counts[k] - most
                counts[k] = most
            endif
        endfor
        each = int(excess/256)
        left_over = excess - 256*each
        for k = 0..255
            counts[k] += each
        endfor
        if left_over > 0
            step = max(int(256/left_over), 1)
            k = 0
            while k < 256 && left_over > 0
                counts[k] += 1
                left_over -= 1
                k += step
            endwhile
        endif
    endif
    table = zeros(256)
    total = 0
    {!serial for}
    for k = 0..255
        total += counts[k]
        table[k] = min(floor(total*255.0/(height*width) + 0.5), 255)
    endfor
endfunction
