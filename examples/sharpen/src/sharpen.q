% A colour photograph: rows, columns, and three channels with values from 0 to 255.
function image : cube = load(file : string)
    image = imread(file, "rgb")
endfunction

% Values below 0 become 0, and values above 255 become 255.
function [] = store(file : string, image : cube)
    imwrite(file, image, [0, 255])
endfunction

% Every pixel moves away from the mean of the 3x3 pixels around it, in each channel. The image goes on as in a
% mirror beyond its border.
function result : cube = sharpen(image : cube'mirror, amount : scalar)
    result = uninit(size(image))
    for y = 0..size(image, 0) - 1
        for x = 0..size(image, 1) - 1
            for c = 0..size(image, 2) - 1
                total = 0.0
                for dy = -1..1
                    for dx = -1..1
                        total += image[y + dy, x + dx, c]
                    endfor
                endfor
                result[y, x, c] = image[y, x, c] + amount * (image[y, x, c] - total / 9)
            endfor
        endfor
    endfor
endfunction
