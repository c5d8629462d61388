% Few positions, each with long loops: on devices several blocks share the loops of a position, and wait for each other.

% Channels last: neighbouring elements belong to different positions.
function y : cube = balanced(x : cube)
    y = zeros(size(x))
    for c = 0..size(x,2)-1
        y[:,:,c] = x[:,:,c] * (0.5 / mean(x[:,:,c]))
    endfor
endfunction

% Two accumulators of one loop, then a loop that reads what the one before stored.
function y : mat = spread(x : mat)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
        low = x[i,0]
        high = x[i,0]
        for k = 0..size(x,1)-1
            low = min(low, x[i,k])
            high = max(high, x[i,k])
        endfor
        for k = 0..size(x,1)-1
            y[i,k] = (x[i,k] - low) / (high - low)
        endfor
        total = 0.0
        for k = 0..size(x,1)-2
            total += y[i,k+1] - y[i,k]
        endfor
        y[i,0] = total
        for k = 1..size(x,1)-1
            y[i,k] = y[i,k] + y[i,0]
        endfor
    endfor
endfunction

% Loops that are shared inside of a loop that is not.
function s : mat = repeated(x : mat, rounds : int)
    s = zeros(size(x,0), rounds)
    for i = 0..size(x,0)-1
        shift = 0.0
        for r = 0..rounds-1
            t = 0.0
            for k = 0..size(x,1)-1
                t += mod(x[i,k] + shift, 4)
            endfor
            shift = mod(t, 3)
            s[i,r] = t
        endfor
    endfor
endfunction

function [] = main()
    n = 150
    x = zeros(n, n, 3)
    for i = 0..n-1
        for j = 0..n-1
            for c = 0..2
                x[i,j,c] = mod(i*7 + j*3, 8) * (c + 1)
            endfor
        endfor
    endfor
    y = balanced(x)
    for c = 0..2
        print round(1000 * y[0,1,c] * mean(x[:,:,c])), ", ", round(1000 * mean(y[:,:,c]))
    endfor

    m = zeros(2, 20000)
    for i = 0..1
        for k = 0..size(m,1)-1
            m[i,k] = mod(k*5 + i, 17)
        endfor
    endfor
    z = spread(m)
    print z[0,0], ", ", z[1,0], ", ", round(sum(z) * 16)
    print round(z[0,1..4] * 16)
    print round(z[1,19998..19999] * 16)
    print repeated(m, 4)
endfunction
