function y : scalar'half = as_half(x : scalar)
    y = x
endfunction
% Integers are exact to 2^11; the tie goes to the even neighbour.
print as_half(2048.0), " ", as_half(2049.0), " ", as_half(2051.0)
print as_half(65504.0), " ", as_half(0.5)
