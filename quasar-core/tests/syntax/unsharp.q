import "system.q"

% Unsharp masking: kernel function, written for one pixel position
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
    tic()
    out = unsharp(picture)
    toc("unsharp")
    print "mean = ", mean(out), ", size = ", size(out)
endfunction
