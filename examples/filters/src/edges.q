% Edges of gray images. The functions of this file become public functions of the Rust module; what it imports stays
% inside.

import "window.q"

% The length of the gradient, by Sobel's windows.
function strength : mat = sobel(image : mat)
    across = window3(image, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    down = window3(image, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    strength = sqrt(across.^2 + down.^2)
endfunction

% 1 where the gradient is longer than `least`, 0 elsewhere; and how many such pixels there are.
function [marks : mat, count : int] = edges(image : mat, least : scalar)
    strength = sobel(image)
    marks = zeros(size(image))
    count = 0
    for y = 0..size(image, 0) - 1
        for x = 0..size(image, 1) - 1
            if strength[y, x] > least
                marks[y, x] = 1
                count += 1
            endif
        endfor
    endfor
endfunction
