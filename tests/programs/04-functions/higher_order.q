function y = apply(f, x)
    y = f(x)
endfunction
function y = compose(f, g)
    y = x -> f(g(x))
endfunction
print apply(x -> x + 1, 4), " ", apply(sqrt_plus, 9.0)
function y = sqrt_plus(x : scalar)
    y = sqrt(x) + 1
endfunction
print compose(x -> x*2, x -> x + 3)(1)
