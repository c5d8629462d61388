% A variable of a pattern that is applied to another one stands for the function that an expression is.
function y = minimise(f, start)
    y = f(start) + 1000
endfunction
reduction (f, x) -> argbest(f(x), x) = minimise(f, 2.0)
reduction (y : vec, W, x) -> argbest(sum((y - W(x)).^2), x) = minimise(t -> sum(W(t))*y, 1)
reduction (x, ...λ, ...f) -> solve(sum([λ * sum(f(x).^2)]), x) = report({...λ}, {...f})
reduction (f, x : scalar) -> derivative(f(x), x) = f(x + 0.5) - f(x - 0.5)
reduction (f, g, x) -> composed((f - g)(x), x) = f(10.0)*g(10.0)
function [] = report(weights, terms)
    for i = 0..numel(weights)-1
        print "weight ", weights[i]
    endfor
    first = terms[0]
    last = terms[1]
    print first([1.0, 2.0]), " ", last([1.0, 2.0])
endfunction
function [] = main()
    symbolic x
    print argbest(x*x + 1, x)
    y = [1.0, 2.0]
    b = 3.0
    print argbest(sum((y - b*x).^2), x)
    solve(sum((y - x).^2) + 0.5*sum((2*x).^2) + b*sum(x.^2), x)
    v = 2.0
    print derivative(v*v, v)
    print composed(x*x - (x + 1), x)
endfunction
