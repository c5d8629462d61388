% inttypes.q: conversions of images to bytes and back.
%
% Known with this import, without text here: arithmetic and comparisons of arrays of int8 .. uint64. Their names, the conversions
% int8(x) .. uint64(x) and float(x), and numbers of these types need no import.

% Numbers between 0 and 255 cut to whole ones; those outside become the nearest of these, NaN becomes 0.
function y = __device__ float_to_uint8(x)
    y = uint8(min(max(x, 0), 255))
endfunction

% Bytes as numbers with fractions.
function y = __device__ uint8_to_float(x)
    y = float(x)
endfunction
