% sort.q: sorting and sums by kernels, row by row and in place.

% One step of a bitonic network over rows of any length. Each pair is put in ascending order, so elements that a row of the
% next power of two would have besides, all greatest, stay where they are and need not exist.
function [] = __kernel__ bitonic_step[T](x : mat[T]'unchecked, length : int, distance : int, first : int, pos : ivec2)
    row = pos[0]
    block = int(floor(pos[1] / distance))
    within = pos[1] - block*distance
    i = 2*distance*block + within
    j = i + distance
    if first == 1
        j = 2*distance*(block + 1) - 1 - within
    endif
    if j < length
        a = x[row,i]
        b = x[row,j]
        if b < a
            x[row,i] = b
            x[row,j] = a
        endif
    endif
endfunction

% Sorts each row in ascending order, in place.
function [] = fast_sort[T](x : mat[T])
    length = size(x,1)
    distance = 1
    while distance < length
        step = distance
        first = 1
        while step >= 1
            pairs = int(ceil(length / (2*step)))*step
            parallel_do([size(x,0), pairs], x, length, step, first, bitonic_step)
            step = int(floor(step/2))
            first = 0
        endwhile
        distance *= 2
    endwhile
endfunction

% One step of a sum over rows: each element takes the sum that ends `distance` before it.
function [] = __kernel__ sum_step(x : mat, y : mat, distance : int, pos : ivec2)
    v = x[pos]
    if pos[1] >= distance
        v += x[pos[0], pos[1] - distance]
    endif
    y[pos] = v
endfunction

% The sums of all elements of a row up to each of them.
function y : mat = prefix_sum(x : mat)
    y = copy(x)
    other = uninit(size(x,0), size(x,1))
    distance = 1
    while distance < size(x,1)
        parallel_do([size(x,0), size(x,1)], y, other, distance, sum_step)
        [y, other] = [other, y]
        distance *= 2
    endwhile
endfunction

function y : vec = prefix_sum(x : vec)
    sums = prefix_sum(reshape(x, [1, numel(x)]))
    y = reshape(sums, [numel(x)])
endfunction
