% A photograph, made smaller, and its edges. Pictures of your
% own: choose them by Files, and write their names here.
function y : mat = halved(x : mat'clamped)
    y = zeros(int(size(x, 0) / 2), int(size(x, 1) / 2))
    for m = 0..size(y, 0) - 1
        for n = 0..size(y, 1) - 1
            y[m, n] = mean(x[2*m..2*m+1, 2*n..2*n+1])
        endfor
    endfor
endfunction

function y : mat = gradient(x : mat'mirror)
    y = zeros(size(x))
    for m = 0..size(x, 0) - 1
        for n = 0..size(x, 1) - 1
            across = x[m, n+1] - x[m, n-1]
            down = x[m+1, n] - x[m-1, n]
            y[m, n] = sqrt(across^2 + down^2)
        endfor
    endfor
endfunction

x = halved(imread("astronaut.png", "gray"))
print "after halving: ", size(x), ", mean ", mean(x)
subplot(1, 2, 1)
imshow(x)
subplot(1, 2, 2)
imshow(255 - gradient(x), [])
imwrite("edges.png", min(255, gradient(x)))
