% Powers of branches and choices, which rows compute in front of them: also where a position that does not need one has no such number.

function y : mat = curve(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] <= 0.04045 ? x[m,n]/12.92 : ((x[m,n] + 0.055)/1.055)^2.4
        endfor
    endfor
endfunction

function y : mat = back(x : mat, g : scalar)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n]
            if v <= 0.0031308
                y[m,n] = 12.92*v
            else
                y[m,n] = 1.055*v^(1/g) - 0.055
            endif
        endfor
    endfor
endfunction

% The base changes in the branch, and the one of the other branch is negative for some.
function y : mat = roots(x : mat, g : scalar)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            v = x[m,n]
            if v < 0
                v = -v
                y[m,n] = -(v^g)
            elseif v > 0.5
                y[m,n] = v^g + (v > 0.75 ? (v - 0.75)^1.5 : 0.0)
            endif
        endfor
    endfor
endfunction

% An element that is there only where the condition says so.
function y : mat = before(x : mat, g : scalar)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = n > 0 ? x[m,n-1]^g : 1.0
            if n < size(x,1)-1 && x[m,n+1] > 0.5
                y[m,n] += x[m,n+1]^1.2
            endif
        endfor
    endfor
endfunction

% The branch stores what the power reads.
function [] = twice(x : mat, g : scalar)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            if x[m,n] > 0.25
                x[m,n] = 2*x[m,n]
                x[m,n] = x[m,n]^g
            endif
        endfor
    endfor
endfunction

function [] = show(name : string, x : mat)
    print name, round(100*sum(x)), " ", round(100*x[0,0]), " ", round(100*x[3,40]), " ", round(100*x[6,99]), " ", round(100*max(x))
endfunction

function [] = main()
    x = zeros(7, 100)
    for m = 0..6
        for n = 0..99
            x[m,n] = mod(m*37 + n*11, 128)/128.0
        endfor
    endfor
    show("curve ", curve(x))
    show("back ", back(x, 2.4))
    show("roots ", roots(2*x - 1, 0.7))
    show("none negative ", roots(x, 0.7))
    show("before ", before(x, 2.2))
    z = x + 0.0
    twice(z, 1.3)
    show("twice ", z)
    show("large ", curve(x*1e6 - 1e5) .* 1e-14)
endfunction
