import "inttypes.q"

type shade : enum
    Dark
    Light = 5
endtype

% The mean of each element and its neighbours in a row. "Rows" go on as in a mirror: \n is no new line.
function y : mat = smooth(x : mat'mirror, distance : int)
    y = uninit(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = (x[m,n-distance] + x[m,n] + x[m,n+distance])/3
        endfor
    endfor
endfunction

% Changes its argument.
function [] = clear(x : vec, from : int)
    for n = from..numel(x)-1
        x[n] = 0
    endfor
endfunction

function y : vec = same(x : vec)
    y = x
endfunction

% Changes one array by another one, which may lie at the same place.
function [] = add(x : vec, y : vec)
    for n = 0..numel(y)-1
        y[n] = x[n] + y[n]
    endfor
endfunction

function [negative : cube[uint8], brightest : uint8] = inverted(x : cube[uint8])
    negative = 255 - x
    brightest = max(x)
endfunction

function [y : mat[cscalar], z : cscalar] = turned(x : mat[cscalar], by : cscalar)
    y = x * by
    z = by * by
endfunction

function [y : vec[scalar'double], s : scalar'double] = precise(x : vec[scalar'double], by : scalar'double)
    y = x / by
    s = by / 3
endfunction

function [told : string, code : int] = described(name : string, as : shade)
    told = strcat(name, "!")
    code = int(as)
endfunction

function y : scalar = second(x : vec)
    y = x[1]
endfunction

function y : vec = nothing()
    y = zeros(0)
endfunction

% Names that the other languages keep for themselves.
function free : int = free(lambda : int, volatile : int)
    free = lambda + volatile
endfunction

function y = untyped(x)
    y = x
endfunction

function y : string = first(x : vec[string])
    y = x[0]
endfunction
