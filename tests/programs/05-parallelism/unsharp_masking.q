import "system.q"

% Unsharp masking: a kernel written for one pixel, called with defaults; flat pictures stay as they are.
function [] = __kernel__ sharpen(src : mat'mirror, dst : mat'unchecked, w : scalar, pos : ivec2)
    local_mean = 0.0
    for dy = -1..1
        for dx = -1..1
            local_mean += src[pos + [dy,dx]]
        endfor
    endfor
    dst[pos] = src[pos] + w * (src[pos] - local_mean/9)
endfunction

function result : mat = unsharp(img : mat, w : scalar = 0.5)
    result = uninit(size(img))
    parallel_do(size(img), img, result, w, sharpen)
endfunction

function [] = main()
    picture = rand(240, 320)
    out = unsharp(picture)
    print abs(mean(out) - mean(picture)) < 0.01, " ", size(out)
    dot = zeros(4, 5)
    dot[1,2] = 9
    print unsharp(dot)
    print unsharp(dot, 2)[1,1..3], " ", max(abs(unsharp(3*ones(2,3)) - 3)) < 0.0001
endfunction
