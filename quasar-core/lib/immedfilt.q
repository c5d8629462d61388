% immedfilt.q: medians of windows, for gray images (mat) and images with channels (cube). Images go on beyond their borders
% as mirrored.

% The median of nine values, by as many exchanges as are needed.
function y : scalar = __device__ median_of_nine(a : scalar, b : scalar, c : scalar, d : scalar, e : scalar, f : scalar, g : scalar, h : scalar, i : scalar)
    % Each row in order.
    lo1 = min(a, b)
    hi1 = max(a, b)
    l1 = min(lo1, c)
    m1 = max(lo1, min(hi1, c))
    h1 = max(hi1, c)
    lo2 = min(d, e)
    hi2 = max(d, e)
    l2 = min(lo2, f)
    m2 = max(lo2, min(hi2, f))
    h2 = max(hi2, f)
    lo3 = min(g, h)
    hi3 = max(g, h)
    l3 = min(lo3, i)
    m3 = max(lo3, min(hi3, i))
    h3 = max(hi3, i)
    % The greatest of the least, the median of the medians, the least of the greatest.
    p = max(l1, max(l2, l3))
    q = max(min(m1, m2), min(max(m1, m2), m3))
    r = min(h1, min(h2, h3))
    y = max(min(p, q), min(max(p, q), r))
endfunction

% Windows of any size: the median is enclosed between two values of the window, of which one moves past the middle each time.
function [] = __kernel__ median_by_counting(x : mat'mirror, y : mat, r : int, pos : ivec2)
    lo = x[pos]
    hi = x[pos]
    count = 0
    for p = -r..r
        for q = -r..r
            v = x[pos[0]+p, pos[1]+q]
            if v == v
                lo = lo == lo ? min(lo, v) : v
                hi = hi == hi ? max(hi, v) : v
                count += 1
            endif
        endfor
    endfor
    wanted = int(floor((count-1)/2))
    while lo < hi
        middle = lo/2 + hi/2
        if !(middle >= lo && middle < hi)
            middle = lo
        endif
        below = 0
        last = lo
        next = hi
        for p = -r..r
            for q = -r..r
                v = x[pos[0]+p, pos[1]+q]
                if v <= middle
                    below += 1
                    last = max(last, v)
                elseif v > middle
                    next = min(next, v)
                endif
            endfor
        endfor
        if below > wanted
            hi = last
        else
            lo = next
        endif
    endwhile
    y[pos] = lo
endfunction

% The median of each (2r+1) x (2r+1) window; of an even number of numbers among NaNs the lower one in the middle.
function y : mat = immedfilt(x : mat, r : int = 1)
    if r < 0
        error("immedfilt: the radius is ", r, ", expected 0 or more")
    endif
    y = zeros(size(x,0), size(x,1))
    if r == 1
        a : 'mirror = x
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                y[m,n] = median_of_nine(a[m-1,n-1], a[m-1,n], a[m-1,n+1], a[m,n-1], a[m,n], a[m,n+1], a[m+1,n-1], a[m+1,n], a[m+1,n+1])
            endfor
        endfor
    elseif r == 2 && sum(x != x) == 0
        % Without NaN the median is the one in the middle of 25 numbers, which neighbouring positions sort side by side.
        a : 'mirror = x
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                v = zeros(25)
                k = 0
                for p = -2..2
                    for q = -2..2
                        v[k] = a[m+p,n+q]
                        k += 1
                    endfor
                endfor
                y[m,n] = median(v)
            endfor
        endfor
    else
        parallel_do(size(y,0..1), x, y, r, median_by_counting)
    endif
endfunction

function y : cube(:,:,:) = immedfilt(x : cube(:,:,:), r : int = 1)
    y = zeros(size(x,0), size(x,1), size(x,2))
    for k = 0..size(x,2)-1
        y[:,:,k] = immedfilt(x[:,:,k], r)
    endfor
endfunction
