% Minimisers, chosen by the form of what is minimised.
import "optim.q"
function v = rounded(x)
    v = round(100*x)/100
endfunction
function y : vec = blur(x : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        left = i > 0 ? x[i-1] : 0.0
        right = i < numel(x)-1 ? x[i+1] : 0.0
        y[i] = 0.25*left + 0.5*x[i] + 0.25*right
    endfor
endfunction
function [] = main()
    A = [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]
    y = [1.0, 4.0, 3.0]
    x = zeros(2)
    print rounded(argmin(sum((y - A*x).^2), x))
    weight = 0.5
    print rounded(argmin(sum((y - A*x).^2) + weight*sum(x.^2), x))
    print rounded(argmin(sum(x.^2) + sum((y - A*x).^2), x))
    scale = [1.0, 2.0, 4.0]
    z = [1.0, 1.0, 1.0]
    print rounded(argmin(sum((y - (scale.*z + 2)).^2), z))
    print rounded(argmin(sum((y - scale.*z).^2) + 2*sum(z.^2), z))
    print rounded(argmin(sum((y - blur(z)).^2) + 0.0*sum(z.^2), z)), " ", z
    % The present value is where the search begins.
    t = 10.0
    t = argmin((t - 3)^2 + 1, t)
    print rounded(t)
    t = 1.0
    print rounded(argmin(cos(t), t)), " ", rounded(argmin(sin(t), t))
    try
        print argmin(-t, t)
    catch e
        print e.message
    endtry
    print argmin([3, 1, 2])
endfunction
