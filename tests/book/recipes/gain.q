% Multiplies by a constant, which a macro call may change.
GAIN = 2
function y : mat = amplified(x : mat)
    y = GAIN * x
endfunction
