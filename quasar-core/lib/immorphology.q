% immorphology.q: morphology of gray images (mat) and of images with channels (cube), each channel by itself. What is not 0
% in `mask` belongs to the structuring element, and `ctr` is its centre. Positions outside the image do not count; where the
% element covers no pixel at all, an erosion gives Inf and a dilation -Inf.

% The least value of each window of the size of the mask. The window holds its own position, so that positions beyond the
% border repeat what it holds anyway.
function y : mat = window_minimum(x : mat, window : ivec2, ctr : ivec2)
    cy = ctr[0]
    cx = ctr[1]
    rows : 'clamped = x
    between = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = rows[m, n-cx]
            for q = 1..window[1]-1
                s = min(s, rows[m, n+q-cx])
            endfor
            between[m,n] = s
        endfor
    endfor
    columns : 'clamped = between
    y = zeros(size(x,0), size(x,1))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = columns[m-cy, n]
            for p = 1..window[0]-1
                s = min(s, columns[m+p-cy, n])
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% The least value below the elements of any mask.
function y : mat = masked_minimum(x : mat, mask : mat, ctr : ivec2)
    cy = ctr[0]
    cx = ctr[1]
    height = size(x,0)
    width = size(x,1)
    inside : 'clamped = x
    y = zeros(height, width)
    for m = 0..height-1
        for n = 0..width-1
            s = 1/0
            for p = 0..size(mask,0)-1
                for q = 0..size(mask,1)-1
                    i = m+p-cy
                    j = n+q-cx
                    counts = mask[p,q] != 0 && i >= 0 && i < height && j >= 0 && j < width
                    s = min(s, counts ? inside[i,j] : 1/0)
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction

% y[p] = least of x[p + q - ctr] over the q where mask[q] is not 0.
function y : mat = imerode(x : mat, mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    if !any(mask)
        error("imerode: all elements of the mask are 0")
    endif
    within = ctr[0] >= 0 && ctr[0] < size(mask,0) && ctr[1] >= 0 && ctr[1] < size(mask,1)
    if within && all(mask)
        y = window_minimum(x, size(mask), ctr)
    else
        y = masked_minimum(x, mask, ctr)
    endif
endfunction

function y : cube(:,:,:) = imerode(x : cube(:,:,:), mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    y = zeros(size(x,0), size(x,1), size(x,2))
    for k = 0..size(x,2)-1
        y[:,:,k] = imerode(x[:,:,k], mask, ctr)
    endfor
endfunction

% y[p] = greatest of x[p - q + ctr] over the q where mask[q] is not 0: the element is reflected, so that a dilation after an
% erosion is an opening.
function y : mat = imdilate(x : mat, mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    if !any(mask)
        error("imdilate: all elements of the mask are 0")
    endif
    y = -imerode(-x, flipud(fliplr(mask)), size(mask) - 1 - ctr)
endfunction

function y : cube(:,:,:) = imdilate(x : cube(:,:,:), mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    y = zeros(size(x,0), size(x,1), size(x,2))
    for k = 0..size(x,2)-1
        y[:,:,k] = imdilate(x[:,:,k], mask, ctr)
    endfor
endfunction

% Removes what is smaller than the element.
function y : mat = imopen(x : mat, mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    y = imdilate(imerode(x, mask, ctr), mask, ctr)
endfunction

function y : cube(:,:,:) = imopen(x : cube(:,:,:), mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    y = imdilate(imerode(x, mask, ctr), mask, ctr)
endfunction

% Fills holes that are smaller than the element.
function y : mat = imclose(x : mat, mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    y = imerode(imdilate(x, mask, ctr), mask, ctr)
endfunction

function y : cube(:,:,:) = imclose(x : cube(:,:,:), mask : mat = ones(3,3), ctr : ivec2 = int(floor(size(mask)/2)))
    y = imerode(imdilate(x, mask, ctr), mask, ctr)
endfunction
