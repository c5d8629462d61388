FACTOR : scalar = 2
SHIFT = [0, 0]

function y = scaled(x : scalar)
    y = FACTOR * x + SHIFT[1]
endfunction
