% Twice an image.
function y : mat = twice(x : mat'mirror)
    y = 2 * x
endfunction
