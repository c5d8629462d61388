% Weighted sums over windows of 3x3 pixels.

function result : mat = window3(image : mat'clamped, weights : mat)
    result = uninit(size(image))
    for y = 0..size(image, 0) - 1
        for x = 0..size(image, 1) - 1
            total = 0.0
            for v = -1..1
                for u = -1..1
                    total += weights[v + 1, u + 1] * image[y + v, x + u]
                endfor
            endfor
            result[y, x] = total
        endfor
    endfor
endfunction
