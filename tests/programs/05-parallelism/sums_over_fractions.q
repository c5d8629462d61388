% Loops over fractions that few positions share: they step by fractions wherever they run.
function y : vec = sums(first : scalar, step : scalar, last : scalar)
    y = zeros(4)
    for i = 0..3
        s = 0.0
        for k = first..step..last
            s += k * i
        endfor
        y[i] = s
    endfor
endfunction
print sums(0, 0.5, 512)
print sums(-1.5, 0.25, 300)
print sums(8, -0.125, 0)

% One bound is a fraction, and the rounds count half steps.
function y : vec = halves(x : vec, n : int)
    y = zeros(2)
    for i = 0..1
        s = 0.0
        for k = 0..0.5..n
            s += x[int(k)] + i
        endfor
        y[i] = s
    endfor
endfunction
print halves(ones(300), 299)
