% Lines matter: messages name them.
function [] = logs(x : mat, y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            y[m,n] = log(x[m,n])
        endfor
    endfor
endfunction

% Two statements write y: line 14, which is blamed for both, and line 16.
function [] = inverses(x : vec, y : vec)
    function [] = __kernel__ invert(x : vec'unchecked, y : vec'unchecked, pos : int)
        if pos > 2
            y[pos] = 1 / x[pos]
        else
            y[pos] += x[pos]
        endif
    endfunction
    parallel_do(numel(y), x, y, invert)
endfunction

function y = expression(x : mat)
    y = sqrt(x) ./ (x - 1)
endfunction

% Only every second element is written.
function [] = seconds(x : vec, y : vec)
    for n = 0..numel(x)-1
        y[2*n] = x[n]
    endfor
endfunction

function [] = __device__ put(y : vec, k : int, value : scalar)
    y[k] = value
endfunction

function [] = by_callee(x : vec, y : vec)
    function [] = __kernel__ all(x : vec, y : vec, pos : int)
        put(y, pos, x[pos] - 1)
    endfunction
    parallel_do(numel(y), x, y, all)
endfunction

function [] = sums(x : vec, k : ivec, h : vec)
    for n = 0..numel(x)-1
        h[k[n]] += x[n]
    endfor
endfunction

function [] = means(x : mat'mirror, y : mat)
    for m = 0..size(y,0)-1
        for n = 0..size(y,1)-1
            s = 0.0
            for i = -1..1
                for j = -1..1
                    s += x[m+i,n+j]
                endfor
            endfor
            y[m,n] = s / 9
        endfor
    endfor
endfunction

function z : cvec = complexes(x : vec)
    z = czeros(numel(x))
    for n = 0..numel(x)-1
        z[n] = complex(0, 1 / x[n])
    endfor
endfunction

function text : string = caught(x : mat, y : mat)
    text = "nothing"
    try
        logs(x, y)
    catch e
        text = e
    endtry
endfunction

function [] = in_order(x : vec)
    {!serial for}
    for n = 1..numel(x)-1
        x[n] = x[n-1] * x[n]
    endfor
endfunction

function s : scalar = total(x : vec)
    s = 0.0
    for n = 0..numel(x)-1
        s += x[n]
    endfor
endfunction

% Numbers too large for halves, and for doubles.
function [] = halves(x : vec, y : vec[scalar'half])
    for n = 0..numel(x)-1
        y[n] = 1000 * x[n]
    endfor
endfunction

function [] = doubles(x : vec[scalar'double], y : vec[scalar'double])
    for n = 0..numel(x)-1
        y[n] = x[n] * x[n]
    endfor
endfunction

function [] = on_all(x : mat, y : mat)
    function [] = __kernel__ divide(x : mat'unchecked, y : mat'unchecked, pos : ivec2)
        y[pos] = y[pos] / x[pos]
    endfunction
    multi_parallel_do(size(y), x, y, divide)
endfunction
